#include "generator/ir/hazards.h"

#include <algorithm>

namespace tilejit::ir {
namespace {

bool mentions(const Index& index, VarId var) {
    return std::any_of(index.terms.begin(), index.terms.end(), [&](const auto& term) { return term.first == var; });
}

std::vector<VarId> counters(const Op& loop) {
    if (const auto* turns = std::get_if<For>(&loop)) {
        return {turns->var};
    }
    const auto& tiles = std::get<TileLoop>(loop);
    return {tiles.tile, tiles.turn};
}

}  // namespace

Hazards::Hazards(const Program& program, const Kernel& kernel)
    : program_(&program),
      kernel_(&kernel),
      of_channel_(kernel.buffers.size(), false),
      of_exchange_(kernel.buffers.size(), false) {
    for (const Channel& channel : kernel.channels) {
        of_channel_[static_cast<std::size_t>(channel.buffer)] = true;
        of_exchange_[static_cast<std::size_t>(channel.buffer)] = channel.kind != Channel::Kind::ring;
    }
}

std::optional<Hazards::Touch> Hazards::touch(const Op& op) {
    if (const auto* load = std::get_if<SharedLoad>(&op)) {
        return Touch{false, load->buffer, load->position, load->at, load->out, {}};
    }
    if (const auto* store = std::get_if<SharedStore>(&op)) {
        return Touch{true, store->buffer, store->position, store->at, store->in, {}};
    }
    if (const auto* copy = std::get_if<CopyOut>(&op)) {
        return Touch{false, copy->buffer, copy->position, {}, -1, {}};
    }
    return {};
}

bool Hazards::conflicts(const Op& op) const {
    if (const auto* send = std::get_if<SendTo>(&op)) {
        // What is sent tells other blocks that all threads have read what they received before.
        return received_ && !every_thread_sends(send->in);
    }
    const std::optional<Touch> now = touch(op);
    return now &&
           std::any_of(touches_.begin(), touches_.end(), [&](const Touch& before) { return conflict(before, *now); });
}

void Hazards::add(const Op& op) {
    std::optional<Touch> now = touch(op);
    if (now) {
        received_ = received_ || of_exchange_[static_cast<std::size_t>(now->buffer)];
        if (std::find(touches_.begin(), touches_.end(), *now) == touches_.end()) {
            touches_.push_back(std::move(*now));
        }
    }
}

void Hazards::barrier() {
    touches_.clear();
    received_ = false;
}

void Hazards::enter(const Op& loop) {
    for (const VarId var : counters(loop)) {
        for (Touch& touch : touches_) {
            touch.vary[var] = Vary::any;
        }
    }
}

void Hazards::next_turn(const Op& loop) {
    for (const VarId var : counters(loop)) {
        // Another position of a channel: waiting for it orders what came before.
        std::erase_if(touches_, [&](const Touch& touch) { return mentions(touch.position, var); });
        for (Touch& touch : touches_) {
            touch.vary.try_emplace(var, Vary::differs);
        }
    }
}

void Hazards::merge(const Hazards& other) {
    for (const Touch& touch : other.touches_) {
        if (std::find(touches_.begin(), touches_.end(), touch) == touches_.end()) {
            touches_.push_back(touch);
        }
    }
    received_ = received_ || other.received_;
}

bool Hazards::conflict(const Touch& before, const Touch& now) const {
    if (before.buffer != now.buffer || before.position != now.position || (!before.write && !now.write)) {
        return false;
    }
    if (!of_channel_[static_cast<std::size_t>(now.buffer)] || before.at.empty() || now.at.empty()) {
        return true;
    }
    for (std::size_t d = 0; d < now.at.size(); ++d) {
        if (apart(before, now, d)) {
            return false;
        }
    }
    return !same_place(before, now) || !same_threads(before, now);
}

/// How many neighbouring indices a tile covers.
int Hazards::reach(const Span& span) const {
    int last = 0;
    for (const auto& [axis, step] : span.axes) {
        last += step * (extent(axis) - 1);
    }
    return last + 1;
}

/// True when the indices of a dimension cannot meet.
bool Hazards::apart(const Touch& before, const Touch& now, std::size_t dim) const {
    const Span& a = before.at[dim];
    const Span& b = now.at[dim];
    if (a.origin.terms != b.origin.terms) {
        return false;
    }
    std::int64_t turn = 0;  // what a counter that differs adds at least
    for (const auto& [var, coefficient] : b.origin.terms) {
        const auto found = before.vary.find(var);
        if (found == before.vary.end()) {
            continue;
        }
        if (found->second == Vary::any || turn > 0) {
            return false;
        }
        turn = coefficient;
    }
    const std::int64_t end_a = a.origin.constant + reach(a);
    const std::int64_t end_b = b.origin.constant + reach(b);
    if (turn > 0) {
        return std::max(end_a, end_b) - std::min(a.origin.constant, b.origin.constant) <= turn;
    }
    return end_a <= b.origin.constant || end_b <= a.origin.constant;
}

/// True when both index the slot from the same origin, so that their threads can be compared.
bool Hazards::same_place(const Touch& before, const Touch& now) const {
    for (std::size_t d = 0; d < now.at.size(); ++d) {
        const std::vector<std::pair<VarId, std::int64_t>>& terms = now.at[d].origin.terms;
        if (before.at[d].origin.terms != terms || std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
                return before.vary.contains(term.first);
            })) {
            return false;
        }
    }
    return true;
}

/// True when each element is touched by one thread alone.
bool Hazards::same_threads(const Touch& before, const Touch& now) const {
    std::int64_t elements = 1;
    const Buffer& buffer = kernel_->buffers[static_cast<std::size_t>(now.buffer)];
    for (const AxisId axis : buffer.axes) {
        elements *= extent(axis);
    }
    std::vector<int> thread_of(static_cast<std::size_t>(elements), -1);
    const auto alone = [&](const Touch& touch) {
        const tj::Layout& layout = *value(touch.value).layout;
        for (int thread = 0; thread < layout.threads; ++thread) {
            for (int slot = 0; slot < layout.slots() && (!touch.write || layout.owner(thread)); ++slot) {
                if (!inside(touch.value, thread, slot)) {
                    continue;
                }
                std::int64_t element = 0;
                for (std::size_t d = 0; d < touch.at.size(); ++d) {
                    std::int64_t index = touch.at[d].origin.constant;
                    for (const auto& [axis, step] : touch.at[d].axes) {
                        index += std::int64_t{step} * layout.coord(axis, thread, slot);
                    }
                    element = element * extent(buffer.axes[d]) + index;
                }
                int& first = thread_of[static_cast<std::size_t>(element)];
                if (first != -1 && first != thread) {
                    return false;
                }
                first = thread;
            }
        }
        return true;
    };
    return alone(before) && alone(now);
}

/// False for padding of a tile.
bool Hazards::inside(ValueId id, int thread, int slot) const {
    return std::all_of(value(id).axes.begin(), value(id).axes.end(),
                       [&](AxisId axis) { return value(id).layout->coord(axis, thread, slot) < extent(axis); });
}

bool Hazards::every_thread_sends(ValueId id) const {
    const tj::Layout& layout = *value(id).layout;
    for (int thread = 0; thread < layout.threads; ++thread) {
        bool sends = false;
        for (int slot = 0; slot < layout.slots() && layout.owner(thread) && !sends; ++slot) {
            sends = inside(id, thread, slot);
        }
        if (!sends) {
            return false;
        }
    }
    return true;
}

}  // namespace tilejit::ir
