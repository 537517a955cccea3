/// \file Tensors: views of memory that the caller owns, and tensors that own theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tilejit/dtype.h"

/// CUDA's stream, under the name that `cuda.h` and `cuda_runtime.h` give it.
struct CUstream_st;

namespace tilejit {

/// `CUstream` of the driver API, `cudaStream_t` of the runtime API; null is the legacy default stream.
using Stream = CUstream_st*;

/// Where memory lives: the CPU, or the CUDA device with an index as the driver counts them.
struct Device {
    enum class Kind { cpu, cuda };
    Kind kind = Kind::cpu;
    int index = 0;  ///< 0 for the CPU

    static constexpr Device cpu() { return {Kind::cpu, 0}; }
    static constexpr Device cuda(int index = 0) { return {Kind::cuda, index}; }
    bool operator==(const Device&) const = default;
};

/// `cpu` or `cuda:0`.
std::string name_of(const Device& device);

/// Memory that someone else owns. Cheap to copy. Building one checks nothing; ops check what they are
/// given. An op never writes to its inputs.
struct TensorView {
    void* data = nullptr;  ///< address of the first element, on `device`
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;    ///< elements along each axis, outermost first
    std::vector<std::int64_t> strides;  ///< elements between neighbours along each axis
    Device device;

    /// Rows after rows without gaps.
    static TensorView contiguous(void* data, DType dtype, std::vector<std::int64_t> shape, Device device);

    /// A matrix whose rows are `row_stride` elements apart.
    static TensorView rows(void* data, DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                           Device device);

    std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
    std::int64_t elements() const;  ///< product of the shape; 1 for rank 0
};

/// The strides of a tensor without gaps.
std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape);

/// A tensor, which owns its memory unless it stands for an output that the caller gave. Movable.
///
/// CUDA memory is allocated in a stream and freed in that stream, so using it in another stream
/// needs the same care as any stream-ordered allocation, and the stream must outlive the tensor.
class Tensor {
public:
    Tensor();  ///< no memory, rank 0
    ~Tensor();
    Tensor(Tensor&&) noexcept;
    Tensor& operator=(Tensor&&) noexcept;
    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;

    /// Uninitialised memory without gaps, 256-byte aligned. A tensor without elements has a null
    /// pointer. Throws `ShapeError` for a negative or overflowing shape, `DriverError` when the device
    /// is missing or full, `std::bad_alloc` when the CPU's memory is.
    static Tensor empty(DType dtype, std::vector<std::int64_t> shape, Device device, Stream stream = nullptr);

    /// Stands for memory that the caller keeps alive.
    static Tensor borrow(TensorView view);

    const TensorView& view() const { return view_; }
    operator const TensorView&() const { return view_; }  // NOLINT: a tensor is usable wherever a view is
    void* data() const { return view_.data; }
    const std::vector<std::int64_t>& shape() const { return view_.shape; }
    DType dtype() const { return view_.dtype; }
    Device device() const { return view_.device; }
    bool owns() const;

private:
    friend struct TensorAccess;
    struct Storage;
    TensorView view_;
    std::unique_ptr<Storage> storage_;
};

/// Copies elements between tensors of the same dtype and shape, both without gaps, on the CPU or on
/// one CUDA device. With CUDA memory the copy is queued in `stream`; CPU memory must stay alive and
/// untouched until the stream has passed it. Throws `ShapeError` when the tensors do not fit.
void copy(const TensorView& from, const TensorView& to, Stream stream = nullptr);

/// Waits for everything queued in `stream` of `device`. Nothing to wait for on the CPU. Throws
/// `DriverError`, also for a kernel that failed earlier.
void synchronize(Device device, Stream stream = nullptr);

/// The CUDA devices that the driver sees. Throws `DriverError` when there is no driver.
int cuda_device_count();

}  // namespace tilejit
