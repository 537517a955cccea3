/// \file The arguments of launches, as the driver takes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/launch/launch.h"

namespace tilejit {

/// Bytes of a workspace with `batch` rows. Throws `ShapeError` when they overflow.
std::size_t bytes_of(const Workspace& workspace, std::int64_t batch);

/// The arguments of one launch after the other. The driver reads as many bytes of each slot as the
/// kernel's parameter has.
class ArgumentPack {
public:
    /// `workspace` is the address of the call's.
    ArgumentPack(const LoadedProgram& program, const LaunchRequest& request, std::uint64_t workspace)
        : program_(program), request_(request), workspace_(workspace) {}

    /// Valid until the next call.
    void** fill(const KernelLaunch& kernel);

private:
    static constexpr std::size_t kMaxArgs = 64;
    static constexpr std::size_t kMaxMaps = 8;
    struct alignas(8) Slot : std::array<std::byte, 8> {};

    void write(Slot& slot, const KernelArg& arg) const;
    void* add_map(const KernelArg& arg);
    std::uint64_t address(std::string_view name) const;

    const LoadedProgram& program_;
    const LaunchRequest& request_;
    std::uint64_t workspace_;
    std::array<Slot, kMaxArgs> slots_{};
    std::array<void*, kMaxArgs> pointers_{};
    std::array<cuda::TensorMap, kMaxMaps> maps_{};
    std::size_t map_count_ = 0;
};

}  // namespace tilejit
