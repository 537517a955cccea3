/// What expressions evaluate to.
#include "generator/manifest/expression.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

const std::map<std::string, std::int64_t> kValues{{"n", 4}, {"c_x", 63}, {"zero", 0}, {"big", INT64_MAX}};

std::int64_t value_of(const std::string& text) { return Expression::parse(text).evaluate(kValues); }

TEST_CASE("arithmetic binds as in Python") {
    CHECK(value_of("1 + 2 * 3") == 7);
    CHECK(value_of("(1 + 2) * 3") == 9);
    CHECK(value_of("10 - 4 - 3") == 3);
    CHECK(value_of("100 // 7 // 2") == 7);
    CHECK(value_of("7 * 7 % 10") == 9);
    CHECK(value_of("-n * 2 + 10") == 2);
    CHECK(value_of("- -n") == 4);
    CHECK(value_of("n*n+2*n") == 24);
    CHECK(value_of("2 * -n") == -8);
    CHECK(value_of("  n\t") == 4);
    CHECK(value_of("9223372036854775807") == INT64_MAX);
}

TEST_CASE("division rounds towards minus infinity and the remainder has the divisor's sign") {
    CHECK(value_of("7 // 2") == 3);
    CHECK(value_of("-7 // 2") == -4);
    CHECK(value_of("7 // -2") == -4);
    CHECK(value_of("-7 // -2") == 3);
    CHECK(value_of("7 % 2") == 1);
    CHECK(value_of("-7 % 2") == 1);
    CHECK(value_of("7 % -2") == -1);
    CHECK(value_of("-7 % -2") == -1);
    CHECK(value_of("(-big - 1) % -1") == 0);
    for (int a = -9; a <= 9; ++a) {
        for (const int b : {-4, -3, -1, 1, 3, 4}) {
            const std::map<std::string, std::int64_t> values{{"a", a}, {"b", b}};
            CHECK(Expression::parse("b * (a // b) + a % b == a").evaluate(values) == 1);
            CHECK(Expression::parse("ceil_div(a, b) == -(-a // b)").evaluate(values) == 1);
        }
    }
}

TEST_CASE("functions") {
    CHECK(value_of("min(3, n, 9)") == 3);
    CHECK(value_of("max(3, n, 9)") == 9);
    CHECK(value_of("min(n, max(1, 2))") == 2);
    CHECK(value_of("ceil_div(c_x, 64)") == 1);
    CHECK(value_of("ceil_div(65, 64)") == 2);
    CHECK(value_of("ceil_div(0, 64)") == 0);
    CHECK(value_of("ceil_div(-65, 64)") == -1);
    CHECK(value_of("ceil_div(big, 2)") == (std::int64_t{1} << 62));
}

TEST_CASE("comparisons and logic give 1 and 0") {
    CHECK(value_of("n == 4") == 1);
    CHECK(value_of("n != 4") == 0);
    CHECK(value_of("n < 4") == 0);
    CHECK(value_of("n <= 4") == 1);
    CHECK(value_of("n > 3") == 1);
    CHECK(value_of("n >= 5") == 0);
    CHECK(value_of("5 and n") == 1);
    CHECK(value_of("0 or n") == 1);
    CHECK(value_of("not n") == 0);
    CHECK(value_of("not not n") == 1);
    CHECK(value_of("not n == 5") == 1);
    CHECK(value_of("1 or 0 and 0") == 1);
    CHECK(value_of("not 1 or 1") == 1);
    CHECK(value_of("(n > 1) + (n > 2)") == 2);
}

TEST_CASE("`and` and `or` do not evaluate what cannot matter") {
    CHECK(value_of("zero != 0 and 1 // zero > 0") == 0);
    CHECK(value_of("zero == 0 or 1 // zero > 0") == 1);
}

TEST_CASE("overflow, division by zero and unknown names are errors") {
    for (const char* text :
         {"big + 1", "-big - 2", "big * 2", "-(-big - 1)", "(-big - 1) // -1", "ceil_div(-big - 1, -1)"}) {
        INFO(text);
        CHECK_THROWS_WITH(value_of(text), test::contains("found a result beyond 64 bits"));
    }
    CHECK_THROWS_WITH(value_of("n // zero"), "expression \"n // zero\": division of 4 by zero");
    CHECK_THROWS_WITH(value_of("n % zero"), "expression \"n % zero\": division of 4 by zero");
    CHECK_THROWS_WITH(value_of("ceil_div(n, zero)"), "expression \"ceil_div(n, zero)\": division of 4 by zero");
    CHECK_THROWS_WITH(value_of("n * q"),
                      "expression \"n * q\": found the name \"q\", expected one that has a value here");
    CHECK_THROWS_AS(value_of("q"), ManifestError);
}

TEST_CASE("text and names are kept") {
    const Expression expression = Expression::parse("n*c_x + min(n, 2)");
    CHECK(expression.text() == "n*c_x + min(n, 2)");
    CHECK(expression.names() == std::set<std::string>{"c_x", "n"});
    CHECK(Expression().evaluate({}) == 0);
    CHECK(Expression::constant(-5).evaluate({}) == -5);
    CHECK(Expression::parse(Expression::constant(-5).text()).evaluate({}) == -5);
}

}  // namespace
}  // namespace tilejit::manifest
