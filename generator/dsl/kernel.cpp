// Kernels: their blocks, channels and roles.
#include <fmt/format.h>

#include "generator/dsl/state.h"
#include "generator/manifest/targets.h"

namespace tilejit::dsl {
namespace {

void check_options(const std::string& name, const RoleOptions& options, const ir::Kernel& kernel, Where where) {
    if (options.warps < 1 || options.warps > 32) {
        detail::State::fail(where, fmt::format("role '{}' may have 1 to 32 warps, came {}", name, options.warps));
    }
    if (options.registers != 0 && (options.registers < 24 || options.registers > 240 || options.registers % 8 != 0)) {
        detail::State::fail(where, fmt::format("a thread of role '{}' may have 24 to 240 registers, a multiple of 8, "
                                               "came {}",
                                               name, options.registers));
    }
    if (options.copies < 1 || (options.copies > 1 && !kernel.tiles)) {
        detail::State::fail(where, fmt::format("copies of role '{}' take turns at the tiles of a persistent kernel; "
                                               "came {}",
                                               name, options.copies));
    }
}

}  // namespace

Index KernelBuilder::blocks(const std::string& name, Size count, Where where) {
    ir::Kernel& kernel = state_->kernel(id_, where);
    // A batch of 0 that is baked in launches nothing.
    if (count.per <= 0 && count.constant < (state_->exact_batch == 0 ? 0 : 1)) {
        detail::State::fail(where, fmt::format("a grid needs at least 1 block, came {} '{}'", count.constant, name));
    }
    if (kernel.tiles) {
        detail::State::fail(where, "a persistent kernel has no grid of blocks");
    }
    if (kernel.grid.size() == 3) {
        detail::State::fail(where, "a grid has at most three dimensions");
    }
    const int id = static_cast<int>(state_->program.variables.size());
    const Extent extent{count.per > 0 ? 1 : count.constant, count.per};
    state_->program.variables.push_back({name, static_cast<int>(kernel.grid.size()), extent});
    kernel.grid.push_back(id);
    Index index;
    index.variables = {{id, 1}};
    return index;
}

Tiles KernelBuilder::persistent(const std::string& name, Size count, Where where) {
    ir::Kernel& kernel = state_->kernel(id_, where);
    if (!kernel.grid.empty() || kernel.tiles) {
        detail::State::fail(where,
                            fmt::format("the blocks of the kernel are given already; '{}' comes too late", name));
    }
    if (count.per <= 0 && count.constant < (state_->exact_batch == 0 ? 0 : 1)) {
        detail::State::fail(
            where, fmt::format("a persistent kernel needs at least 1 tile, came {} '{}'", count.constant, name));
    }
    kernel.tiles = Extent{count.per > 0 ? 1 : count.constant, count.per};
    return {id_};
}

Index KernelBuilder::cluster(const std::string& name, int blocks, Where where) {
    ir::Kernel& kernel = state_->kernel(id_, where);
    const auto limit = manifest::find_architecture(state_->program.arch)->clusters;
    if (!kernel.tiles || kernel.rank >= 0 || !kernel.channels.empty()) {
        detail::State::fail(where, "a cluster is made once, after persistent() and before the channels");
    }
    if (blocks < 1 || blocks > limit) {
        detail::State::fail(where, fmt::format("a cluster on {} may have 1 to {} blocks, came {}", state_->program.arch,
                                               limit, blocks));
    }
    kernel.cluster = blocks;
    kernel.rank = static_cast<ir::VarId>(state_->program.variables.size());
    state_->program.variables.push_back({name, -1, {blocks, 0}});
    Index index;
    index.variables = {{kernel.rank, 1}};
    return index;
}

void KernelBuilder::min_blocks(int count, Where where) { state_->kernel(id_, where).min_blocks = count; }

void KernelBuilder::role(const std::string& name, RoleOptions options, const std::function<void(RoleBuilder&)>& body,
                         Where where) {
    ir::Kernel& kernel = state_->kernel(id_, where);
    check_options(name, options, kernel, where);
    ir::Role role{name, options.warps, options.copies, options.registers, {}};
    RoleBuilder builder(state_.get());
    state_->open(role.body);
    body(builder);
    state_->close();
    kernel.roles.push_back(std::move(role));
}

}  // namespace tilejit::dsl
