// Who goes next, and what is left when nobody can.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "generator/interpret/machine.h"

namespace tilejit::interpret {
namespace {

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

std::uint64_t Machine::random() {
    random_state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = random_state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
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
    if (block.stage == Stage::left && others_send && !half_lowered_ &&
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

}  // namespace tilejit::interpret
