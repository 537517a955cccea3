/// \file Where a role is in its program: a stack of loops that can be left and resumed at any statement.
#pragma once

#include <optional>
#include <vector>

#include "generator/interpret/clock.h"
#include "generator/interpret/events.h"
#include "generator/interpret/numbers.h"

namespace tilejit::interpret {

/// The tiles of a persistent kernel that a cluster takes: `first + turn * clusters`, below `tiles`.
struct TileRange {
    std::int64_t first = 0;
    std::int64_t clusters = 1;
    std::int64_t tiles = 0;
};

class Fiber {
public:
    /// Number `number` of the cluster's. `variables` are the values of block coordinates and rank.
    Fiber(std::size_t number, const Actor& who, const std::vector<ir::Stmt>& body, TileRange range,
          std::vector<std::int64_t> variables)
        : index(number), actor(&who), range_(range), variables_(std::move(variables)) {
        stack_.push_back({&body, 0, nullptr, 0, 0, 0});
    }

    /// The statement to run, or null at the end. Ends turns of loops on the way.
    const ir::Stmt* current(Numbers& numbers);
    /// Goes past the statement.
    void advance() { ++stack_.back().next; }
    /// Goes into a loop of `count` turns.
    void enter(const ir::Stmt& stmt, const ir::For& loop, std::int64_t count, Numbers& numbers);
    void enter(const ir::Stmt& stmt, const ir::TileLoop& loop);

    std::int64_t evaluate(const ir::Index& affine) const;
    std::vector<std::int64_t> evaluate(const std::vector<ir::Span>& at) const;
    /// Of the loop over tiles; -1 outside.
    std::int64_t turn() const { return turn_; }

    std::size_t index;
    const Actor* actor;
    std::vector<Warp*> warps;
    Entity stores = -1;                ///< its copies out
    std::uint32_t copies_started = 0;  ///< of `stores`
    std::uint32_t copies_read = 0;     ///< known to have read their slots
    bool dependency_waited = false;
    bool finished = false;
    std::optional<std::int64_t> meeting;    ///< the meeting of the cluster that it has come to
    std::uint64_t blocked_at = UINT64_MAX;  ///< the machine's progress when it last could not go on

private:
    struct Frame {
        const std::vector<ir::Stmt>* body;
        std::size_t next;
        const ir::Stmt* loop;  ///< null: the role's body
        std::int64_t turn;
        std::int64_t count;  ///< turns; of a loop over tiles, turns at which to stop
        std::int64_t step;
    };
    void begin_turn(const Frame& frame);
    bool next_turn(Numbers& numbers);

    TileRange range_;
    std::vector<std::int64_t> variables_;
    std::vector<Frame> stack_;
    std::int64_t turn_ = -1;
};

}  // namespace tilejit::interpret
