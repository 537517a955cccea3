/// \file Who did what where: what messages about a protocol are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/ir/ir.h"
#include "tilejit/error.h"

namespace tilejit::interpret {

/// A copy of a role in a block, or all threads of the block.
struct Actor {
    const ir::Role* role = nullptr;  ///< null: all threads
    int copy = 0;
    int rank = 0;
    int cluster_size = 1;
    std::int64_t cluster = 0;

    /// "role `mix` of block 1"
    std::string name() const;
};

/// An access to memory, or to a barrier.
struct Event {
    const ir::Stmt* stmt = nullptr;
    const Actor* actor = nullptr;
    std::int64_t position = -1;    ///< of a channel; -1 where there is none
    std::int64_t turn = -1;        ///< of the loop over tiles; -1 outside
    const char* verb = "uses it";  ///< of an access: "reads it"
};

/// "kernel.cpp:31"
std::string place(const ir::Location& at);
/// "role `mix` reads it at kernel.cpp:31 (position 5, turn 5)"
std::string describe(const Event& event);

/// Throws `ProtocolError`: place, role, turn, and what is wrong.
[[noreturn]] void fault(const Event& event, const std::string& what);

}  // namespace tilejit::interpret
