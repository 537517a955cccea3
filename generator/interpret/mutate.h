/// \file Programs that lack a bit of their synchronisation, to see that the interpreter notices.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "generator/ir/ir.h"

namespace tilejit::interpret {

/// A change to one statement of a lowered program.
struct Mutation {
    enum class Kind {
        remove,
        move,   ///< to before statement `to` of its body, counted before the move
        bytes,  ///< announces `bytes` more
    };
    Kind kind = Kind::remove;
    std::size_t kernel = 0;
    std::size_t list = 0;           ///< 0: the prologue, then the roles, then the epilogue
    std::vector<std::size_t> path;  ///< indices of the statements that lead to it, its own last
    std::size_t to = 0;
    int bytes = 0;
    ir::Location at;
    std::string what;  ///< "kernel `mix`, role `load`: without the wait for `rows.free`"
};

/// Each synchronisation removed: in order over kernels, prologue, roles and epilogue.
std::vector<Mutation> removals(const ir::Program& program);

/// `removals`, then what else must be noticed: synchronisation moved across what it protects, other numbers
/// of bytes announced, copies and sends left out.
std::vector<Mutation> mutations(const ir::Program& program);

ir::Program mutated(ir::Program program, const Mutation& mutation);

}  // namespace tilejit::interpret
