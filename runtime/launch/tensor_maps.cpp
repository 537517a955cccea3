#include "runtime/launch/tensor_maps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <span>

#include "runtime/driver/driver.h"
#include "tilejit/error.h"

namespace tilejit {
namespace {

constexpr std::size_t kMaxRank = 5;

struct Shape {
    std::array<std::uint64_t, kMaxRank> extents{};
    std::array<std::uint64_t, kMaxRank> strides{};  ///< bytes; the innermost dimension has none
    std::array<std::uint32_t, kMaxRank> box{};
};

Shape shape_of(const TensorMap& map, const MapTensor& tensor) {
    Shape shape;
    for (std::size_t d = 0; d < map.dims.size(); ++d) {
        const TensorMap::Dim& dim = map.dims[d];
        shape.extents[d] = static_cast<std::uint64_t>(dim.open ? tensor.batch : dim.extent);
        shape.box[d] = static_cast<std::uint32_t>(dim.box);
        if (d > 0) {
            const std::int64_t stride = dim.stride * (dim.by_row ? tensor.row_stride : 1);
            shape.strides[d - 1] = static_cast<std::uint64_t>(stride) * size_of(map.dtype);
        }
    }
    return shape;
}

}  // namespace

cuda::TensorMap encode(const cuda::DriverApi& api, const TensorMap& map, const MapTensor& tensor,
                       const std::string& name) {
    internal_check(!map.dims.empty() && map.dims.size() <= kMaxRank, "a map has 1 to 5 dimensions");
    const std::size_t rank = map.dims.size();
    const Shape shape = shape_of(map, tensor);
    const std::array<std::uint32_t, kMaxRank> ones{1, 1, 1, 1, 1};
    cuda::TensorMap encoded;
    void* address = reinterpret_cast<void*>(tensor.address);  // NOLINT: device addresses are integers elsewhere
    const cuda::Result result = api.tensor_map_encode_tiled(
        &encoded, map.dtype == DType::f32 ? cuda::kTensorMapFloat32 : cuda::kTensorMapBfloat16,
        static_cast<std::uint32_t>(rank), address, shape.extents.data(), shape.strides.data(), shape.box.data(),
        ones.data(), cuda::kTensorMapInterleaveNone,
        map.swizzled ? cuda::kTensorMapSwizzle128B : cuda::kTensorMapSwizzleNone, cuda::kTensorMapL2Promotion128B,
        cuda::kTensorMapFillZero);
    if (result != cuda::kSuccess) {
        check_driver(api, result, "cuTensorMapEncodeTiled",
                     fmt::format("tensor `{}` at {:#x}, {} of extents {}, strides of {} bytes, boxes of {}", name,
                                 tensor.address, name_of(map.dtype), std::span(shape.extents).first(rank),
                                 std::span(shape.strides).first(rank - 1), std::span(shape.box).first(rank)));
    }
    return encoded;
}

TensorMapCache& TensorMapCache::of_thread() {
    // Not in the thread's own block, which is small and shared by all libraries of the process.
    thread_local auto cache = std::make_unique<TensorMapCache>();
    return *cache;
}

const cuda::TensorMap& TensorMapCache::get(const cuda::DriverApi& api, std::uint64_t program, const TensorMap& map,
                                           const MapTensor& tensor, const std::string& name) {
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;
    std::uint64_t hash = tensor.address ^ (static_cast<std::uint64_t>(tensor.batch) * kMix) ^
                         (reinterpret_cast<std::uintptr_t>(&map) * kMix);
    hash *= kMix;
    Entry& entry = entries_[(hash >> 32U) % kEntries];
    if (entry.program != program || entry.map != &map || entry.tensor != tensor) {
        entry.program = 0;  // what follows may throw
        entry.encoded = encode(api, map, tensor, name);
        entry.map = &map;
        entry.tensor = tensor;
        entry.program = program;
    }
    return entry.encoded;
}

}  // namespace tilejit
