/// Kernels whose roles meet in channels: every pass leaves what they compute as it is, under every schedule, and
/// none of the synchronisation that passes put in is in vain.
#include "generator/interpret/survivors.h"
#include "tests/generator/dsl_pipeline.h"
#include "tests/generator/host_ops.h"

namespace tilejit::test {
namespace {

using namespace dsl;

struct Case {
    std::string name;
    std::function<ir::Program(const Specialization&)> build;
    std::vector<std::string> archs;
};

/// A ring that several roles read, one of them with two copies.
ir::Program readers(const Specialization& spec, int stages) {
    Pipeline p(spec);
    const Tensor z = p.p.output("z", DType::f32, {p.p.batch(), 1});
    const Ring ring = p.ring("rows", stages);
    p.load(ring);
    p.copy(ring);
    p.k.role("sums", {.warps = 1, .copies = 2}, [&](RoleBuilder& r) {
        r.tiles(p.tiles, [&](const Index& t) {
            const Tile v = to_f32(r.load(r.peek(ring)(p.row, p.column), p.spread().lanes()));
            r.store(sum(v, p.column), z(4 * t + p.row, 0));
        });
    });
    return p.p.finish();
}

/// A role looks, another updates in place, a third stores; with and without the looks.
ir::Program updates(const Specialization& spec, bool looks) {
    Pipeline p(spec);
    const Tensor z = p.p.output("z", DType::bf16, {p.p.batch(), 64});
    const Ring ring = p.ring("rows", 2);
    p.load(ring);
    p.role("twice", 2, [&](RoleBuilder& r, const Index&) { p.twice(r, r.take(ring)); });
    p.role("store", 1, [&](RoleBuilder& r, const Index& t) { r.store(r.updated(ring), p.to(t)); });
    if (looks) {
        p.role("look", 1, [&](RoleBuilder& r, const Index& t) {
            r.store(r.load(r.peek(ring)(p.row, p.column), p.spread()), z(4 * t + p.row, p.column));
        });
    }
    return p.p.finish();
}

/// A role updates in place and stores.
ir::Program takes(const Specialization& spec) {
    Pipeline p(spec);
    const Ring ring = p.ring("rows", 3);
    p.load(ring);
    p.role("twice", 2, [&](RoleBuilder& r, const Index& t) {
        const Slot slot = r.take(ring);
        p.twice(r, slot);
        r.store(slot, p.to(t));
    });
    return p.p.finish();
}

/// Two uses of a ring in each turn, and tiles that pass through shared memory on their way.
ir::Program two_a_turn(const Specialization& spec) {
    Pipeline p(spec);
    const Tensor w = p.p.weights("w", DType::bf16, {8, 64});
    const Ring ring = p.ring("rows", 3);
    p.role("load", 1, [&](RoleBuilder& r, const Index& t) {
        r.loop("half", 2, [&](const Index& h) { r.fill(ring, p.x(4 * t + 2 * h + p.row, p.column)); });
    });
    p.k.role("turn", {.warps = 2}, [&](RoleBuilder& r) {
        const Tile weights = to_f32(r.load(w(p.row, p.column), p.spread()));
        r.tiles(p.tiles, [&](const Index& t) {
            const auto [total] =
                r.loop("half", 2, std::array{r.fill({p.row, p.column}, 0)},
                       [&](const Index&, const std::array<Tile, 1>& sums) {
                           const Slot slot = r.peek(ring);
                           return std::array{fma(weights, to_f32(r.load(slot(p.row, p.column))), sums[0])};
                       });
            const Shared turned = r.share("turned", total);
            r.store(to_bf16(turned.read(dsl::spread({p.column, p.row}))), p.to(t));
        });
    });
    return p.p.finish();
}

std::vector<Case> cases() {
    const std::vector<std::string> both{"sm_80", "sm_90a"};
    return {
        {"readers", [](const Specialization& spec) { return readers(spec, 4); }, both},
        {"updates", [](const Specialization& spec) { return updates(spec, false); }, both},
        {"updates and looks", [](const Specialization& spec) { return updates(spec, true); }, both},
        {"takes", takes, both},
        {"two a turn", two_a_turn, both},
        {"exchange", [](const Specialization&) { return Exchanging(2).finish(); }, {"sm_90a"}},
        {"exchange of copies", [](const Specialization&) { return Exchanging(4).finish(2); }, {"sm_90a"}},
        {"two passes",
         [](const Specialization& spec) {
             return build_program(specialized({"MHCPreFwdOp", 5, 9, 40}, spec.arch, spec.access));
         },
         {"sm_80"}},
        {"a single pass",
         [](const Specialization& spec) {
             return build_program(specialized({"MHCPreFwdOp", 20, 1, 640}, spec.arch, spec.access));
         },
         {"sm_90a"}},
    };
}

void for_all_cases(const std::function<void(const Case&, const std::string& arch)>& body) {
    for (const Case& each : cases()) {
        for (const std::string& arch : each.archs) {
            INFO(each.name << " on " << arch);
            body(each, arch);
        }
    }
}

constexpr std::int64_t kBatch = 18;

interpret::ExactTensors terms(const ir::Program& program, std::uint64_t seed = 0) {
    std::map<std::string, double> params;
    for (const ir::Param& param : program.params) {
        params[param.name] = 3;
    }
    return interpret::run_exact(program, params, kBatch, {seed, 2, true, false});
}

TEST_CASE("each pass leaves the terms that a kernel computes as they are") {
    for_all_cases([](const Case& each, const std::string& arch) {
        const ir::Program written = each.build(toy(arch));
        const interpret::ExactTensors wanted = terms(written);
        for (const std::string& name : pass::names()) {
            INFO("after " << name);
            const ir::Program program = pass::run_all(written, name);
            for (std::uint64_t seed = 0; seed < 3; ++seed) {
                CHECK(terms(program, seed) == wanted);
            }
        }
        CHECK(terms(written, 1) == wanted);
    });
}

TEST_CASE("each pass leaves every bit as it is") {
    for (const Shape& shape :
         {Shape{"MHCPreFwdOp", 20, 2, 640}, Shape{"MHCPreFwdOp", 5, 9, 40}, Shape{"MHCPostFwdOp", 5, 4, 40}}) {
        const ir::Program written = build_program(specialized(shape, "sm_90a"));
        const HostTensors wanted = run_op(written, shape);
        for (const std::string& name : pass::names()) {
            INFO(shape.op << " n " << shape.n << " after " << name);
            CHECK(run_op(pass::run_all(written, name), shape) == wanted);
        }
    }
}

TEST_CASE("each synchronisation of a lowered kernel is needed") {
    for_all_cases([](const Case& each, const std::string& arch) {
        const interpret::Mutants mutants(pass::run_all(each.build(toy(arch))), kBatch, 3);
        CHECK(mutants.all().size() > 0);
        for (const interpret::Mutation& mutation : mutants.all()) {
            INFO(mutation.at.file << ":" << mutation.at.line << ": " << mutation.what);
            CHECK(mutants.noticed(mutation));
        }
    });
}

}  // namespace
}  // namespace tilejit::test
