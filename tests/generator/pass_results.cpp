/// No pass changes what a program computes: the interpreter gives the same bits before and after each.
#include "generator/ir/print.h"
#include "tests/generator/host_ops.h"

namespace tilejit::test {
namespace {

TEST_CASE("the interpreter gives the same bits before and after every pass") {
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        for (const auto& [batch, n, c_x] : {std::array<std::int64_t, 3>{1, 1, 1},
                                            {3, 3, 7},
                                            {70, 4, 40},
                                            {5, 4, 1280},
                                            {2, 8, 64},
                                            {3, 9, 33},
                                            {2, 17, 40},
                                            {2, 32, 16}}) {
            const Shape shape{op, batch, n, c_x};
            const Specialization spec = specialized(shape);
            INFO(canonical_text(spec));
            const HostTensors before = run_op(build_program(spec), shape);
            REQUIRE(before.at(manifest::find_manifest(op).outputs.front().name).poisoned() == 0);
            for (const std::string& name : pass::names()) {
                if (name == "assign-layouts" || name == "vectorise") {
                    continue;  // threads are told apart, but have no barriers yet
                }
                INFO("after " << name);
                REQUIRE(run_op(pass::run_all(build_program(spec), name), shape) == before);
            }
            REQUIRE(run_op(lower(spec), shape) == before);
        }
    }
}

TEST_CASE("the order in which roles run changes no bit, before or after any pass") {
    for (const auto& [shape, arch] :
         {std::pair{Shape{"MHCPreFwdOp", 35, 4, 640}, "sm_90a"}, std::pair{Shape{"MHCPreFwdOp", 9, 2, 960}, "sm_100a"},
          std::pair{Shape{"MHCPreFwdOp", 3, 9, 40}, "sm_80"}, std::pair{Shape{"MHCPostFwdOp", 3, 4, 40}, "sm_90a"}}) {
        const Specialization spec = specialized(shape, arch);
        INFO(canonical_text(spec));
        const HostTensors expected = run_op(build_program(spec), shape);
        std::vector<ir::Program> forms{build_program(spec), lower(spec)};
        for (const std::string& name : pass::names()) {
            if (name != "assign-layouts" && name != "vectorise") {
                forms.push_back(pass::run_all(build_program(spec), name));
            }
        }
        for (const ir::Program& form : forms) {
            for (std::uint64_t schedule = 1; schedule <= 20; ++schedule) {
                INFO("form " << &form - forms.data() << ", schedule " << schedule);
                REQUIRE(run_op(form, shape, {.schedule = schedule}) == expected);
            }
        }
    }
}

TEST_CASE("lowering is a function of the program") {
    for (const Shape& shape : {Shape{"MHCPreFwdOp", 70, 4, 300}, Shape{"MHCPostFwdOp", 70, 4, 300}}) {
        const Specialization spec = specialized(shape);
        const std::string text = ir::to_text(lower(spec));
        CHECK(ir::to_text(lower(spec)) == text);
        CHECK(ir::to_text(pass::run_all(build_program(spec), pass::names().back())) == text);
        CHECK(ir::to_text(build_program(spec)) != text);
    }
}

}  // namespace
}  // namespace tilejit::test
