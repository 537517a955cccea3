/// The kernels of docs/dsl.md. The document's code is the text between the marks below, in their order;
/// the last test compares them.
#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

// [scale]
ir::Program scale(const Specialization& spec) {
    using namespace dsl;
    const std::int64_t width = spec.dims.at("width");

    ProgramBuilder p("scale", spec);
    const Axis row = p.axis("row", 4);
    const Axis column = p.axis("column", 256);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), width});
    const Tensor y = p.output("y", DType::bf16, {p.batch(), width});
    const Param factor = p.param_f32("factor");

    KernelBuilder k = p.kernel("scale");
    const Index at = 4 * k.blocks("rows", ceil_div(p.batch(), 4)) + row;
    const Index col = 256 * k.blocks("columns", ceil_div(width, 256)) + column;
    k.role("scale", {.warps = 4}, [&](RoleBuilder& r) {
        const Tile v = to_f32(r.load(x(at, col), spread({row, column}).vector(column, 8)));
        r.store(to_bf16(r.scalar(factor) * v), y(at, col));
    });
    return p.finish();
}
// [end]

ir::Program scale_columns(const Specialization& spec) {
    using namespace dsl;
    const std::int64_t width = spec.dims.at("width");
    ProgramBuilder p("scale_columns", spec);
    const Axis row = p.axis("row", 4);
    const Axis column = p.axis("column", 256);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), width});
    const Tensor y = p.output("y", DType::bf16, {p.batch(), width});
    // [columns]
    const Tensor factors = p.input("factors", DType::f32, {width});
    // [end]
    KernelBuilder k = p.kernel("scale");
    const Index at = 4 * k.blocks("rows", ceil_div(p.batch(), 4)) + row;
    const Index col = 256 * k.blocks("columns", ceil_div(width, 256)) + column;
    k.role("scale", {.warps = 4}, [&](RoleBuilder& r) {
        // [broadcast]
        const Tile v = to_f32(r.load(x(at, col), spread({row, column}).vector(column, 8)));
        const Tile factor = r.load(factors(col));
        r.store(to_bf16(factor * v), y(at, col));
        // [end]
    });
    return p.finish();
}

ir::Program row_sum(const Specialization& spec) {
    using namespace dsl;
    const std::int64_t width = spec.dims.at("width");
    ProgramBuilder p("row_sum", spec);
    const Axis row = p.axis("row", 4);
    const Axis column = p.axis("column", 256);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), width});
    const Tensor y = p.output("y", DType::f32, {p.batch(), 1});
    KernelBuilder k = p.kernel("sum");
    const Index at = 4 * k.blocks("rows", ceil_div(p.batch(), 4)) + row;
    // [row_sum]
    k.role("sum", {.warps = 4}, [&](RoleBuilder& r) {
        const Spread lanes = spread({row, column}).vector(column, 8).lanes();
        const auto add = [&](const Index& piece, const std::array<Tile, 1>& total) {
            const Tile v = to_f32(r.load(x(at, 256 * piece + column), lanes));
            return std::array{total[0] + sum(v, column)};
        };
        const auto [total] = r.loop("piece", (width + 255) / 256, std::array{r.fill({row}, 0)}, add);
        r.store(total, y(at, 0));
    });
    // [end]
    return p.finish();
}

// [softmax]
ir::Program row_softmax(const Specialization& spec) {
    using namespace dsl;
    const std::int64_t width = spec.dims.at("width");

    ProgramBuilder p("row_softmax", spec);
    const Axis row = p.axis("row", 4);
    const Axis column = p.axis("column", width);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), width});
    const Tensor y = p.output("y", DType::bf16, {p.batch(), width});

    KernelBuilder k = p.kernel("softmax");
    const Index at = 4 * k.blocks("rows", ceil_div(p.batch(), 4)) + row;
    k.role("softmax", {.warps = 4}, [&](RoleBuilder& r) {
        const Tile v = to_f32(r.load(x(at, column), spread({row, column}).vector(column, 8).lanes()));
        const Tile e = exp(v - largest(v, column));
        r.store(to_bf16(e / sum(e, column)), y(at, column));
    });
    return p.finish();
}
// [end]

// [pipelined]
ir::Program pipelined_softmax(const Specialization& spec) {
    using namespace dsl;
    const std::int64_t width = spec.dims.at("width");

    ProgramBuilder p("pipelined_softmax", spec);
    const Axis row = p.axis("row", 4);
    const Axis column = p.axis("column", width);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), width});
    const Tensor y = p.output("y", DType::bf16, {p.batch(), width});

    KernelBuilder k = p.kernel("softmax");
    const Tiles tiles = k.persistent("tile", ceil_div(p.batch(), 4));
    const Ring rows = k.ring("rows", DType::bf16, {row, column}, 3);
    k.role("load", {.warps = 1},
           [&](RoleBuilder& r) { r.tiles(tiles, [&](const Index& t) { r.fill(rows, x(4 * t + row, column)); }); });
    k.role("normalise", {.warps = 4}, [&](RoleBuilder& r) {
        r.tiles(tiles, [&](const Index&) {
            const Slot slot = r.take(rows);
            const Tile v = to_f32(r.load(slot(row, column), spread({row, column}).vector(column, 8).lanes()));
            const Tile e = exp(v - largest(v, column));
            r.store(to_bf16(e / sum(e, column)), slot(row, column));
        });
    });
    k.role("store", {.warps = 1}, [&](RoleBuilder& r) {
        r.tiles(tiles, [&](const Index& t) { r.store(r.updated(rows), y(4 * t + row, column)); });
    });
    return p.finish();
}
// [end]

/// A kernel of the document on `batch` rows of `width` numbers; `want` gives a row from a row.
void check(const std::function<ir::Program(const Specialization&)>& kernel, std::int64_t batch, std::int64_t width,
           DType type, std::int64_t out_width, const std::function<std::vector<float>(const std::vector<float>&)>& want,
           const std::string& arch = "sm_80") {
    Specialization spec = toy(arch);
    spec.dims["width"] = width;
    HostTensors tensors;
    tensors.emplace("x", HostTensor(DType::bf16, batch, width));
    tensors.emplace("factors", HostTensor(DType::f32, 1, width));
    tensors.emplace("y", HostTensor(type, batch, out_width));
    for (std::int64_t i = 0; i < batch * width; ++i) {
        tensors.at("x").set(i / width, i % width, 4.0F * noise(3, static_cast<std::uint64_t>(i)));
    }
    for (std::int64_t c = 0; c < width; ++c) {
        tensors.at("factors").set(0, c, static_cast<float>(c));
    }
    run_on_host(pass::run_all(kernel(spec)), tensors, batch, {{"factor", -0.5}});
    CHECK(tensors.at("y").guards_intact());
    for (std::int64_t r = 0; r < batch; ++r) {
        std::vector<float> row;
        for (std::int64_t c = 0; c < width; ++c) {
            row.push_back(tensors.at("x").get(r, c));
        }
        const std::vector<float> expected = want(row);
        for (std::int64_t c = 0; c < out_width; ++c) {
            INFO("row " << r << " column " << c << " of " << width);
            const float value = expected[static_cast<std::size_t>(c)];
            REQUIRE(tensors.at("y").get(r, c) == (type == DType::bf16 ? interpret::round_to_bf16(value) : value));
        }
    }
}

TEST_CASE("docs/dsl.md: scale") {
    for (const std::int64_t width : {1, 37, 256, 600}) {
        check(scale, 7, width, DType::bf16, width, [](std::vector<float> row) {
            std::transform(row.begin(), row.end(), row.begin(), [](float v) { return -0.5F * v; });
            return row;
        });
        check(scale_columns, 7, width, DType::bf16, width, [](std::vector<float> row) {
            for (std::size_t c = 0; c < row.size(); ++c) {
                row[c] *= static_cast<float>(c);
            }
            return row;
        });
    }
}

TEST_CASE("docs/dsl.md: row sum") {
    for (const std::int64_t width : {1, 37, 256, 600}) {
        check(row_sum, 7, width, DType::f32, 1, [](const std::vector<float>& row) {
            float total = 0;
            for (std::size_t piece = 0; piece < row.size(); piece += 256) {
                float part = 0;
                for (std::size_t c = piece; c < std::min(piece + 256, row.size()); ++c) {
                    part += row[c];
                }
                total += part;
            }
            return std::vector<float>{total};
        });
    }
}

TEST_CASE("docs/dsl.md: row softmax") {
    const auto want = [](std::vector<float> row) {
        const float most = *std::max_element(row.begin(), row.end());
        float total = 0;
        for (float& v : row) {
            v = std::exp(v - most);
            total += v;
        }
        for (float& v : row) {
            v /= total;
        }
        return row;
    };
    for (const std::int64_t width : {1, 37, 256, 600}) {
        check(row_softmax, 7, width, DType::bf16, width, want);
        for (const char* arch : {"sm_80", "sm_90a"}) {
            check(pipelined_softmax, 27, width, DType::bf16, width, want, arch);
        }
    }
}

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream in(std::string(TILEJIT_SOURCE_DIR) + path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// The texts between lines that contain `begin` and `end`, their indentation removed.
std::vector<std::string> blocks(const std::vector<std::string>& lines, const std::string& begin,
                                const std::string& end) {
    std::vector<std::string> result;
    bool inside = false;
    std::size_t indent = 0;
    for (const std::string& line : lines) {
        const std::size_t start = line.find_first_not_of(' ');
        const std::string text = start == std::string::npos ? "" : line.substr(start);
        if (!inside && text.starts_with(begin) && text != end) {
            inside = true;
            indent = start;
            result.emplace_back();
        } else if (inside && text == end) {
            inside = false;
        } else if (inside) {
            result.back() += (line.size() > indent ? line.substr(indent) : "") + "\n";
        }
    }
    return result;
}

TEST_CASE("docs/dsl.md shows the code that these tests run") {
    const std::vector<std::string> shown = blocks(lines_of("/docs/dsl.md"), "```cpp", "```");
    const std::vector<std::string> run = blocks(lines_of("/tests/generator/dsl_doc.cpp"), "// [", "// [end]");
    REQUIRE(shown.size() == 6);
    CHECK(shown == run);
}

}  // namespace
}  // namespace tilejit::test
