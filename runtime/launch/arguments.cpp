#include "runtime/launch/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime/launch/tensor_maps.h"
#include "tilejit/error.h"

namespace tilejit {
namespace {

template <class Range>
const auto& named(const Range& range, std::string_view name) {
    for (const auto& item : range) {
        if (item.name == name) {
            return item;
        }
    }
    throw InternalError(fmt::format("internal error: the launch plan names `{}`, which the call does not have", name));
}

}  // namespace

std::size_t bytes_of(const Workspace& workspace, std::int64_t batch) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(workspace.bytes_per_row, batch, &bytes) ||
        __builtin_add_overflow(bytes, static_cast<std::int64_t>(kWorkspaceAlignment) - 1, &bytes)) {
        throw ShapeError(
            fmt::format("a batch of {} needs a workspace of more than 2^63 bytes ({} bytes a row). Split "
                        "the batch.",
                        batch, workspace.bytes_per_row));
    }
    return static_cast<std::size_t>(bytes) / kWorkspaceAlignment * kWorkspaceAlignment;
}

void** ArgumentPack::fill(const KernelLaunch& kernel) {
    internal_check(kernel.args.size() <= kMaxArgs, "a kernel has too many arguments");
    map_count_ = 0;
    for (std::size_t i = 0; i < kernel.args.size(); ++i) {
        if (kernel.args[i].kind == KernelArg::Kind::tensor_map) {
            pointers_[i] = add_map(kernel.args[i]);
        } else {
            write(slots_[i], kernel.args[i]);
            pointers_[i] = slots_[i].data();
        }
    }
    return pointers_.data();
}

void ArgumentPack::write(Slot& slot, const KernelArg& arg) const {
    const auto put = [&](auto value) { std::memcpy(slot.data(), &value, sizeof value); };
    switch (arg.kind) {
        case KernelArg::Kind::pointer:
            return put(address(arg.name));
        case KernelArg::Kind::row_stride:
            return put(named(request_.tensors, arg.name).row_stride);
        case KernelArg::Kind::batch:
            return put(request_.batch);
        case KernelArg::Kind::param_f32:
            return put(static_cast<float>(named(request_.params, arg.name).value));
        case KernelArg::Kind::param_i32:
            return put(static_cast<std::int32_t>(named(request_.params, arg.name).value));
        case KernelArg::Kind::tensor_map:
            break;
    }
    internal_check(false, "a map is no number");
}

void* ArgumentPack::add_map(const KernelArg& arg) {
    internal_check(map_count_ < kMaxMaps, "a kernel has too many maps");
    MapTensor tensor{address(arg.name), request_.batch, 0};
    if (std::any_of(arg.map.dims.begin(), arg.map.dims.end(), [](const TensorMap::Dim& dim) { return dim.by_row; })) {
        tensor.row_stride = named(request_.tensors, arg.name).row_stride;
    }
    cuda::TensorMap& map = maps_[map_count_++];
    map = TensorMapCache::of_thread().get(program_.device().api(), program_.serial(), arg.map, tensor, arg.name);
    return &map;
}

std::uint64_t ArgumentPack::address(std::string_view name) const {
    std::uint64_t at = workspace_;
    for (const Workspace& workspace : program_.plan().workspaces) {
        if (workspace.name == name) {
            return at;
        }
        at += bytes_of(workspace, request_.batch);
    }
    return named(request_.tensors, name).address;
}

}  // namespace tilejit
