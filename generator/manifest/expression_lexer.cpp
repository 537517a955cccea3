#include "generator/manifest/expression_lexer.h"

#include <fmt/format.h>

#include <array>

#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

// ASCII only, whatever the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t'; }

}  // namespace

void Lexer::fail_at(std::size_t column, const std::string& found, const std::string& expected) const {
    throw ManifestError(
        fmt::format("expression \"{}\", column {}: found {}, expected {}", text_, column, found, expected));
}

void Lexer::fail(const std::string& expected) const {
    fail_at(token_.column, token_.kind == Token::Kind::end ? "the end" : fmt::format("\"{}\"", token_.text), expected);
}

void Lexer::advance() {
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

std::size_t Lexer::span(std::size_t start, bool (*belongs)(char)) const {
    std::size_t end = start;
    while (end < text_.size() && belongs(text_[end])) {
        ++end;
    }
    return end - start;
}

void Lexer::read_number() {
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

void Lexer::read_symbol() {
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

}  // namespace tilejit::manifest
