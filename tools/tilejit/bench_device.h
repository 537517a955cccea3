/// \file The device that `bench` measures, and its clocks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/launch/loaded_program.h"
#include "tilejit/tensor.h"

namespace tilejit::cli {

/// CUDA device 0 with a stream of its own; its context is current while this lives. All work, also the
/// allocation of tensors, is queued in that stream.
class BenchDevice {
public:
    /// Throws `EnvironmentError` when there is no device to measure.
    BenchDevice();
    ~BenchDevice();
    BenchDevice(const BenchDevice&) = delete;
    BenchDevice& operator=(const BenchDevice&) = delete;

    const cuda::DriverApi& api() const { return context_.api(); }
    Device device() const { return Device::cuda(context_.index()); }
    Stream stream() const { return stream_; }
    int compute_capability() const { return context_.compute_capability(); }  ///< 90 for 9.0
    std::string name() const;
    std::string driver() const;          ///< the newest CUDA version that the driver serves, `13.0`
    std::int64_t l2_bytes() const;       ///< 60 MB when the driver does not say
    std::int64_t memory_budget() const;  ///< what sets of tensors may take of the memory that is free

    void wait() const;
    /// Uninitialised memory in the stream, aligned to 256 bytes.
    Tensor allocate(std::int64_t bytes) const;
    void copy_bytes(void* to, const void* from, std::size_t bytes) const;
    /// Repeats the first `filled` bytes at `memory` until `total` bytes are filled.
    void repeat(void* memory, std::size_t filled, std::size_t total) const;

private:
    cuda::Device handle() const;

    DeviceContext& context_;
    ContextScope scope_;
    Stream stream_ = nullptr;
};

/// A point in the device's stream, with its time.
class BenchEvent {
public:
    explicit BenchEvent(const BenchDevice& device);
    ~BenchEvent();
    BenchEvent(const BenchEvent&) = delete;
    BenchEvent& operator=(const BenchEvent&) = delete;

    void record();
    void wait() const;
    double microseconds_since(const BenchEvent& earlier) const;  ///< both must have passed

private:
    const BenchDevice& device_;
    cuda::Event event_ = nullptr;
};

/// Queues one call in the device's stream.
using BenchCall = std::function<void()>;

/// Keeps the device busy with `call` for at least 80 ms, and leaves some of the work queued.
void warm_up(const BenchDevice& device, const BenchCall& call);

/// The device's time for each of `count` calls, in microseconds: two events around each, without waiting
/// in between. `backlog` keeps the device busy until all calls are queued, so that the host's time for
/// queueing is not measured. Throws `EnvironmentError` when the host is too slow for that.
std::vector<double> device_times(const BenchDevice& device, const BenchCall& call, const BenchCall& backlog,
                                 std::size_t count);

/// The host's time for queueing each of `count` calls, in microseconds.
std::vector<double> host_times(const BenchDevice& device, const BenchCall& call, std::size_t count);

}  // namespace tilejit::cli
