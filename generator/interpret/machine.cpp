#include "generator/interpret/machine.h"

#include <fmt/format.h>

#include <algorithm>

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

bool begins_early(const ir::Kernel& kernel) {
    bool early = false;
    for_each_statement(kernel, [&](const ir::Stmt& stmt) {
        early = early || std::holds_alternative<ir::DependencyWait>(stmt.op) ||
                std::holds_alternative<ir::LaunchDependents>(stmt.op);
    });
    return early;
}

/// Where another role may see what was done, so that it matters who goes next.
bool seen_by_others(const ir::Op& op) {
    return std::visit(ir::Overload{
                          [](const ir::Synchronisation auto&) { return true; },
                          [](const ir::ChannelUse auto&) { return true; },
                          [](const ir::EngineCopy auto&) { return true; },
                          [](const ir::OneOf<ir::SharedLoad, ir::SharedStore, ir::SendTo> auto&) { return true; },
                          [](const ir::OneOf<ir::Load, ir::Store, ir::Constant, ir::Parameter, ir::Map, ir::Reduce,
                                             ir::Contract, ir::Split, ir::Select, ir::Mma> auto&) { return false; },
                          [](const ir::Loop auto&) { return false; },
                      },
                      op);
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
      shadow_(events_),
      random_state_(options.seed) {}

std::uint64_t Machine::random() {
    random_state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = random_state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

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

Machine::Task* Machine::choose() {
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        const std::size_t at = (last_chosen_ + i) % tasks_.size();
        const Task& task = tasks_[at];
        if (!task.fiber.finished && task.fiber.blocked_at != progress_ &&
            blocks_[static_cast<std::size_t>(task.fiber.actor->rank)].stage == task.stage) {
            able.push_back(at);
            if (options_.seed == 0) {
                break;
            }
        }
    }
    if (able.empty()) {
        return nullptr;
    }
    last_chosen_ = options_.seed == 0 ? able.front() : able[random() % able.size()];
    return &tasks_[last_chosen_];
}

void Machine::run(const ClusterPlace& place) {
    set_up(place);
    const bool late = options_.seed % 3 == 0;
    while (true) {
        if (!late && !transfers_.empty() && random() % 3 == 0) {
            land(random() % transfers_.size());
        } else if (Task* task = choose()) {
            run(*task);
        } else if (!transfers_.empty()) {
            land(options_.seed == 0 ? 0 : random() % transfers_.size());
        } else {
            break;
        }
    }
    check_end();
}

void Machine::run(Task& task) {
    while (const ir::Stmt* stmt = task.fiber.current(*numbers_)) {
        if (!step(task.fiber, *stmt)) {
            task.fiber.blocked_at = progress_;
            return;
        }
        if (options_.seed != 0 && seen_by_others(stmt->op) && random() % 2 == 0) {
            return;
        }
    }
    finish(task);
}

bool Machine::step(Fiber& fiber, const ir::Stmt& stmt) {
    return std::visit(ir::Overload{
                          [&](const ir::For& op) {
                              fiber.enter(stmt, op,
                                          op.param ? static_cast<std::int64_t>(
                                                         environment_.params[static_cast<std::size_t>(*op.param)])
                                                   : op.count,
                                          *numbers_);
                              return true;
                          },
                          [&](const ir::TileLoop& op) {
                              fiber.enter(stmt, op);
                              return true;
                          },
                          [&](const ir::OneOf<ir::Constant, ir::Parameter, ir::Map, ir::Reduce, ir::Contract, ir::Split,
                                              ir::Mma> auto& op) {
                              numbers_->run(fiber.index, op);
                              fiber.advance();
                              return true;
                          },
                          [&](const ir::Select& op) {
                              numbers_->run(fiber.index, op, fiber.evaluate(op.at));
                              fiber.advance();
                              return true;
                          },
                          [&](const ir::OneOf<ir::Wait, ir::ClusterBarrier, ir::Fill, ir::Acquire> auto& op) {
                              const bool may_go = ready(fiber, stmt, op);
                              if (may_go) {
                                  fiber.advance();
                              }
                              return may_go;
                          },
                          [&](const ir::OneOf<ir::Load, ir::Store, ir::SharedLoad, ir::SharedStore, ir::Barrier,
                                              ir::InitSyncs, ir::Arrive, ir::Expect, ir::ProxyFence, ir::DependencyWait,
                                              ir::LaunchDependents, ir::CopyIn, ir::CopyOut, ir::CopyDone, ir::SendTo,
                                              ir::Release, ir::Drain, ir::Send> auto& op) {
                              run(fiber, stmt, op);
                              fiber.advance();
                              return true;
                          },
                      },
                      stmt.op);
}

void Machine::finish(Task& task) {
    Fiber& fiber = task.fiber;
    fiber.finished = true;
    for (const Transfer& transfer : transfers_) {
        if (transfer.fiber == &fiber && transfer.barrier == nullptr) {
            fault(transfer.event, fmt::format("ends while the copy engine may still read `{}`: nothing waits for the "
                                              "copy out",
                                              buffer_of(transfer.slot).name));
        }
    }
    for (auto& [slot, refill] : refills_) {
        if (refill.fiber == &fiber) {
            std::transform(fiber.warps.begin(), fiber.warps.end(), std::back_inserter(refill.warps),
                           [](const Warp* warp) { return *warp; });
        }
    }
    Block& block = blocks_[static_cast<std::size_t>(fiber.actor->rank)];
    if (--block.running > 0) {
        return;
    }
    enter_stage(block, static_cast<Stage>(static_cast<int>(block.stage) + 1));
    // That a block has received all it waits for does not mean that nothing more comes.
    const bool others_send =
        std::any_of(blocks_.begin(), blocks_.end(), [](const Block& other) { return other.stage <= Stage::roles; });
    if (block.stage == Stage::left && others_send &&
        std::find(exchanged_.begin(), exchanged_.end(), true) != exchanged_.end()) {
        throw ProtocolError(
            fmt::format("kernel `{}`: block {} ends while others may still send to it: the cluster "
                        "does not meet at the end",
                        kernel_.name, fiber.actor->rank));
    }
}

std::string Machine::waiting_for(Fiber& fiber, const ir::Stmt& stmt) {
    if (const auto* wait = std::get_if<ir::Wait>(&stmt.op)) {
        const std::int64_t position = fiber.evaluate(wait->position);
        const PhaseBarrier& state = barrier(fiber.actor->rank, wait->sync, position);
        return fmt::format("phase {} of {}, position {}: {}", phase_of(wait->sync, position) - (wait->before ? 1 : 0),
                           state.name(), position, state.missing());
    }
    if (const auto* fill = std::get_if<ir::Fill>(&stmt.op)) {
        return fmt::format("a free slot of `{}`, position {}",
                           kernel_.channels[static_cast<std::size_t>(fill->channel)].name,
                           fiber.evaluate(fill->position));
    }
    if (const auto* acquire = std::get_if<ir::Acquire>(&stmt.op)) {
        return fmt::format("the tile of `{}`, position {}",
                           kernel_.channels[static_cast<std::size_t>(acquire->channel)].name,
                           fiber.evaluate(acquire->position));
    }
    return fmt::format("all blocks of the cluster: {} of {} are there", arrived_, blocks_.size());
}

void Machine::report_deadlock() {
    std::string text = fmt::format("kernel `{}`: every role waits for another:", kernel_.name);
    for (Task& task : tasks_) {
        const Block& block = blocks_[static_cast<std::size_t>(task.fiber.actor->rank)];
        if (!task.fiber.finished && block.stage == task.stage) {
            const ir::Stmt& stmt = *task.fiber.current(*numbers_);
            text += fmt::format("\n  {}: {}{} waits for {}", interpret::place(stmt.at), task.fiber.actor->name(),
                                task.fiber.turn() >= 0 ? fmt::format(" (turn {})", task.fiber.turn()) : "",
                                waiting_for(task.fiber, stmt));
        }
    }
    throw ProtocolError(text);
}

void Machine::check_end() {
    for (const Block& block : blocks_) {
        if (block.stage != Stage::left) {
            report_deadlock();
        }
    }
    for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
        for (const std::vector<PhaseBarrier>& slots : blocks_[rank].barriers) {
            for (const PhaseBarrier& state : slots) {
                if (!state.open().empty()) {
                    throw ProtocolError(fmt::format("kernel `{}`: block {} ends inside phase {} of {}: {}",
                                                    kernel_.name, rank, state.phases(), state.name(), state.open()));
                }
            }
        }
    }
    for (auto& [slot, refill] : refills_) {
        check_refill(refill);
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
