/// \file Trees of integer arithmetic and their evaluation; the parser is in expression_parser.cpp.
#include "generator/manifest/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "generator/manifest/expression_node.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

using Node = Expression::Node;
using Op = Node::Op;

/// Rounds towards minus infinity; nothing on overflow. `b` is not 0.
std::optional<std::int64_t> floor_div(std::int64_t a, std::int64_t b) {
    if (a == INT64_MIN && b == -1) {
        return std::nullopt;
    }
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::optional<std::int64_t> ceil_div(std::int64_t a, std::int64_t b) {
    if (a == INT64_MIN && b == -1) {
        return std::nullopt;
    }
    return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
}

std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
    if (b == -1) {
        return 0;
    }
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

class Evaluator {
public:
    Evaluator(const std::string& text, const std::map<std::string, std::int64_t>& values)
        : text_(text), values_(values) {}

    std::int64_t operator()(const Node& node) const {
        switch (node.op) {
            case Op::constant:
                return node.value;
            case Op::name:
                return look_up(node.name);
            case Op::logical_or:
                return (*this)(*node.args[0]) != 0 || (*this)(*node.args[1]) != 0 ? 1 : 0;
            case Op::logical_and:
                return (*this)(*node.args[0]) != 0 && (*this)(*node.args[1]) != 0 ? 1 : 0;
            case Op::logical_not:
                return (*this)(*node.args[0]) == 0 ? 1 : 0;
            case Op::negate:
                return arithmetic(Op::sub, 0, (*this)(*node.args[0]));
            case Op::min:
            case Op::max:
                return extreme(node);
            default:
                return binary(node.op, (*this)(*node.args[0]), (*this)(*node.args[1]));
        }
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw ManifestError(fmt::format("expression \"{}\": {}", text_, what));
    }

    std::int64_t look_up(const std::string& name) const {
        const auto found = values_.find(name);
        if (found == values_.end()) {
            fail(fmt::format("found the name \"{}\", expected one that has a value here", name));
        }
        return found->second;
    }

    std::int64_t extreme(const Node& node) const {
        std::int64_t result = (*this)(*node.args[0]);
        for (const auto& arg : node.args) {
            const std::int64_t value = (*this)(*arg);
            result = node.op == Op::min ? std::min(result, value) : std::max(result, value);
        }
        return result;
    }

    std::int64_t binary(Op op, std::int64_t a, std::int64_t b) const {
        switch (op) {
            case Op::equal:
                return a == b;
            case Op::not_equal:
                return a != b;
            case Op::less:
                return a < b;
            case Op::less_equal:
                return a <= b;
            case Op::greater:
                return a > b;
            case Op::greater_equal:
                return a >= b;
            default:
                return arithmetic(op, a, b);
        }
    }

    std::int64_t arithmetic(Op op, std::int64_t a, std::int64_t b) const {
        if ((op == Op::floor_div || op == Op::mod || op == Op::ceil_div) && b == 0) {
            fail(fmt::format("division of {} by zero", a));
        }
        std::int64_t result = 0;
        bool fits = true;
        std::optional<std::int64_t> quotient;
        switch (op) {
            case Op::add:
                fits = !__builtin_add_overflow(a, b, &result);
                break;
            case Op::sub:
                fits = !__builtin_sub_overflow(a, b, &result);
                break;
            case Op::mul:
                fits = !__builtin_mul_overflow(a, b, &result);
                break;
            case Op::mod:
                result = floor_mod(a, b);
                break;
            default:
                quotient = op == Op::floor_div ? floor_div(a, b) : ceil_div(a, b);
                fits = quotient.has_value();
                result = quotient.value_or(0);
        }
        if (!fits) {
            fail(fmt::format("found a result beyond 64 bits ({} and {}), expected one that fits", a, b));
        }
        return result;
    }

    const std::string& text_;
    const std::map<std::string, std::int64_t>& values_;
};

void collect(const Node& node, std::set<std::string>& names) {
    if (node.op == Op::name) {
        names.insert(node.name);
    }
    for (const auto& arg : node.args) {
        collect(*arg, names);
    }
}

}  // namespace

Expression::Expression() : Expression(constant(0)) {}

Expression::Expression(std::string text, std::shared_ptr<const Node> root)
    : text_(std::move(text)), root_(std::move(root)) {}

Expression Expression::parse(std::string_view text) { return Expression(std::string(text), parse_tree(text)); }

Expression Expression::constant(std::int64_t value) {
    auto node = std::make_shared<Node>();
    node->value = value;
    return Expression(std::to_string(value), std::move(node));
}

std::int64_t Expression::evaluate(const std::map<std::string, std::int64_t>& values) const {
    return Evaluator(text_, values)(*root_);
}

std::set<std::string> Expression::names() const {
    std::set<std::string> result;
    collect(*root_, result);
    return result;
}

}  // namespace tilejit::manifest
