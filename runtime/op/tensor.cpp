#include "tilejit/tensor.h"

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "runtime/op/allocate.h"
#include "runtime/op/validate.h"
#include "tilejit/error.h"

namespace tilejit {

namespace {

constexpr std::align_val_t kCpuAlignment{256};

/// Bytes of a tensor without gaps.
std::size_t checked_bytes(DType dtype, const std::vector<std::int64_t>& shape) {
    std::int64_t bytes = static_cast<std::int64_t>(size_of(dtype));
    for (const std::int64_t extent : shape) {
        if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) {
            throw ShapeError(
                fmt::format("a tensor of shape {} cannot be allocated: extents must not be negative, and all "
                            "elements must fit 2^63 bytes.",
                            shape_text(shape)));
        }
    }
    return static_cast<std::size_t>(bytes);
}

bool without_gaps(const TensorView& view) {
    std::int64_t expected = 1;
    for (std::size_t i = view.shape.size(); i-- > 0;) {
        if (view.shape[i] > 1 && view.strides[i] != expected) {
            return false;
        }
        expected *= view.shape[i];
    }
    return true;
}

cuda::DevicePtr device_address(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

/// Queues the copy in the stream; at least one side is on a GPU.
void copy_on_device(Runtime& runtime, const TensorView& from, const TensorView& to, std::size_t bytes, Stream stream) {
    const bool from_cpu = from.device.kind == Device::Kind::cpu;
    const bool to_cpu = to.device.kind == Device::Kind::cpu;
    DeviceContext& device = runtime.device(from_cpu ? to.device.index : from.device.index);
    const cuda::DriverApi& api = device.api();
    const ContextScope scope(api, device.context());
    if (from_cpu) {
        check_driver(api, api.memcpy_htod_async(device_address(to.data), from.data, bytes, stream),
                     "cuMemcpyHtoDAsync");
    } else if (to_cpu) {
        check_driver(api, api.memcpy_dtoh_async(to.data, device_address(from.data), bytes, stream),
                     "cuMemcpyDtoHAsync");
    } else {
        check_driver(api, api.memcpy_dtod_async(device_address(to.data), device_address(from.data), bytes, stream),
                     "cuMemcpyDtoDAsync");
    }
}

}  // namespace

std::string name_of(const Device& device) {
    return device.kind == Device::Kind::cpu ? "cpu" : fmt::format("cuda:{}", device.index);
}

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        if (__builtin_mul_overflow(strides[i], shape[i], &strides[i - 1])) {
            strides[i - 1] = INT64_MAX;  // beyond what any memory holds; ops refuse the shape itself
        }
    }
    return strides;
}

TensorView TensorView::contiguous(void* data, DType dtype, std::vector<std::int64_t> shape, Device device) {
    std::vector<std::int64_t> strides = contiguous_strides(shape);
    return {data, dtype, std::move(shape), std::move(strides), device};
}

TensorView TensorView::rows(void* data, DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                            Device device) {
    return {data, dtype, {rows, columns}, {row_stride, 1}, device};
}

std::int64_t TensorView::elements() const {
    std::int64_t result = 1;
    for (const std::int64_t extent : shape) {
        result *= extent;
    }
    return result;
}

/// Memory and what frees it.
struct Tensor::Storage {
    Storage(std::shared_ptr<Runtime> owner, Device on, Stream in, std::size_t bytes)
        : runtime(std::move(owner)), device(on), stream(in) {
        if (device.kind == Device::Kind::cpu) {
            data = ::operator new(bytes, kCpuAlignment);
            return;
        }
        DeviceContext& context = runtime->device(device.index);
        const cuda::DriverApi& api = context.api();
        const ContextScope scope(api, context.context());
        cuda::DevicePtr address = 0;
        check_driver(api, api.mem_alloc_async(&address, bytes, stream), "cuMemAllocAsync",
                     fmt::format("{} bytes on {}", bytes, name_of(device)));
        std::memcpy(&data, &address, sizeof data);
    }

    ~Storage() {
        if (device.kind == Device::Kind::cpu) {
            ::operator delete(data, kCpuAlignment);
            return;
        }
        DeviceContext& context = runtime->device(device.index);
        const cuda::DriverApi& api = context.api();
        if (api.ctx_push_current(context.context()) != cuda::kSuccess) {
            return;  // the driver is gone, and the memory with it
        }
        api.mem_free_async(device_address(data), stream);
        cuda::Context ignored = nullptr;
        api.ctx_pop_current(&ignored);
    }

    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    std::shared_ptr<Runtime> runtime;
    Device device;
    Stream stream;
    void* data = nullptr;
};

Tensor::Tensor() = default;
Tensor::~Tensor() = default;
Tensor::Tensor(Tensor&& other) noexcept
    : view_(std::exchange(other.view_, TensorView{})), storage_(std::move(other.storage_)) {}
Tensor& Tensor::operator=(Tensor&& other) noexcept {
    view_ = std::exchange(other.view_, TensorView{});
    storage_ = std::move(other.storage_);
    return *this;
}

bool Tensor::owns() const { return storage_ != nullptr; }

Tensor Tensor::borrow(TensorView view) {
    Tensor result;
    result.view_ = std::move(view);
    return result;
}

Tensor Tensor::empty(DType dtype, std::vector<std::int64_t> shape, Device device, Stream stream) {
    return TensorAccess::empty(Runtime::process(), dtype, std::move(shape), device, stream);
}

Tensor TensorAccess::empty(const std::shared_ptr<Runtime>& runtime, DType dtype, std::vector<std::int64_t> shape,
                           Device device, Stream stream) {
    const std::size_t bytes = checked_bytes(dtype, shape);
    Tensor result;
    result.view_ = TensorView::contiguous(nullptr, dtype, std::move(shape), device);
    if (bytes > 0) {
        result.storage_ = std::make_unique<Tensor::Storage>(runtime, device, stream, bytes);
        result.view_.data = result.storage_->data;
    }
    return result;
}

void copy(const TensorView& from, const TensorView& to, Stream stream) {
    if (from.dtype != to.dtype || from.shape != to.shape) {
        throw ShapeError(fmt::format("copy: from {} {} to {} {}. Both must have the same dtype and shape.",
                                     name_of(from.dtype), shape_text(from.shape), name_of(to.dtype),
                                     shape_text(to.shape)));
    }
    const std::size_t bytes = checked_bytes(from.dtype, from.shape);
    if (from.strides.size() != from.shape.size() || to.strides.size() != to.shape.size() || !without_gaps(from) ||
        !without_gaps(to)) {
        throw ShapeError(fmt::format("copy: strides {} and {} with shape {}. Both tensors must have no gaps.",
                                     shape_text(from.strides), shape_text(to.strides), shape_text(from.shape)));
    }
    const bool on_cpu = from.device.kind == Device::Kind::cpu && to.device.kind == Device::Kind::cpu;
    const bool one_device = from.device == to.device || from.device.kind != to.device.kind;
    if (!one_device) {
        throw ShapeError(
            fmt::format("copy: from {} to {}. Copy through the CPU.", name_of(from.device), name_of(to.device)));
    }
    if (bytes == 0) {
        return;
    }
    if (on_cpu) {
        std::memmove(to.data, from.data, bytes);
        return;
    }
    copy_on_device(*Runtime::process(), from, to, bytes, stream);
}

void synchronize(Device device, Stream stream) {
    if (device.kind == Device::Kind::cpu) {
        return;
    }
    DeviceContext& context = Runtime::process()->device(device.index);
    const ContextScope scope(context.api(), context.context());
    check_driver(context.api(), context.api().stream_synchronize(stream), "cuStreamSynchronize");
}

int cuda_device_count() {
    const cuda::DriverApi& api = Runtime::process()->driver();
    int count = 0;
    check_driver(api, api.device_get_count(&count), "cuDeviceGetCount");
    return count;
}

}  // namespace tilejit
