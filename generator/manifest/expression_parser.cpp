/// \file Recursive descent over `or < and < not < comparison < sum < product < unary minus < atom`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "generator/manifest/expression_lexer.h"
#include "generator/manifest/expression_node.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

using Node = Expression::Node;
using Op = Node::Op;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxText = 4096;

constexpr std::array<std::pair<std::string_view, Op>, 6> kComparisons{{{"==", Op::equal},
                                                                       {"!=", Op::not_equal},
                                                                       {"<", Op::less},
                                                                       {"<=", Op::less_equal},
                                                                       {">", Op::greater},
                                                                       {">=", Op::greater_equal}}};
constexpr std::array<std::pair<std::string_view, Op>, 2> kSums{{{"+", Op::add}, {"-", Op::sub}}};
constexpr std::array<std::pair<std::string_view, Op>, 3> kProducts{
    {{"*", Op::mul}, {"//", Op::floor_div}, {"%", Op::mod}}};
constexpr std::array<std::pair<std::string_view, Op>, 3> kFunctions{
    {{"min", Op::min}, {"max", Op::max}, {"ceil_div", Op::ceil_div}}};
constexpr std::array<std::string_view, 3> kKeywords{"and", "or", "not"};

template <std::size_t N>
const Op* find_op(const std::array<std::pair<std::string_view, Op>, N>& table, std::string_view text) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.first == text; });
    return found == table.end() ? nullptr : &found->second;
}

bool is_keyword(std::string_view word) {
    return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

class Parser {
public:
    explicit Parser(std::string_view text) : lexer_(text) {}

    NodePtr parse() {
        NodePtr root = parse_or();
        if (token().kind != Token::Kind::end) {
            fail("an operator or the end");
        }
        return root;
    }

private:
    const Token& token() const { return lexer_.token(); }
    [[noreturn]] void fail(const std::string& expected) const { lexer_.fail(expected); }

    bool is_symbol(std::string_view symbol) const {
        return token().kind == Token::Kind::symbol && token().text == symbol;
    }
    bool is_word(std::string_view word) const { return token().kind == Token::Kind::name && token().text == word; }

    NodePtr make(Op op, std::vector<NodePtr> args) const {
        auto node = std::make_shared<Node>();
        node->op = op;
        for (const NodePtr& arg : args) {
            node->depth = std::max(node->depth, arg->depth + 1);
        }
        check_depth(node->depth);
        node->args = std::move(args);
        return node;
    }

    void check_depth(int depth) const {
        if (depth > kMaxDepth) {
            lexer_.fail_at(token().column, "operators nested too deeply", fmt::format("at most {} levels", kMaxDepth));
        }
    }

    NodePtr parse_or() {
        NodePtr left = parse_and();
        while (is_word("or")) {
            lexer_.advance();
            left = make(Op::logical_or, {left, parse_and()});
        }
        return left;
    }

    NodePtr parse_and() {
        NodePtr left = parse_not();
        while (is_word("and")) {
            lexer_.advance();
            left = make(Op::logical_and, {left, parse_not()});
        }
        return left;
    }

    NodePtr parse_not() {
        if (!is_word("not")) {
            return parse_comparison();
        }
        const Nested nested(*this);
        lexer_.advance();
        return make(Op::logical_not, {parse_not()});
    }

    const Op* comparison() const {
        return token().kind == Token::Kind::symbol ? find_op(kComparisons, token().text) : nullptr;
    }

    NodePtr parse_comparison() {
        NodePtr left = parse_chain(kSums, &Parser::parse_product);
        const Op* op = comparison();
        if (op == nullptr) {
            return left;
        }
        lexer_.advance();
        NodePtr result = make(*op, {left, parse_chain(kSums, &Parser::parse_product)});
        if (comparison() != nullptr) {
            fail("no second comparison: write `a < b and b < c`");
        }
        return result;
    }

    NodePtr parse_product() { return parse_chain(kProducts, &Parser::parse_unary); }

    template <std::size_t N>
    NodePtr parse_chain(const std::array<std::pair<std::string_view, Op>, N>& table, NodePtr (Parser::*next)()) {
        NodePtr left = (this->*next)();
        while (token().kind == Token::Kind::symbol) {
            const Op* op = find_op(table, token().text);
            if (op == nullptr) {
                break;
            }
            lexer_.advance();
            left = make(*op, {left, (this->*next)()});
        }
        return left;
    }

    NodePtr parse_unary() {
        if (!is_symbol("-")) {
            return parse_atom();
        }
        const Nested nested(*this);
        lexer_.advance();
        return make(Op::negate, {parse_unary()});
    }

    NodePtr parse_atom() {
        if (token().kind == Token::Kind::number) {
            auto node = std::make_shared<Node>();
            node->value = token().value;
            lexer_.advance();
            return node;
        }
        if (is_symbol("(")) {
            const Nested nested(*this);
            lexer_.advance();
            NodePtr inner = parse_or();
            expect(")", "an operator or `)`");
            return inner;
        }
        if (token().kind == Token::Kind::name && !is_keyword(token().text)) {
            return parse_name();
        }
        fail("a number, a name or `(`");
    }

    NodePtr parse_name() {
        const Token name = token();
        lexer_.advance();
        const Op* function = find_op(kFunctions, name.text);
        if (function != nullptr) {
            return parse_call(*function, name);
        }
        if (is_symbol("(")) {
            lexer_.fail_at(name.column, fmt::format("the function \"{}\"", name.text), "min, max or ceil_div");
        }
        auto node = std::make_shared<Node>();
        node->op = Op::name;
        node->name = std::string(name.text);
        return node;
    }

    NodePtr parse_call(Op function, const Token& name) {
        const Nested nested(*this);
        expect("(", fmt::format("`(` after {}", name.text));
        std::vector<NodePtr> args{parse_or()};
        while (is_symbol(",")) {
            lexer_.advance();
            args.push_back(parse_or());
        }
        expect(")", "an operator, `,` or `)`");
        const bool right = function == Op::ceil_div ? args.size() == 2 : args.size() >= 2;
        if (!right) {
            lexer_.fail_at(name.column,
                           fmt::format("{} with {} argument{}", name.text, args.size(), args.size() == 1 ? "" : "s"),
                           function == Op::ceil_div ? "2 arguments" : "at least 2 arguments");
        }
        return make(function, std::move(args));
    }

    void expect(std::string_view symbol, const std::string& expected) {
        if (!is_symbol(symbol)) {
            fail(expected);
        }
        lexer_.advance();
    }

    /// Counts the parser's own recursion, which is deeper than the tree for `((((1))))`.
    class Nested {
    public:
        explicit Nested(Parser& parser) : parser_(parser) { parser_.check_depth(++parser_.nesting_); }
        ~Nested() { --parser_.nesting_; }
        Nested(const Nested&) = delete;
        Nested& operator=(const Nested&) = delete;

    private:
        Parser& parser_;
    };

    Lexer lexer_;
    int nesting_ = 0;
};

}  // namespace

std::shared_ptr<const Expression::Node> parse_tree(std::string_view text) {
    if (text.size() > kMaxText) {
        throw ManifestError(fmt::format("expression: found {} characters, expected at most {}", text.size(), kMaxText));
    }
    return Parser(text).parse();
}

bool is_reserved_word(std::string_view word) { return is_keyword(word) || find_op(kFunctions, word) != nullptr; }

}  // namespace tilejit::manifest
