#include "runtime/launch/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "runtime/launch/arguments.h"
#include "runtime/launch/launch_setup.h"
#include "tilejit/error.h"

namespace tilejit {

namespace {

constexpr std::int64_t kMaxGridX = INT_MAX;
constexpr std::int64_t kMaxGridYz = 65535;

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

struct Grid {
    std::int64_t x = 1;
    std::int64_t y = 1;
    std::int64_t z = 1;
};

/// Of a persistent kernel: a cluster for each tile, but no more than run at once.
Grid grid_of(const KernelLaunch& kernel, std::int64_t batch, int resident) {
    if (kernel.tiles) {
        return {kernel.cluster * std::min<std::int64_t>(resident, kernel.tiles->at(batch)), 1, 1};
    }
    return {kernel.grid[0].at(batch), kernel.grid[1].at(batch), kernel.grid[2].at(batch)};
}

void launch_all(const LoadedProgram& program, const LaunchRequest& request, std::uint64_t workspace) {
    const cuda::DriverApi& api = program.device().api();
    const LaunchPlan& plan = program.plan();
    ArgumentPack arguments(program, request, workspace);
    for (std::size_t i = 0; i < plan.launches.size(); ++i) {
        const KernelLaunch& kernel = plan.launches[i];
        LaunchSetup setup(kernel, request.overlap);
        cuda::LaunchConfig& config = setup.config;
        const Grid grid = grid_of(kernel, request.batch, program.resident(i));
        config.grid_x = static_cast<unsigned>(grid.x);
        config.grid_y = static_cast<unsigned>(grid.y);
        config.grid_z = static_cast<unsigned>(grid.z);
        config.stream = request.stream;
        const cuda::Result result = api.launch_kernel_ex(&config, program.function(i), arguments.fill(kernel), nullptr);
        if (result != cuda::kSuccess) {
            check_driver(api, result, "cuLaunchKernelEx",
                         fmt::format("kernel {} on device cuda:{}, grid {}x{}x{} in clusters of {}, {} threads, {} "
                                     "bytes of shared memory",
                                     kernel.symbol, program.device().index(), config.grid_x, config.grid_y,
                                     config.grid_z, kernel.cluster, config.block_x, config.shared_bytes));
        }
    }
}

/// What kernels count in 32 bits: tiles, and where boxes of the copy engine begin.
void check_counts(const KernelLaunch& kernel, std::int64_t batch) {
    const bool maps = std::any_of(kernel.args.begin(), kernel.args.end(),
                                  [](const KernelArg& arg) { return arg.kind == KernelArg::Kind::tensor_map; });
    if ((kernel.tiles && kernel.tiles->at(batch) > INT_MAX) || (maps && batch > INT_MAX)) {
        throw ShapeError(
            fmt::format("a batch of {} is more than kernel {} can count to. Split the batch into several "
                        "calls of at most {}.",
                        batch, kernel.symbol, INT_MAX));
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
        check_counts(kernel, batch);
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
