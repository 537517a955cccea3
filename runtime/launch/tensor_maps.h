/// \file Maps for the copy engine, encoded by the driver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "generator/launch_plan.h"
#include "runtime/driver/cuda_api.h"

namespace tilejit {

/// What a map is encoded for besides its plan.
struct MapTensor {
    std::uint64_t address = 0;
    std::int64_t batch = 0;
    std::int64_t row_stride = 0;  ///< elements
    bool operator==(const MapTensor&) const = default;
};

/// Throws `DriverError` that names `tensor` and its shape when the driver refuses the map.
cuda::TensorMap encode(const cuda::DriverApi& api, const TensorMap& map, const MapTensor& tensor,
                       const std::string& name);

/// The maps that a thread encoded last: calls on the same memory encode nothing. Without locks, for each
/// thread has its own.
class TensorMapCache {
public:
    static TensorMapCache& of_thread();

    /// `program` is the program's serial number, and `map` one of its plan's.
    const cuda::TensorMap& get(const cuda::DriverApi& api, std::uint64_t program, const TensorMap& map,
                               const MapTensor& tensor, const std::string& name);

private:
    struct Entry {
        std::uint64_t program = 0;
        const TensorMap* map = nullptr;
        MapTensor tensor;
        cuda::TensorMap encoded;
    };
    static constexpr std::size_t kEntries = 64;
    std::array<Entry, kEntries> entries_;
};

}  // namespace tilejit
