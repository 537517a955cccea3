/// \file Which accesses of a role to shared memory need a barrier between them.
///
/// Followed in the order in which a role runs: `conflicts` before each operation, then `add`. Accesses
/// conflict when one is a write and threads may disagree about which comes first: always of tiles that the
/// role shares with itself; of a channel's slot, when different threads touch an element. Elements that
/// differ in an index by a loop's counter are different ones.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "generator/ir/ir.h"

namespace tilejit::ir {

class Hazards {
public:
    Hazards(const Program& program, const Kernel& kernel);

    /// True when the operation needs a barrier between it and what came before it.
    bool conflicts(const Op& op) const;
    void add(const Op& op);
    void barrier();

    /// Around a loop: before its first turn, and between one turn and the next.
    void enter(const Op& loop);
    void next_turn(const Op& loop);
    /// Also what came before on another way here.
    void merge(const Hazards& other);

private:
    enum class Vary { differs, any };  ///< how a counter was, compared with now
    struct Touch {
        bool write = false;
        BufferId buffer = -1;
        Index position;
        std::vector<Span> at;  ///< none: the whole slot
        ValueId value = -1;
        std::map<VarId, Vary> vary;  ///< counters not named are as they were
        bool operator==(const Touch&) const = default;
    };

    static std::optional<Touch> touch(const Op& op);
    bool conflict(const Touch& before, const Touch& now) const;
    bool apart(const Touch& before, const Touch& now, std::size_t dim) const;
    bool same_place(const Touch& before, const Touch& now) const;
    bool same_threads(const Touch& before, const Touch& now) const;
    bool inside(ValueId id, int thread, int slot) const;
    bool every_thread_sends(ValueId id) const;
    int reach(const Span& span) const;
    int extent(AxisId axis) const { return program_->axes[static_cast<std::size_t>(axis)].extent; }
    const Value& value(ValueId id) const { return program_->values[static_cast<std::size_t>(id)]; }

    const Program* program_;
    const Kernel* kernel_;
    std::vector<bool> of_channel_;   ///< by buffer
    std::vector<bool> of_exchange_;  ///< by buffer
    std::vector<Touch> touches_;
    bool received_ = false;  ///< an exchanged tile was read since the last barrier
};

}  // namespace tilejit::ir
