#include "runtime/launch/launch.h"

#include <fmt/format.h>

#include <array>
#include <climits>
#include <cstring>
#include <utility>

#include "tilejit/error.h"

namespace tilejit {

namespace {

constexpr std::size_t kMaxArgs = 64;
constexpr std::int64_t kMaxGridX = INT_MAX;
constexpr std::int64_t kMaxGridYz = 65535;

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

/// Workspace that lives in the stream for the length of one call.
class StreamWorkspace {
public:
    StreamWorkspace(const cuda::DriverApi& api, std::size_t bytes, cuda::Stream stream) : api_(api), stream_(stream) {
        check_driver(api, api.mem_alloc_async(&address_, bytes, stream), "cuMemAllocAsync",
                     fmt::format("{} bytes of workspace", bytes));
    }
    ~StreamWorkspace() {
        if (address_ != 0) {
            api_.mem_free_async(address_, stream_);
        }
    }
    StreamWorkspace(const StreamWorkspace&) = delete;
    StreamWorkspace& operator=(const StreamWorkspace&) = delete;

    std::uint64_t address() const { return address_; }

    void free() { check_driver(api_, api_.mem_free_async(std::exchange(address_, 0), stream_), "cuMemFreeAsync"); }

private:
    const cuda::DriverApi& api_;
    cuda::Stream stream_;
    cuda::DevicePtr address_ = 0;
};

template <class Range>
const auto& named(const Range& range, std::string_view name) {
    for (const auto& item : range) {
        if (item.name == name) {
            return item;
        }
    }
    throw InternalError(fmt::format("internal error: the launch plan names `{}`, which the call does not have", name));
}

/// The arguments of one launch. The driver reads as many bytes of each slot as the kernel's
/// parameter has.
class ArgumentPack {
public:
    ArgumentPack(const LaunchPlan& plan, const LaunchRequest& request, std::uint64_t workspace)
        : plan_(plan), request_(request), workspace_(workspace) {}

    void** fill(const KernelLaunch& kernel) {
        internal_check(kernel.args.size() <= kMaxArgs, "a kernel has too many arguments");
        for (std::size_t i = 0; i < kernel.args.size(); ++i) {
            write(slots_[i], kernel.args[i]);
            pointers_[i] = slots_[i].data();
        }
        return pointers_.data();
    }

private:
    struct alignas(8) Slot : std::array<std::byte, 8> {};

    void write(Slot& slot, const KernelArg& arg) const {
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
        }
    }

    std::uint64_t address(std::string_view name) const {
        std::uint64_t at = workspace_;
        for (const Workspace& workspace : plan_.workspaces) {
            if (workspace.name == name) {
                return at;
            }
            at += bytes_of(workspace, request_.batch);
        }
        return named(request_.tensors, name).address;
    }

    const LaunchPlan& plan_;
    const LaunchRequest& request_;
    std::uint64_t workspace_;
    std::array<Slot, kMaxArgs> slots_{};
    std::array<void*, kMaxArgs> pointers_{};
};

void launch_all(const LoadedProgram& program, const LaunchRequest& request, std::uint64_t workspace) {
    const cuda::DriverApi& api = program.device().api();
    const LaunchPlan& plan = program.plan();
    ArgumentPack arguments(plan, request, workspace);
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
        const KernelLaunch& kernel = plan.launches[i];
        cuda::LaunchConfig config;
        config.grid_x = static_cast<unsigned>(kernel.grid[0].at(request.batch));
        config.grid_y = static_cast<unsigned>(kernel.grid[1].at(request.batch));
        config.grid_z = static_cast<unsigned>(kernel.grid[2].at(request.batch));
        config.block_x = static_cast<unsigned>(kernel.threads);
        config.shared_bytes = static_cast<unsigned>(kernel.shared_bytes);
        config.stream = request.stream;
        const cuda::Result result = api.launch_kernel_ex(&config, program.function(i), arguments.fill(kernel), nullptr);
        if (result != cuda::kSuccess) {
            check_driver(
                api, result, "cuLaunchKernelEx",
                fmt::format("kernel {} on device cuda:{}, grid {}x{}x{}, {} threads, {} bytes of shared memory",
                            kernel.symbol, program.device().index(), config.grid_x, config.grid_y, config.grid_z,
                            config.block_x, config.shared_bytes));
        }
    }
}

}  // namespace

std::size_t workspace_bytes(const LaunchPlan& plan, std::int64_t batch) {
    std::size_t total = 0;
    for (const Workspace& workspace : plan.workspaces) {
        total += bytes_of(workspace, batch);
    }
    return total;
}

void check_grid(const LaunchPlan& plan, std::int64_t batch) {
    for (const KernelLaunch& kernel : plan.launches) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t limit = axis == 0 ? kMaxGridX : kMaxGridYz;
            const std::int64_t blocks = kernel.grid[axis].at(batch);
            if (blocks > limit) {
                throw ShapeError(
                    fmt::format("a batch of {} needs {} blocks in {} of kernel {}, and a launch has at most "
                                "{}. Split the batch into several calls.",
                                batch, blocks, "xyz"[axis], kernel.symbol, limit));
            }
        }
    }
}

void launch(const LoadedProgram& program, const LaunchRequest& request) {
    check_grid(program.plan(), request.batch);
    const std::size_t bytes = workspace_bytes(program.plan(), request.batch);
    if (bytes == 0 || request.workspace != 0) {
        launch_all(program, request, request.workspace);
        return;
    }
    StreamWorkspace workspace(program.device().api(), bytes, request.stream);
    launch_all(program, request, workspace.address());
    workspace.free();
}

}  // namespace tilejit
