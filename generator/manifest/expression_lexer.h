/// \file Text of an expression to tokens; private to expression*.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilejit::manifest {

struct Token {
    enum class Kind { number, name, symbol, end };
    Kind kind = Kind::end;
    std::string_view text;
    std::size_t column = 0;  ///< from 1
    std::int64_t value = 0;  ///< of a number
};

/// Holds one token, the current one. Throws `ManifestError` on bytes that begin none.
class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) { advance(); }

    const Token& token() const { return token_; }
    void advance();

    [[noreturn]] void fail_at(std::size_t column, const std::string& found, const std::string& expected) const;
    [[noreturn]] void fail(const std::string& expected) const;  ///< finds the current token

private:
    std::size_t span(std::size_t start, bool (*belongs)(char)) const;
    void read_number();
    void read_symbol();

    std::string_view text_;
    std::size_t at_ = 0;
    Token token_;
};

}  // namespace tilejit::manifest
