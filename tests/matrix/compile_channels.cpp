/// NVRTC compiles roles, channels and clusters for every family of targets, and makes of them what the
/// hardware has for it.
#include "generator/emit/emit.h"
#include "runtime/compile/compile.h"
#include "tests/generator/lowered_exchange.h"
#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

using namespace dsl;

Cubin check_compiles(const ir::Program& lowered) {
    static const NvrtcApi api = load_nvrtc();
    const std::string text = emit::cuda_text(lowered);
    INFO(text);
    Cubin cubin = compile(api, text, lowered.arch);
    INFO(cubin.log);
    REQUIRE(cubin.kernels.size() == lowered.kernels.size());
    for (const KernelResources& kernel : cubin.kernels) {
        CHECK(kernel.spill_store_bytes == 0);
        CHECK(kernel.stack_bytes == 0);
    }
    // Register budgets are dropped with a mere note.
    CHECK(cubin.log.find("ignored") == std::string::npos);
    return cubin;
}

void check_uses(const Cubin& cubin, const std::vector<std::string>& instructions) {
    for (const std::string& instruction : instructions) {
        INFO(instruction);
        CHECK(cubin.ptx.find(instruction) != std::string::npos);
    }
}

TEST_CASE("a cluster that exchanges sums compiles to copies, remote stores and register budgets") {
    for (const char* arch : {"sm_90a", "sm_100a", "sm_103a", "sm_120a"}) {
        INFO(arch);
        const Cubin cubin = check_compiles(LoweredExchange(arch).program());
        check_uses(cubin, {"cp.async.bulk.tensor.4d.shared::", "cp.async.bulk.tensor.4d.global.shared::cta",
                           "cp.async.bulk.wait_group.read", "mbarrier.arrive.expect_tx", "mbarrier.try_wait.parity",
                           "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4", "mapa.shared::cluster",
                           "barrier.cluster.arrive", "fence.mbarrier_init", "fence.proxy.async", "setmaxnreg.inc",
                           "setmaxnreg.dec", "griddepcontrol.wait", "griddepcontrol.launch_dependents"});
    }
}

/// Rows of bf16 through a ring of `stages`, doubled by two copies of a role.
ir::Program pipeline(const std::string& arch, Access access) {
    ProgramBuilder p("pipeline", toy(arch, access));
    const Axis row = p.axis("row", 8);
    const Axis column = p.axis("column", 128);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), 128});
    const Tensor y = p.output("y", DType::bf16, {p.batch(), 128});
    KernelBuilder k = p.kernel("k");
    const Tiles tiles = k.persistent("tile", ceil_div(p.batch(), 8));
    const Ring ring = k.ring("rows", DType::bf16, {row, column}, 4);
    k.role("load", {.warps = 1},
           [&](RoleBuilder& r) { r.tiles(tiles, [&](const Index& t) { r.fill(ring, x(8 * t + row, column)); }); });
    k.role("double", {.warps = 2, .copies = 2}, [&](RoleBuilder& r) {
        r.tiles(tiles, [&](const Index& t) {
            const Slot slot = r.peek(ring);
            const Tile v = to_f32(r.load(slot(row, column), spread({row, column}).vector(column, 8)));
            r.store(to_bf16(v + v), y(8 * t + row, column));
        });
    });
    return pass::run_all(p.finish());
}

TEST_CASE("rings compile everywhere, with and without a copy engine") {
    for (const char* arch : {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"}) {
        for (const Access access : {Access::aligned, Access::element}) {
            INFO(arch);
            const Cubin cubin = check_compiles(pipeline(arch, access));
            const bool engine = std::string(arch) > "sm_9" || std::string(arch) < "sm_2";
            check_uses(cubin, {"mbarrier.init", engine ? "mbarrier.try_wait" : "mbarrier.test_wait"});
            CHECK((cubin.ptx.find("cp.async.bulk.tensor.2d") != std::string::npos ||
                   cubin.ptx.find("cp.async.bulk.tensor.3d") != std::string::npos) ==
                  (engine && access == Access::aligned));
        }
    }
}

}  // namespace
}  // namespace tilejit::test
