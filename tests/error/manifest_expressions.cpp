/// What is not an expression, and the column each message points at.
#include "generator/manifest/expression.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

std::string error_of(const std::string& text) {
    try {
        Expression::parse(text);
        return "";
    } catch (const ManifestError& error) {
        return error.what();
    }
}

TEST_CASE("syntax errors name the column") {
    struct Fault {
        const char* text;
        const char* message;
    };
    const Fault faults[] = {
        {"", "column 1: found the end, expected a number, a name or `(`"},
        {"   ", "column 4: found the end, expected a number, a name or `(`"},
        {"n +", "column 4: found the end, expected a number, a name or `(`"},
        {"n * * c", "column 5: found \"*\", expected a number, a name or `(`"},
        {"(n", "column 3: found the end, expected an operator or `)`"},
        {"n)", "column 2: found \")\", expected an operator or the end"},
        {"n c", "column 3: found \"c\", expected an operator or the end"},
        {"n / 2", "column 3: found \"/\", expected a number, a name or one of == != < <= > >= + - * // % ( ) ,"},
        {"n = 2", "column 3: found \"=\", expected a number, a name or one of == != < <= > >= + - * // % ( ) ,"},
        {"n ** 2", "column 4: found \"*\", expected a number, a name or `(`"},
        {"+n", "column 1: found \"+\", expected a number, a name or `(`"},
        {"2n", "column 2: found \"n\" after a number, expected an integer followed by an operator"},
        {"2.5", "column 2: found \".\" after a number, expected an integer followed by an operator"},
        {"1 + 9223372036854775808",
         "column 5: found \"9223372036854775808\", expected an integer of at most 9223372036854775807"},
        {"a < b < c", "column 7: found \"<\", expected no second comparison: write `a < b and b < c`"},
        {"a == not b", "column 6: found \"not\", expected a number, a name or `(`"},
        {"and", "column 1: found \"and\", expected a number, a name or `(`"},
        {"a or", "column 5: found the end, expected a number, a name or `(`"},
        {"min", "column 4: found the end, expected `(` after min"},
        {"min()", "column 5: found \")\", expected a number, a name or `(`"},
        {"1 + min(a)", "column 5: found min with 1 argument, expected at least 2 arguments"},
        {"ceil_div(a, b, c)", "column 1: found ceil_div with 3 arguments, expected 2 arguments"},
        {"max(a, b", "column 9: found the end, expected an operator, `,` or `)`"},
        {"sqrt(a)", "column 1: found the function \"sqrt\", expected min, max or ceil_div"},
        {"a, b", "column 2: found \",\", expected an operator or the end"},
        {"a\n+ b", "column 2: found byte 0x0a, expected a number, a name or one of"},
        {"a & b", "column 3: found \"&\", expected a number, a name or one of"},
    };
    for (const Fault& fault : faults) {
        INFO(fault.text);
        CHECK_THAT(error_of(fault.text),
                   Catch::Matchers::StartsWith(std::string("expression \"") + fault.text + "\", " + fault.message));
    }
}

std::string repeat(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

TEST_CASE("nesting and length are bounded, so that no text can exhaust the stack") {
    const std::string too_deep = "expected at most 100 levels";
    CHECK(error_of(repeat("(", 90) + "1" + repeat(")", 90)).empty());
    CHECK_THAT(error_of(repeat("(", 2000) + "1"), test::contains(too_deep));
    CHECK_THAT(error_of(repeat("-", 2000) + "1"), test::contains(too_deep));
    CHECK_THAT(error_of(repeat("not ", 1000) + "1"), test::contains(too_deep));
    CHECK_THAT(error_of(repeat("min(1,", 600)), test::contains(too_deep));
    CHECK_THAT(error_of("1" + repeat("+1", 2000)), test::contains(too_deep));
    CHECK_THAT(error_of(repeat("(", 1000000)), test::contains("found 1000000 characters, expected at most 4096"));
    CHECK(error_of("1" + repeat("+1", 90)).empty());
}

}  // namespace
}  // namespace tilejit::manifest
