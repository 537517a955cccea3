/// Programs whose roles meet in channels: lowered for an architecture, in whatever order their roles run and
/// copies land, they compute what was written, and the interpreter finds no fault in their synchronisation.
#include "tests/generator/dsl_pipeline.h"

namespace tilejit::test {
namespace {

using namespace dsl;

HostTensors tensors(std::int64_t batch, std::int64_t columns, DType result) {
    HostTensors all;
    HostTensor x(DType::bf16, batch, columns);
    for (std::int64_t r = 0; r < batch; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
            x.set(r, c, noise(1, static_cast<std::uint64_t>(r * columns + c)));
        }
    }
    all.emplace("x", std::move(x));
    all.emplace("y", HostTensor(result, batch, columns));
    return all;
}

/// Runs `program` as written and lowered, with several schedules, and compares the bits.
void same(const ir::Program& program, std::int64_t columns, DType result) {
    const ir::Program lowered = pass::run_all(program);
    for (const std::int64_t batch : {1, 9, 70}) {
        HostTensors wanted = tensors(batch, columns, result);
        run_on_host(program, wanted, batch);
        CHECK(wanted.at("y").poisoned() == 0);
        for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5}) {
            INFO("batch " << batch << " seed " << seed);
            HostTensors got = tensors(batch, columns, result);
            interpret::Bindings bindings;
            for (auto& [name, tensor] : got) {
                bindings.tensors[name] = tensor.data();
            }
            bindings.batch = batch;
            REQUIRE_NOTHROW(interpret::run(lowered, bindings, {.seed = seed}));
            REQUIRE(got == wanted);
            REQUIRE(got.at("y").guards_intact());
        }
    }
}

struct Target {
    const char* arch;
    Access access;
};
const Target kTargets[] = {{"sm_90a", Access::aligned}, {"sm_90a", Access::element}, {"sm_80", Access::aligned}};

TEST_CASE("rings that are read, updated and stored") {
    for (const auto& [arch, access] : kTargets) {
        for (const int stages : {1, 2, 3}) {
            INFO(arch << " stages " << stages);
            Pipeline read(toy(arch, access));
            const Ring one = read.ring("x", stages);
            read.load(one);
            read.copy(one);
            same(read.p.finish(), 64, DType::bf16);

            Pipeline taken(toy(arch, access));
            const Ring two = taken.ring("x", stages);
            taken.load(two, "load", 2);
            taken.role("take", 2, [&](RoleBuilder& r, const Index& t) {
                const Slot slot = r.take(two);
                taken.twice(r, slot);
                r.store(slot, taken.to(t));
            });
            same(taken.p.finish(), 64, DType::bf16);

            Pipeline passed(toy(arch, access));
            const Ring three = passed.ring("x", stages);
            passed.load(three);
            passed.role("peek", 1, [&](RoleBuilder& r, const Index&) {
                r.load(r.peek(three)(passed.row, passed.column), passed.spread());
            });
            passed.role("take", 3, [&](RoleBuilder& r, const Index&) { passed.twice(r, r.take(three)); });
            passed.role("store", 1, [&](RoleBuilder& r, const Index& t) { r.store(r.updated(three), passed.to(t)); });
            same(passed.p.finish(), 64, DType::bf16);
        }
    }
}

TEST_CASE("roles of several copies take turns") {
    for (const auto& [arch, access] : kTargets) {
        for (const int copies : {2, 3}) {
            Pipeline g(toy(arch, access));
            const Ring ring = g.ring("x", copies);
            g.load(ring);
            g.k.role("take", {.warps = 1, .copies = copies}, [&](RoleBuilder& r) {
                r.tiles(g.tiles, [&](const Index& t) {
                    const Slot slot = r.take(ring);
                    g.twice(r, slot);
                    r.store(slot, g.to(t));
                });
            });
            same(g.p.finish(), 64, DType::bf16);
        }
    }
}

TEST_CASE("exchanges between the blocks of a cluster") {
    const auto run = [](int stages, int copies, int warps) {
        INFO("stages " << stages << " copies " << copies << " warps " << warps);
        Exchanging g(stages);
        g.load();
        g.sum_up(copies);
        g.own(warps, copies);
        g.scale();
        same(g.p.finish(), std::int64_t{64} * Exchanging::kBlocks, DType::f32);
    };
    run(1, 1, 1);
    run(2, 2, 1);
    run(3, 1, 2);
    run(5, 1, 1);
    run(6, 2, 2);
}

}  // namespace
}  // namespace tilejit::test
