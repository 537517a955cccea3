/// \file Ops with a dtype variable and an alignment, on CPU tensors: what calls solve, refuse and remember.
#include <cstring>

#include "generator/kernels/registry.h"
#include "runtime/op/op_impl.h"
#include "tests/catch.h"
#include "tests/runtime/fake_driver.h"
#include "tests/runtime/op_tensors.h"
#include "tests/runtime/temporary_folder.h"
#include "tilejit/dsl.h"

using namespace tilejit;
using testing::OpTensors;
using testing::shifted;

namespace {

constexpr const char* kManifest = R"json({
  "op": "AddOfT", "family": "toy", "layout": "rows", "doc": "y = x + g",
  "signature": {
    "dims": {"batch": {"min": 0}, "width": {}},
    "dtypes": {"T": ["bf16", "f32"]},
    "inputs": [
      {"name": "x", "dtype": "T", "shape": ["batch", "width"]},
      {"name": "g", "dtype": "T", "shape": ["width"], "alignment": 16}
    ],
    "outputs": [{"name": "y", "dtype": "T", "shape": ["batch", "width"]}]
  },
  "specialize": {"batch": "runtime", "width": "exact"},
  "kernels": [{"name": "add_of_t", "family": "streaming", "targets": ["sm_80", "sm_90a"]}],
  "tolerance": {"y": {"slack": 0, "relative": 0, "absolute": 0}},
  "roofline": {"bytes": "2 * T_bytes * batch * width", "flops": "batch * width"},
  "workloads": [{"label": "one", "dims": {"batch": 1, "width": 8}, "dtypes": {"T": "f32"}}]
})json";

ir::Program add_of_t(const Specialization& spec) {
    using namespace dsl;
    const DType type = spec.dtypes.at("T");
    const std::int64_t width = spec.dims.at("width");
    ProgramBuilder p("add_of_t", spec);
    const Axis column = p.axis("column", 64);
    const dsl::Tensor x = p.input("x", type, {p.batch(), width});
    const dsl::Tensor g = p.input("g", type, {width});
    const dsl::Tensor y = p.output("y", type, {p.batch(), width});
    KernelBuilder k = p.kernel("add");
    const Index row = k.blocks("row", p.batch());
    const Index at = 64 * k.blocks("columns", ceil_div(width, 64)) + column;
    k.role("add", {.warps = 1}, [&](RoleBuilder& r) {
        const auto widened = [&](const Tile& tile) { return type == DType::bf16 ? to_f32(tile) : tile; };
        const Tile of_x = widened(r.load(x(row, at), spread({column})));
        const Tile sum = of_x + widened(r.load(g(at)));
        r.store(type == DType::bf16 ? to_bf16(sum) : sum, y(row, at));
    });
    return p.finish();
}

/// `text` with `from` replaced.
std::string changed(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

Op make(const std::string& manifest = kManifest, const std::shared_ptr<Runtime>& runtime = Runtime::process()) {
    static const bool kRegistered = [] {
        kernels::register_kernel("add_of_t", add_of_t);
        return true;
    }();
    static_cast<void>(kRegistered);
    return OpAccess::make(std::make_shared<manifest::Manifest>(manifest::parse_manifest(manifest, "add.json")), {}, "",
                          runtime);
}

/// Tensors of the op, all of `type`, filled with `value`, in memory of `memory`.
NamedTensors inputs_of(OpTensors& memory, DType type, float value = 1.5F) {
    NamedTensors inputs{{"x", memory.make(type, {3, 8})}, {"g", memory.make(type, {8})}};
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (auto& [name, view] : inputs) {
        for (std::int64_t i = 0; i < view.elements(); ++i) {
            if (type == DType::f32) {
                static_cast<std::uint32_t*>(view.data)[i] = bits;
            } else {
                static_cast<std::uint16_t*>(view.data)[i] = static_cast<std::uint16_t>(bits >> 16);
            }
        }
    }
    return inputs;
}

std::string refusal(const Op& op, const NamedTensors& inputs, const CallOptions& options = {}) {
    try {
        op.call(inputs, options);
        return "";
    } catch (const ShapeError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("an op runs in each dtype that its variable may be, in any order", "[op]") {
    OpTensors memory = OpTensors::post(1, 1, 1);
    const Op op = make();
    for (const DType type : {DType::bf16, DType::f32, DType::bf16}) {
        const Outputs outputs = op.call(inputs_of(memory, type));
        CHECK(outputs["y"].dtype() == type);
        if (type == DType::f32) {
            CHECK(static_cast<const float*>(outputs["y"].data())[23] == 3.0F);
        } else {
            CHECK(static_cast<const std::uint16_t*>(outputs["y"].data())[23] == 0x4040);
        }
    }
}

TEST_CASE("tensors of different dtypes for one variable are both named", "[op][error]") {
    OpTensors memory = OpTensors::post(1, 1, 1);
    const Op op = make();
    NamedTensors inputs = inputs_of(memory, DType::f32);
    inputs["g"] = inputs_of(memory, DType::bf16)["g"];
    CHECK(refusal(op, inputs) == "AddOfT: g has dtype bf16, expected T = f32: T = f32 from x.dtype");
    const NamedTensors good = inputs_of(memory, DType::f32);
    CHECK(refusal(op, good, {.outputs = {{"y", memory.make(DType::bf16, {3, 8})}}}) ==
          "AddOfT: y has dtype bf16, expected T = f32: T = f32 from x.dtype");
    CHECK(refusal(op, good).empty());
    CHECK(refusal(op, inputs) != "");  // also when the shape is known
    std::string text = changed(kManifest, R"(["bf16", "f32"])", R"(["f32"])");
    text = changed(text, R"("slack": 0, )", "");
    CHECK(refusal(make(text), inputs_of(memory, DType::bf16)) == "AddOfT: x has dtype bf16, expected T = f32");
}

TEST_CASE("an address that the manifest's alignment rules out is refused", "[op][error]") {
    OpTensors memory = OpTensors::post(1, 1, 1);
    const Op op = make();
    NamedTensors inputs = inputs_of(memory, DType::f32);
    inputs["x"] = shifted(inputs["x"], 4);  // asks for its element only
    CHECK(refusal(op, inputs).empty());
    inputs["g"] = shifted(inputs["g"], 8);
    CHECK_THAT(refusal(op, inputs), Catch::Contains("AddOfT: input `g` is at address ") &&
                                        Catch::Contains("not a multiple of 16 bytes, the alignment that the op asks"));
    inputs["g"] = shifted(inputs["g"], 8);
    CHECK(refusal(op, inputs).empty());
    inputs["g"] = shifted(inputs["g"], -15);
    CHECK_THAT(refusal(op, inputs), Catch::Contains("not a multiple of 4 bytes, the size of f32"));
}

TEST_CASE("preparing names the dtypes", "[op]") {
    const Op op = make();
    CHECK_NOTHROW(op.prepare({{"width", 8}}, Device::cpu(), {{"T", DType::bf16}}));
    CHECK_THROWS_WITH(op.prepare({{"width", 8}}, Device::cpu()),
                      "AddOfT: found no dtype of T, expected T = bf16 or f32");
    CHECK_THROWS_AS(op.prepare({{"width", 8}}, Device::cpu(), {{"S", DType::bf16}}), ShapeError);
}

TEST_CASE("the workspace of an op whose kernel is for aligned tensors only", "[op]") {
    testing::FakeDriver fake;
    const auto runtime = std::make_shared<Runtime>(
        RuntimeOptions{.load_driver = [&] { return fake.api(); }, .load_nvrtc = {}, .cache_folder = {}});
    const std::string aligned = changed(kManifest, R"("family": "streaming",)", R"("family": "s", "when": "aligned",)");
    const Dims dims{{"batch", 3}, {"width", 8}};
    CHECK(make(aligned, runtime).workspace_bytes(dims, Device::cuda(0), {{"T", DType::f32}}) == 0);
    const std::string never = changed(aligned, "\"aligned\"", "0");
    CHECK_THROWS_AS(make(never, runtime).workspace_bytes(dims, Device::cuda(0), {{"T", DType::f32}}), OpNotAvailable);
}
