#include <algorithm>

#include "generator/emit/statements.h"

namespace tilejit::emit {
namespace {

bool mentions(const ir::Index& index, ir::VarId var) {
    return std::any_of(index.terms.begin(), index.terms.end(), [&](const auto& term) { return term.first == var; });
}

bool mentions(const std::vector<ir::Span>& at, ir::VarId var) {
    return std::any_of(at.begin(), at.end(), [&](const ir::Span& span) { return mentions(span.origin, var); });
}

}  // namespace

bool mentions(const std::vector<ir::Stmt>& body, ir::VarId var) {
    return std::any_of(body.begin(), body.end(), [&](const ir::Stmt& stmt) {
        return std::visit(
            [&](const auto& op) {
                bool found = false;
                if constexpr (requires { op.at; }) {
                    found = mentions(op.at, var);
                }
                if constexpr (requires { op.position; }) {
                    found = found || mentions(op.position, var);
                }
                if constexpr (requires { op.body; }) {
                    found = found || mentions(op.body, var);
                }
                return found;
            },
            stmt.op);
    });
}

}  // namespace tilejit::emit
