#include "generator/interpret/fiber.h"

namespace tilejit::interpret {

std::int64_t Fiber::evaluate(const ir::Index& affine) const {
    std::int64_t sum = affine.constant;
    for (const auto& [var, coefficient] : affine.terms) {
        sum += coefficient * variables_[static_cast<std::size_t>(var)];
    }
    return sum;
}

std::vector<std::int64_t> Fiber::evaluate(const std::vector<ir::Span>& at) const {
    std::vector<std::int64_t> origins;
    origins.reserve(at.size());
    for (const ir::Span& span : at) {
        origins.push_back(evaluate(span.origin));
    }
    return origins;
}

void Fiber::begin_turn(const Frame& frame) {
    if (const auto* loop = std::get_if<ir::For>(&frame.loop->op)) {
        variables_[static_cast<std::size_t>(loop->var)] = frame.turn;
        return;
    }
    const auto& loop = std::get<ir::TileLoop>(frame.loop->op);
    turn_ = frame.turn;
    variables_[static_cast<std::size_t>(loop.turn)] = frame.turn;
    variables_[static_cast<std::size_t>(loop.tile)] = range_.first + frame.turn * range_.clusters;
}

void Fiber::enter(const ir::Stmt& stmt, const ir::For& loop, std::int64_t count, Numbers& numbers) {
    advance();
    for (const ir::For::Carried& carried : loop.carried) {
        numbers.copy(index, carried.init, carried.arg);
    }
    if (count <= 0) {
        for (const ir::For::Carried& carried : loop.carried) {
            numbers.copy(index, carried.arg, carried.out);
        }
        return;
    }
    stack_.push_back({&loop.body, 0, &stmt, 0, count, 1});
    begin_turn(stack_.back());
}

void Fiber::enter(const ir::Stmt& stmt, const ir::TileLoop& loop) {
    advance();
    const std::int64_t every = loop.owned ? actor->cluster_size : 1;
    const std::int64_t first = actor->copy * every + (loop.owned ? actor->rank : 0);
    const std::int64_t turns =
        range_.tiles > range_.first ? (range_.tiles - range_.first + range_.clusters - 1) / range_.clusters : 0;
    if (first < turns) {
        stack_.push_back({&loop.body, 0, &stmt, first, turns, actor->role->copies * every});
        begin_turn(stack_.back());
    }
}

bool Fiber::next_turn(Numbers& numbers) {
    Frame& frame = stack_.back();
    if (frame.loop == nullptr) {
        return false;
    }
    const auto* loop = std::get_if<ir::For>(&frame.loop->op);
    if (loop != nullptr) {
        for (const ir::For::Carried& carried : loop->carried) {
            numbers.copy(index, carried.next, carried.arg);
        }
    }
    frame.turn += frame.step;
    if (frame.turn < frame.count) {
        frame.next = 0;
        begin_turn(frame);
        return true;
    }
    if (loop != nullptr) {
        for (const ir::For::Carried& carried : loop->carried) {
            numbers.copy(index, carried.arg, carried.out);
        }
    } else {
        turn_ = -1;
    }
    stack_.pop_back();
    return true;
}

const ir::Stmt* Fiber::current(Numbers& numbers) {
    while (stack_.back().next == stack_.back().body->size()) {
        if (!next_turn(numbers)) {
            return nullptr;
        }
    }
    return &(*stack_.back().body)[stack_.back().next];
}

}  // namespace tilejit::interpret
