// Setting up the blocks, roles and barriers of a cluster.
#include <algorithm>

#include "generator/interpret/machine.h"

namespace tilejit::interpret {
namespace {

/// Calls `visit` for every statement of the kernel.
template <class Visit>
void for_each_statement(const std::vector<ir::Stmt>& body, Visit&& visit) {
    for (const ir::Stmt& stmt : body) {
        visit(stmt);
        if (const std::vector<ir::Stmt>* inner = ir::body_of(stmt.op)) {
            for_each_statement(*inner, visit);
        }
    }
}

template <class Visit>
void for_each_statement(const ir::Kernel& kernel, Visit&& visit) {
    for_each_statement(kernel.prologue, visit);
    for (const ir::Role& role : kernel.roles) {
        for_each_statement(role.body, visit);
    }
    for_each_statement(kernel.epilogue, visit);
}

/// The buffers of channels that are still as written.
std::vector<bool> queued_buffers(const ir::Kernel& kernel) {
    std::vector<bool> queued(kernel.buffers.size(), false);
    for_each_statement(kernel, [&](const ir::Stmt& stmt) {
        std::visit(
            [&](const auto& op) {
                if constexpr (ir::ChannelUse<std::decay_t<decltype(op)>>) {
                    const ir::Channel& channel = kernel.channels[static_cast<std::size_t>(op.channel)];
                    queued[static_cast<std::size_t>(channel.buffer)] = true;
                }
            },
            stmt.op);
    });
    return queued;
}

/// The buffers that blocks send to.
std::vector<bool> exchanged_buffers(const ir::Kernel& kernel) {
    std::vector<bool> exchanged(kernel.buffers.size(), false);
    for_each_statement(kernel, [&](const ir::Stmt& stmt) {
        if (const auto* send = std::get_if<ir::SendTo>(&stmt.op)) {
            exchanged[static_cast<std::size_t>(send->buffer)] = true;
        }
    });
    return exchanged;
}

bool any(const std::vector<bool>& flags) { return std::find(flags.begin(), flags.end(), true) != flags.end(); }

bool begins_early(const ir::Kernel& kernel) {
    bool early = false;
    for_each_statement(kernel, [&](const ir::Stmt& stmt) {
        early = early || std::holds_alternative<ir::DependencyWait>(stmt.op) ||
                std::holds_alternative<ir::LaunchDependents>(stmt.op);
    });
    return early;
}

}  // namespace

Machine::Machine(const Environment& environment, const ir::Kernel& kernel, const Options& options, bool exact)
    : environment_(environment),
      program_(environment.program),
      kernel_(kernel),
      options_(options),
      shared_(environment.program, kernel),
      numbers_(make_numbers({environment, shared_, queued_buffers(kernel), exact})),
      early_(begins_early(kernel)),
      exchanged_(exchanged_buffers(kernel)),
      half_lowered_(any(queued_buffers(kernel))),
      shadow_(events_),
      random_state_(options.seed) {}

void Machine::add_fiber(int rank, const ir::Role* role, int copy, const std::vector<ir::Stmt>& body, Stage stage,
                        const ClusterPlace& place) {
    std::vector<std::int64_t> variables(program_.variables.size(), 0);
    const std::vector<std::int64_t>& coordinates = place.coordinates[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < kernel_.grid.size(); ++i) {
        variables[static_cast<std::size_t>(kernel_.grid[i])] = coordinates[i];
    }
    if (kernel_.rank >= 0) {
        variables[static_cast<std::size_t>(kernel_.rank)] = rank;
    }
    actors_.push_back({role, copy, rank, kernel_.cluster, place.number});
    tasks_.push_back({Fiber(tasks_.size(), actors_.back(), body, place.range, std::move(variables)), stage});
    Block& block = blocks_[static_cast<std::size_t>(rank)];
    Fiber& fiber = tasks_.back().fiber;
    if (role == nullptr) {
        fiber.warps = block.warps;
        return;
    }
    for (int w = 0; w < role->warps; ++w) {
        warps_.emplace_back(static_cast<Entity>(warps_.size()));
        fiber.warps.push_back(&warps_.back());
        block.warps.push_back(&warps_.back());
    }
}

void Machine::set_up(const ClusterPlace& place) {
    cluster_ = place.number;
    if (!options_.check_global) {
        events_.clear();
        actors_.clear();
    }
    tasks_.clear();
    warps_.clear();
    transfers_.clear();
    streams_.clear();
    stream_epochs_.clear();
    free_waits_.clear();
    refills_.clear();
    meetings_ = 0;
    arrived_ = 0;
    gathering_ = {};
    blocks_.assign(place.coordinates.size(), {});
    for (int rank = 0; rank < static_cast<int>(blocks_.size()); ++rank) {
        Block& block = blocks_[static_cast<std::size_t>(rank)];
        block.cells.assign(shared_.granules, {});
        block.queues = make_queues();
        for (const ir::Sync& sync : kernel_.syncs) {
            block.barriers.emplace_back();
            for (int slot = 0; slot < sync.slots; ++slot) {
                block.barriers.back().emplace_back(sync, slot);
                if (half_lowered_) {
                    block.barriers.back().back().init();
                }
            }
        }
        for (const ir::Role& role : kernel_.roles) {
            for (int copy = 0; copy < role.copies; ++copy) {
                add_fiber(rank, &role, copy, role.body, Stage::roles, place);
            }
        }
        if (!kernel_.prologue.empty()) {
            add_fiber(rank, nullptr, 0, kernel_.prologue, Stage::prologue, place);
        }
        if (!kernel_.epilogue.empty()) {
            add_fiber(rank, nullptr, 0, kernel_.epilogue, Stage::epilogue, place);
        }
    }
    for (Task& task : tasks_) {
        task.fiber.stores = stream(task.fiber.actor->rank, -1, 0, task.fiber.index);
    }
    shadow_.start(static_cast<Entity>(warps_.size()));
    numbers_->start(blocks_.size(), tasks_.size());
    for (Block& block : blocks_) {
        enter_stage(block, Stage::prologue);
    }
}

void Machine::enter_stage(Block& block, Stage stage) {
    block.stage = stage;
    block.running = 0;
    for (const Task& task : tasks_) {
        const bool here = &blocks_[static_cast<std::size_t>(task.fiber.actor->rank)] == &block;
        block.running += here && task.stage == stage ? 1 : 0;
    }
    ++progress_;
    if (block.running == 0 && stage != Stage::left) {
        enter_stage(block, static_cast<Stage>(static_cast<int>(stage) + 1));
    }
}

Event Machine::event_of(const Fiber& fiber, const ir::Stmt& stmt, std::int64_t position, const char* verb) const {
    return {&stmt, fiber.actor, position, fiber.turn(), verb};
}

std::uint32_t Machine::note(const Event& event) {
    events_.push_back(event);
    return static_cast<std::uint32_t>(events_.size() - 1);
}

}  // namespace tilejit::interpret
