#include "tools/tilejit/bench_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "runtime/op/runtime.h"
#include "tools/tilejit/cli.h"

namespace tilejit::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmUpUs = 80e3;
constexpr int kCallsPerRound = 32;
constexpr int kFirstBacklog = 4;
constexpr int kLastBacklog = 64;
constexpr std::size_t kCallsInFlight = 200;  // few enough that the driver's queue never makes a call wait
constexpr std::int64_t kDefaultL2Bytes = 60'000'000;
constexpr std::int64_t kMostBytes = 100'000'000'000;

double microseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

cuda::DevicePtr address(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

DeviceContext& open_device() {
    try {
        return Runtime::process()->device(0);
    } catch (const DriverError& error) {
        throw EnvironmentError(fmt::format("bench measures a GPU and finds none to use: {}", error.what()));
    }
}

/// The host's time until all is queued must be shorter than the backlog, else calls waited for the host.
struct QueuedTimes {
    std::vector<double> device_us;
    bool host_was_ahead = false;
};

QueuedTimes times_behind(const BenchDevice& device, const BenchCall& call, const BenchCall& backlog, int backlogs,
                         std::vector<std::unique_ptr<BenchEvent>>& events) {
    BenchEvent begin(device);
    const Clock::time_point host_begin = Clock::now();
    begin.record();
    for (int i = 0; i < backlogs; ++i) {
        backlog();
    }
    for (std::size_t i = 0; i < events.size(); i += 2) {
        events[i]->record();
        call();
        events[i + 1]->record();
    }
    const double host_us = microseconds_since(host_begin);
    events.back()->wait();
    QueuedTimes times;
    times.host_was_ahead = host_us < events.front()->microseconds_since(begin);
    for (std::size_t i = 0; i < events.size(); i += 2) {
        times.device_us.push_back(events[i + 1]->microseconds_since(*events[i]));
    }
    return times;
}

}  // namespace

BenchDevice::BenchDevice() : context_(open_device()), scope_(context_.api(), context_.context()) {
    check_driver(api(), api().stream_create(&stream_, cuda::kStreamNonBlocking), "cuStreamCreate");
}

BenchDevice::~BenchDevice() { api().stream_destroy(stream_); }

cuda::Device BenchDevice::handle() const {
    cuda::Device device = 0;
    check_driver(api(), api().device_get(&device, context_.index()), "cuDeviceGet");
    return device;
}

std::string BenchDevice::name() const {
    std::array<char, 256> text{};
    check_driver(api(), api().device_get_name(text.data(), static_cast<int>(text.size()), handle()), "cuDeviceGetName");
    return text.data();
}

std::string BenchDevice::driver() const {
    int version = 0;
    check_driver(api(), api().driver_get_version(&version), "cuDriverGetVersion");
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::int64_t BenchDevice::l2_bytes() const {
    int bytes = 0;
    const cuda::Result result = api().device_get_attribute(&bytes, cuda::kL2CacheSize, handle());
    return result == cuda::kSuccess && bytes > 0 ? bytes : kDefaultL2Bytes;
}

std::int64_t BenchDevice::memory_budget() const {
    wait();  // memory that was freed in the stream is back only then
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check_driver(api(), api().mem_get_info(&free_bytes, &total_bytes), "cuMemGetInfo");
    return std::min(kMostBytes, static_cast<std::int64_t>(free_bytes) / 10 * 9);
}

void BenchDevice::wait() const { check_driver(api(), api().stream_synchronize(stream_), "cuStreamSynchronize"); }

Tensor BenchDevice::allocate(std::int64_t bytes) const {
    return Tensor::empty(DType::f32, {std::max<std::int64_t>((bytes + 3) / 4, 1)}, device(), stream_);
}

void BenchDevice::copy_bytes(void* to, const void* from, std::size_t bytes) const {
    check_driver(api(), api().memcpy_dtod_async(address(to), address(from), bytes, stream_), "cuMemcpyDtoDAsync");
}

void BenchDevice::repeat(void* memory, std::size_t filled, std::size_t total) const {
    while (filled < total) {
        const std::size_t bytes = std::min(filled, total - filled);
        copy_bytes(static_cast<std::byte*>(memory) + filled, memory, bytes);
        filled += bytes;
    }
}

BenchEvent::BenchEvent(const BenchDevice& device) : device_(device) {
    check_driver(device.api(), device.api().event_create(&event_, cuda::kEventDefault), "cuEventCreate");
}

BenchEvent::~BenchEvent() { device_.api().event_destroy(event_); }

void BenchEvent::record() {
    check_driver(device_.api(), device_.api().event_record(event_, device_.stream()), "cuEventRecord");
}

void BenchEvent::wait() const {
    check_driver(device_.api(), device_.api().event_synchronize(event_), "cuEventSynchronize");
}

double BenchEvent::microseconds_since(const BenchEvent& earlier) const {
    float milliseconds = 0;
    check_driver(device_.api(), device_.api().event_elapsed_time(&milliseconds, earlier.event_, event_),
                 "cuEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e3;
}

void warm_up(const BenchDevice& device, const BenchCall& call) {
    // The host waits for the round before the last one, so the device never runs dry.
    BenchEvent ends[2] = {BenchEvent(device), BenchEvent(device)};
    const Clock::time_point begin = Clock::now();
    for (int round = 0; microseconds_since(begin) < kWarmUpUs; ++round) {
        for (int i = 0; i < kCallsPerRound; ++i) {
            call();
        }
        ends[round % 2].record();
        if (round > 0) {
            ends[(round + 1) % 2].wait();
        }
    }
}

std::vector<double> device_times(const BenchDevice& device, const BenchCall& call, const BenchCall& backlog,
                                 std::size_t count) {
    std::vector<std::unique_ptr<BenchEvent>> events;
    for (std::size_t i = 0; i < 2 * count; ++i) {
        events.push_back(std::make_unique<BenchEvent>(device));
    }
    for (int backlogs = kFirstBacklog; backlogs <= kLastBacklog; backlogs *= 2) {
        QueuedTimes times = times_behind(device, call, backlog, backlogs, events);
        if (times.host_was_ahead) {
            return std::move(times.device_us);
        }
    }
    throw EnvironmentError(
        fmt::format("the host is too slow to queue {} calls ahead of the device, so they cannot be timed; "
                    "run bench on an idle machine",
                    count));
}

std::vector<double> host_times(const BenchDevice& device, const BenchCall& call, std::size_t count) {
    std::vector<double> times;
    for (std::size_t i = 0; i < count; ++i) {
        if (i % kCallsInFlight == 0) {
            device.wait();
        }
        const Clock::time_point begin = Clock::now();
        call();
        times.push_back(microseconds_since(begin));
    }
    device.wait();
    return times;
}

}  // namespace tilejit::cli
