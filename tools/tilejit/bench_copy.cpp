#include "tools/tilejit/bench_copy.h"

#include "tools/tilejit/tensors.h"

namespace tilejit::cli {
namespace {

constexpr std::size_t kBuffers = 3;
constexpr std::size_t kBufferBytes = std::size_t{1} << 30;
constexpr std::int64_t kRandomNumbers = 4'194'301;  // a prime: the repeats fall on no power of two
constexpr std::size_t kCopies = 51;

}  // namespace

CopyBuffers::CopyBuffers(const BenchDevice& device)
    : device_(device), memory_(device.allocate(static_cast<std::int64_t>(kBuffers * kBufferBytes))) {
    const Tensor host = random_tensor(DType::bf16, {kRandomNumbers}, 1.0, 0);
    const TensorView begin = TensorView::contiguous(memory_.data(), DType::bf16, host.shape(), device.device());
    tilejit::copy(host, begin, device.stream());
    device.wait();
    device.repeat(memory_.data(), kRandomNumbers * size_of(DType::bf16), kBuffers * kBufferBytes);
}

void* CopyBuffers::buffer(std::size_t index) const {
    return static_cast<std::byte*>(memory_.data()) + index % kBuffers * kBufferBytes;
}

void CopyBuffers::copy() {
    device_.copy_bytes(buffer(next_ + 1), buffer(next_), kBufferBytes);
    ++next_;
}

void CopyBuffers::measure() {
    const BenchCall call = [this] { copy(); };
    warm_up(device_, call);
    latest_us_ = device_times(device_, call, call, kCopies);
    all_us_.insert(all_us_.end(), latest_us_.begin(), latest_us_.end());
}

CopyRate CopyBuffers::rate() const { return {2 * static_cast<std::int64_t>(kBufferBytes), spread_of(all_us_)}; }

CopyRate CopyBuffers::latest_rate() const {
    return {2 * static_cast<std::int64_t>(kBufferBytes), spread_of(latest_us_)};
}

}  // namespace tilejit::cli
