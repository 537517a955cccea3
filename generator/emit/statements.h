/// \file The operations of a role as text.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "generator/emit/lines.h"
#include "generator/emit/phrases.h"
#include "generator/ir/ir.h"

namespace tilejit::emit {

/// One call an operation, commented with the DSL line it came from.
class Statements {
public:
    /// `role` is null for what all threads of the block run.
    Statements(Phrases& phrases, const ir::Role* role, Lines& lines) : phrases_(phrases), role_(role), lines_(lines) {}

    void write(const std::vector<ir::Stmt>& body);

private:
    void block(const std::vector<ir::Stmt>& body);
    void print(const ir::Stmt& stmt);
    void define(ir::ValueId out, const std::string& call);
    void call(const std::string& text);
    void number(ir::ValueId id, const std::string& text);
    std::string operand(ir::ValueId id) const;
    std::string role();
    void find_needed_tiles(const std::vector<ir::Stmt>& body);

    void reduce(const ir::Reduce& op);
    void contract(const ir::Contract& op);
    void send(const ir::SendTo& op);
    void copy(const ir::CopyIn& op);
    void copy(const ir::CopyOut& op);
    void loop(const ir::For& op);
    void loop(const ir::TileLoop& op);

    Phrases& phrases_;
    const ir::Role* role_;
    Lines& lines_;
    std::string where_;                           ///< the comment of the operation that is being written
    std::map<ir::ValueId, std::string> numbers_;  ///< tiles of one number, written where they are used
    std::set<ir::ValueId> needs_tile_;            ///< but for these
};

/// True when an index in `body` mentions the variable.
bool mentions(const std::vector<ir::Stmt>& body, ir::VarId var);

}  // namespace tilejit::emit
