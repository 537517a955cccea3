/// \file Recursive descent over `or < and < not < comparison < sum < product < unary minus < atom`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "generator/manifest/expression_node.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

using Node = Expression::Node;
using Op = Node::Op;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxText = 4096;

// ASCII only, whatever the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t'; }

struct Token {
    enum class Kind { number, name, symbol, end };
    Kind kind = Kind::end;
    std::string_view text;
    std::size_t column = 0;  ///< from 1
    std::int64_t value = 0;
};

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
    explicit Parser(std::string_view text) : text_(text) {
        if (text.size() > kMaxText) {
            throw ManifestError(
                fmt::format("expression: found {} characters, expected at most {}", text.size(), kMaxText));
        }
        advance();
    }

    NodePtr parse() {
        NodePtr root = parse_or();
        if (token_.kind != Token::Kind::end) {
            fail("an operator or the end");
        }
        return root;
    }

private:
    [[noreturn]] void fail_at(std::size_t column, const std::string& found, const std::string& expected) const {
        throw ManifestError(
            fmt::format("expression \"{}\", column {}: found {}, expected {}", text_, column, found, expected));
    }

    [[noreturn]] void fail(const std::string& expected) const {
        fail_at(token_.column, token_.kind == Token::Kind::end ? "the end" : fmt::format("\"{}\"", token_.text),
                expected);
    }

    void advance() {
        while (at_ < text_.size() && is_space(text_[at_])) {
            ++at_;
        }
        const std::size_t start = at_;
        token_ = Token{Token::Kind::end, {}, start + 1, 0};
        if (at_ == text_.size()) {
            return;
        }
        if (is_digit(text_[at_])) {
            read_number();
        } else if (is_name_start(text_[at_])) {
            at_ = start + span(start, is_name_char);
            token_.kind = Token::Kind::name;
        } else {
            read_symbol();
        }
        token_.text = text_.substr(start, at_ - start);
    }

    std::size_t span(std::size_t start, bool (*belongs)(char)) const {
        std::size_t end = start;
        while (end < text_.size() && belongs(text_[end])) {
            ++end;
        }
        return end - start;
    }

    void read_number() {
        const std::size_t start = at_;
        std::int64_t value = 0;
        for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
            if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
                __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'}, &value)) {
                fail_at(start + 1, fmt::format("\"{}\"", text_.substr(start, span(start, is_digit))),
                        "an integer of at most 9223372036854775807");
            }
        }
        if (at_ < text_.size() && (is_name_start(text_[at_]) || text_[at_] == '.')) {
            fail_at(at_ + 1, fmt::format("\"{}\" after a number", text_[at_]), "an integer followed by an operator");
        }
        token_.kind = Token::Kind::number;
        token_.value = value;
    }

    void read_symbol() {
        static constexpr std::array<std::string_view, 14> kSymbols{"==", "!=", "<=", ">=", "//", "<", ">",
                                                                   "+",  "-",  "*",  "%",  "(",  ")", ","};
        const std::string_view rest = text_.substr(at_);
        for (const std::string_view symbol : kSymbols) {
            if (rest.substr(0, symbol.size()) == symbol) {
                token_.kind = Token::Kind::symbol;
                at_ += symbol.size();
                return;
            }
        }
        const auto byte = static_cast<unsigned char>(rest[0]);
        const std::string found =
            byte > 0x20 && byte < 0x7f ? fmt::format("\"{}\"", rest[0]) : fmt::format("byte {:#04x}", byte);
        fail_at(at_ + 1, found, "a number, a name or one of == != < <= > >= + - * // % ( ) ,");
    }

    bool is_symbol(std::string_view symbol) const {
        return token_.kind == Token::Kind::symbol && token_.text == symbol;
    }
    bool is_word(std::string_view word) const { return token_.kind == Token::Kind::name && token_.text == word; }

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
            fail_at(token_.column, "operators nested too deeply", fmt::format("at most {} levels", kMaxDepth));
        }
    }

    NodePtr parse_or() {
        NodePtr left = parse_and();
        while (is_word("or")) {
            advance();
            left = make(Op::logical_or, {left, parse_and()});
        }
        return left;
    }

    NodePtr parse_and() {
        NodePtr left = parse_not();
        while (is_word("and")) {
            advance();
            left = make(Op::logical_and, {left, parse_not()});
        }
        return left;
    }

    NodePtr parse_not() {
        if (!is_word("not")) {
            return parse_comparison();
        }
        const Nested nested(*this);
        advance();
        return make(Op::logical_not, {parse_not()});
    }

    const Op* comparison() const {
        return token_.kind == Token::Kind::symbol ? find_op(kComparisons, token_.text) : nullptr;
    }

    NodePtr parse_comparison() {
        NodePtr left = parse_chain(kSums, &Parser::parse_product);
        const Op* op = comparison();
        if (op == nullptr) {
            return left;
        }
        advance();
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
        while (token_.kind == Token::Kind::symbol) {
            const Op* op = find_op(table, token_.text);
            if (op == nullptr) {
                break;
            }
            advance();
            left = make(*op, {left, (this->*next)()});
        }
        return left;
    }

    NodePtr parse_unary() {
        if (!is_symbol("-")) {
            return parse_atom();
        }
        const Nested nested(*this);
        advance();
        return make(Op::negate, {parse_unary()});
    }

    NodePtr parse_atom() {
        if (token_.kind == Token::Kind::number) {
            auto node = std::make_shared<Node>();
            node->value = token_.value;
            advance();
            return node;
        }
        if (is_symbol("(")) {
            const Nested nested(*this);
            advance();
            NodePtr inner = parse_or();
            expect(")", "an operator or `)`");
            return inner;
        }
        if (token_.kind == Token::Kind::name && !is_keyword(token_.text)) {
            return parse_name();
        }
        fail("a number, a name or `(`");
    }

    NodePtr parse_name() {
        const Token name = token_;
        advance();
        const Op* function = find_op(kFunctions, name.text);
        if (function != nullptr) {
            return parse_call(*function, name);
        }
        if (is_symbol("(")) {
            fail_at(name.column, fmt::format("the function \"{}\"", name.text), "min, max or ceil_div");
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
            advance();
            args.push_back(parse_or());
        }
        expect(")", "an operator, `,` or `)`");
        const bool right = function == Op::ceil_div ? args.size() == 2 : args.size() >= 2;
        if (!right) {
            fail_at(name.column,
                    fmt::format("{} with {} argument{}", name.text, args.size(), args.size() == 1 ? "" : "s"),
                    function == Op::ceil_div ? "2 arguments" : "at least 2 arguments");
        }
        return make(function, std::move(args));
    }

    void expect(std::string_view symbol, const std::string& expected) {
        if (!is_symbol(symbol)) {
            fail(expected);
        }
        advance();
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

    std::string_view text_;
    std::size_t at_ = 0;
    Token token_;
    int nesting_ = 0;
};

}  // namespace

std::shared_ptr<const Expression::Node> parse_tree(std::string_view text) { return Parser(text).parse(); }

bool is_reserved_word(std::string_view word) { return is_keyword(word) || find_op(kFunctions, word) != nullptr; }

}  // namespace tilejit::manifest
