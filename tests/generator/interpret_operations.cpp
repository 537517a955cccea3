/// Each operation on the CPU, against numbers worked out in the test.
#include <cmath>
#include <limits>

#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

using namespace dsl;
constexpr float kInf = std::numeric_limits<float>::infinity();

/// Runs a program of one block over a tile `a` of shape [rows, columns], every thread holding all of it.
struct OneTile {
    ProgramBuilder p;
    Axis row;
    Axis column;
    Tensor a;
    KernelBuilder k;
    HostTensors tensors;

    OneTile(std::int64_t rows, std::int64_t columns, const std::vector<float>& values)
        : p("one", toy()),
          row(p.axis("row", rows)),
          column(p.axis("column", columns)),
          a(p.input("a", DType::f32, {rows, columns})),
          k(p.kernel("k")) {
        tensors.emplace("a", HostTensor::of(DType::f32, rows, columns, values));
        k.blocks("tile", 1);
    }

    Tensor output(std::int64_t rows, std::int64_t columns, DType dtype = DType::f32) {
        tensors.emplace("y", HostTensor(dtype, rows, columns));
        return p.output("y", dtype, {rows, columns});
    }

    /// The output's elements after `body`.
    std::vector<float> run(const std::function<void(RoleBuilder&, const Tile&)>& body,
                           const std::map<std::string, double>& params = {}) {
        k.role("role", {.warps = 1}, [&](RoleBuilder& r) { body(r, r.load(a(row, column), spread({}))); });
        run_on_host(pass::run_all(p.finish()), tensors, 1, params);
        CHECK(tensors.at("y").guards_intact());
        return tensors.at("y").values();
    }
};

TEST_CASE("scale: rows and columns that tiles do not fill") {
    constexpr std::int64_t kBatch = 7;
    constexpr std::int64_t kWidth = 37;
    ProgramBuilder p("scale", toy());
    const Axis row = p.axis("row", 4);
    const Axis column = p.axis("column", 16);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), kWidth});
    const Tensor y = p.output("y", DType::bf16, {p.batch(), kWidth});
    KernelBuilder k = p.kernel("scale");
    const Index at = 4 * k.blocks("tile", ceil_div(p.batch(), 4)) + row;
    const Index col = 16 * k.blocks("columns", ceil_div(Size(kWidth), 16)) + column;
    k.role("scale", {.warps = 2}, [&](RoleBuilder& r) {
        r.store(to_bf16(2.0F * to_f32(r.load(x(at, col), spread({row, column})))), y(at, col));
    });
    HostTensors tensors;
    tensors.emplace("x", HostTensor(DType::bf16, kBatch, kWidth, kWidth + 2));
    tensors.emplace("y", HostTensor(DType::bf16, kBatch, kWidth, kWidth + 5));
    for (std::int64_t i = 0; i < kBatch * kWidth; ++i) {
        tensors.at("x").set(i / kWidth, i % kWidth, static_cast<float>(i - 100));
    }
    run_on_host(pass::run_all(p.finish()), tensors, kBatch);
    for (std::int64_t i = 0; i < kBatch * kWidth; ++i) {
        const float rounded = interpret::round_to_bf16(static_cast<float>(i - 100));
        REQUIRE(tensors.at("y").get(i / kWidth, i % kWidth) == 2.0F * rounded);
    }
    CHECK(tensors.at("y").guards_intact());
}

TEST_CASE("operands are repeated along axes they lack") {
    OneTile t(2, 3, {1, 2, 3, 4, 5, 6});
    const Tensor y = t.output(2, 3);
    CHECK(t.run([&](RoleBuilder& r, const Tile& a) {
        const Tile first = r.load(t.a(t.row, 0), spread({}));
        const Tile top = r.load(t.a(0, t.column), spread({}));
        r.store(first * top + 10.0F * a, y(t.row, t.column));
    }) == std::vector<float>{11, 22, 33, 44, 58, 72});
}

TEST_CASE("element-wise functions round once") {
    const float third = 1.0F / 3.0F;
    const std::array<float, 4> values{2, -0.5F, 0x1.000006p+0F, 1e-30F};
    OneTile t(1, 4, {values.begin(), values.end()});
    const Tensor y = t.output(12, 4);
    const std::vector<float> got = t.run([&](RoleBuilder& r, const Tile& a) {
        const std::array<Tile, 12> results{a + third, a - third,     a * a,         third / a,
                                           -a,        min(a, 0.25F), max(a, 0.25F), fma(a, a, -1.0F),
                                           exp(a),    sqrt(a),       sigmoid(a),    a * a - 1.0F};
        for (std::size_t i = 0; i < results.size(); ++i) {
            r.store(results[i], y(static_cast<std::int64_t>(i) + Index(t.row), t.column));
        }
    });
    for (std::size_t c = 0; c < values.size(); ++c) {
        const float x = values[c];
        const std::array<float, 12> want{x + third,
                                         x - third,
                                         x * x,
                                         third / x,
                                         -x,
                                         x < 0.25F ? x : 0.25F,
                                         x > 0.25F ? x : 0.25F,
                                         std::fma(x, x, -1.0F),
                                         std::exp(x),
                                         std::sqrt(x),
                                         1.0F / (1.0F + std::exp(-x)),
                                         x * x - 1.0F};
        for (std::size_t i = 0; i < want.size(); ++i) {
            INFO(i << " of " << x);
            const float value = got[4 * i + c];
            CHECK((value == want[i] || (std::isnan(value) && std::isnan(want[i]))));
        }
    }
    // One rounding and two differ where it matters.
    CHECK(got[4 * 7 + 2] != got[4 * 11 + 2]);
}

TEST_CASE("bf16 is rounded to nearest, ties to even") {
    const std::vector<float> values{1.0F, 0x1.01p+0F, 0x1.03p+0F,   0x1.010002p+0F, -0x1.01p+0F, 0x1.ffp+127F,
                                    kInf, -kInf,      0x1.fep+127F, 0x1p-133F,      0x1.8p-134F, -0.0F};
    OneTile t(1, static_cast<std::int64_t>(values.size()), values);
    const Tensor y = t.output(1, static_cast<std::int64_t>(values.size()), DType::bf16);
    const std::vector<float> got =
        t.run([&](RoleBuilder& r, const Tile& a) { r.store(to_bf16(a), y(t.row, t.column)); });
    CHECK(got == std::vector<float>{1.0F, 1.0F, 0x1.04p+0F, 0x1.02p+0F, -1.0F, kInf, kInf, -kInf, 0x1.fep+127F,
                                    0x1p-133F, 0x1p-133F, 0.0F});
    CHECK(std::signbit(got.back()));
    OneTile nan(1, 1, {std::numeric_limits<float>::quiet_NaN()});
    const Tensor z = nan.output(1, 1, DType::bf16);
    CHECK(std::isnan(nan.run([&](RoleBuilder& r, const Tile& a) { r.store(to_bf16(a), z(nan.row, nan.column)); })[0]));
}

TEST_CASE("row softmax") {
    constexpr std::int64_t kColumns = 5;
    const std::vector<float> values{1, 2, 3, 4, 5, -100, 0, 100, 99.5F, 3, -kInf, 0, 0, 0, 0};
    OneTile t(3, kColumns, values);
    const Tensor y = t.output(3, kColumns);
    const std::vector<float> got = t.run([&](RoleBuilder& r, const Tile& a) {
        const Tile e = exp(a - largest(a, t.column));
        r.store(e / sum(e, t.column), y(t.row, t.column));
    });
    for (std::size_t i = 0; i < 3; ++i) {
        float most = -kInf;
        for (std::size_t c = 0; c < kColumns; ++c) {
            most = std::max(most, values[kColumns * i + c]);
        }
        float total = 0;
        for (std::size_t c = 0; c < kColumns; ++c) {
            total += std::exp(values[kColumns * i + c] - most);
        }
        for (std::size_t c = 0; c < kColumns; ++c) {
            CHECK(got[kColumns * i + c] == std::exp(values[kColumns * i + c] - most) / total);
        }
    }
}

TEST_CASE("sums add in the order given, ascending, the first axis slowest") {
    // 1e8 swallows a 1 added to it.
    const std::vector<float> values{1e8F, 1, -1e8F, 1};
    const auto total = [&](bool rows_first) {
        OneTile t(2, 2, values);
        const Tensor y = t.output(1, 1);
        return t.run([&](RoleBuilder& r, const Tile& a) {
            r.store(rows_first ? sum(a, {t.row, t.column}) : sum(sum(a, t.row), t.column), y(0, 0));
        })[0];
    };
    CHECK(total(true) == ((1e8F + 1.0F) + -1e8F) + 1.0F);
    CHECK(total(false) == (1e8F + -1e8F) + (1.0F + 1.0F));
    CHECK(total(true) != total(false));
}

TEST_CASE("contract fuses one term after the other, from its start") {
    const std::vector<float> values{0x1.000002p+0F, 3, -1, 0x1.fffffep+0F, 7, 0.1F};
    OneTile t(2, 3, values);
    const Tensor y = t.output(2, 2);
    const std::vector<float> got = t.run([&](RoleBuilder& r, const Tile& a) {
        const Tile start = r.load(t.a(t.row, 0), spread({}));
        r.store(contract(a, a, t.column), y(t.row, 0));
        r.store(contract(a, a, t.column, -start), y(t.row, 1));
    });
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t started = 0; started < 2; ++started) {
            float want = started == 1 ? -values[3 * i] : 0.0F;
            for (std::size_t c = 0; c < 3; ++c) {
                want = std::fma(values[3 * i + c], values[3 * i + c], want);
            }
            CHECK(got[2 * i + started] == want);
        }
    }
}

TEST_CASE("a small matrix times tiles") {
    OneTile t(2, 2, {1, 2, 3, 4});
    const Axis i = t.p.axis("i", 2);
    const Tensor y = t.output(2, 2);
    // y[i, column] = sum over row of a[i, row] a[row, column]
    CHECK(t.run([&](RoleBuilder& r, const Tile& a) {
        r.store(contract(r.load(t.a(i, t.row), spread({})), a, t.row), y(i, t.column));
    }) == std::vector<float>{7, 10, 15, 22});
}

TEST_CASE("loops carry tiles, count, and may not turn at all") {
    const auto run = [](int turns) {
        OneTile t(1, 3, {1, 2, 3});
        const Param count = t.p.param_i32("turns");
        const Tensor y = t.output(1, 3);
        return t.run(
            [&](RoleBuilder& r, const Tile& a) {
                const Tile out = r.loop("turn", count, a, [&](const Tile& in) { return in * 2.0F + a; });
                r.store(out, y(t.row, t.column));
            },
            {{"turns", turns}});
    };
    CHECK(run(0) == std::vector<float>{1, 2, 3});
    CHECK(run(1) == std::vector<float>{3, 6, 9});
    CHECK(run(4) == std::vector<float>{31, 62, 93});
}

TEST_CASE("a loop's counter indexes, several tiles are carried, loops nest") {
    OneTile t(3, 2, {1, 2, 3, 4, 5, 6});
    const Tensor y = t.output(2, 2);
    // The sum of the rows, and the sum of (row + 1) times the row over two turns of an inner loop.
    CHECK(t.run([&](RoleBuilder& r, const Tile&) {
        const auto [plain, twice] =
            r.loop("row", 3, std::array{r.fill({t.column}, 0), r.fill({t.column}, 0.5F)},
                   [&](const Index& outer, const std::array<Tile, 2>& in) {
                       const Tile line = r.load(t.a(outer, t.column), spread({}));
                       const auto inner =
                           r.loop("twice", 2, std::array{in[1]}, [&](const Index&, const std::array<Tile, 1>& carried) {
                               return std::array{carried[0] + line};
                           });
                       return std::array{in[0] + line, inner[0]};
                   });
        r.store(plain, y(0, t.column));
        r.store(twice, y(1, t.column));
    }) == std::vector<float>{9, 12, 18.5F, 24.5F});
}

TEST_CASE("parameters are rounded to fp32") {
    OneTile t(1, 1, {0});
    const Param factor = t.p.param_f32("factor");
    const Tensor y = t.output(1, 1);
    CHECK(t.run([&](RoleBuilder& r, const Tile& a) { r.store(a + r.scalar(factor), y(t.row, t.column)); },
                {{"factor", 0.1}})[0] == 0.1F);
}

TEST_CASE("kernels run in order, through a workspace") {
    constexpr std::int64_t kBatch = 5;
    ProgramBuilder p("chain", toy());
    const Axis token = p.axis("token", 2);
    const Axis column = p.axis("column", 3);
    const Tensor x = p.input("x", DType::f32, {p.batch(), 6}).split(1, {2, 3});
    const Tensor w = p.workspace("w", DType::f32, {p.batch(), 2});
    const Tensor y = p.output("y", DType::f32, {p.batch(), 2});
    for (const bool first : {true, false}) {
        KernelBuilder k = p.kernel(first ? "sum" : "double");
        const Index at = 2 * k.blocks("tile", ceil_div(p.batch(), 2)) + token;
        k.role("role", {.warps = 1}, [&](RoleBuilder& r) {
            r.loop("part", 2, [&](const Index& part) {
                if (first) {
                    r.store(sum(r.load(x(at, part, column), spread({token})), column), w(at, part));
                } else {
                    r.store(2.0F * r.load(w(at, part), spread({token})), y(at, part));
                }
            });
        });
    }
    HostTensors tensors;
    tensors.emplace("x", HostTensor(DType::f32, kBatch, 6));
    tensors.emplace("y", HostTensor(DType::f32, kBatch, 2));
    for (std::int64_t i = 0; i < 6 * kBatch; ++i) {
        tensors.at("x").set(i / 6, i % 6, static_cast<float>(i));
    }
    run_on_host(pass::run_all(p.finish()), tensors, kBatch);
    for (std::int64_t b = 0; b < kBatch; ++b) {
        const auto base = static_cast<float>(6 * b);
        CHECK(tensors.at("y").get(b, 0) == 2 * (3 * base + 3));
        CHECK(tensors.at("y").get(b, 1) == 2 * (3 * base + 12));
    }
}

TEST_CASE("a tile may be stored with its axes in another order") {
    OneTile t(2, 3, {1, 2, 3, 4, 5, 6});
    const Tensor y = t.output(3, 2);
    CHECK(t.run([&](RoleBuilder& r, const Tile& a) { r.store(a, y(t.column, t.row)); }) ==
          std::vector<float>{1, 4, 2, 5, 3, 6});
}

}  // namespace
}  // namespace tilejit::test
