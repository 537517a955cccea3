/// \file A program under construction for tests of the DSL's messages: a kernel over tiles of 4 rows by
/// 64 columns, and what goes wrong in its role.
#pragma once

#include <functional>
#include <string>

#include "tests/generator/program_support.h"

namespace tilejit::test {

struct Toy {
    dsl::ProgramBuilder p;
    dsl::Axis row = p.axis("row", 4);
    dsl::Axis column = p.axis("column", 64);
    dsl::Tensor x = p.input("x", DType::f32, {p.batch(), 64});
    dsl::Tensor h = p.input("h", DType::bf16, {p.batch(), 64});
    dsl::Tensor y = p.output("y", DType::f32, {p.batch(), 64});
    dsl::KernelBuilder k = p.kernel("k");
    dsl::Index at = 4 * k.blocks("tile", ceil_div(p.batch(), 4)) + row;

    explicit Toy(const Specialization& spec = toy()) : p("toy", spec) {}

    /// What is wrong with a kernel whose role, of 4 warps, does `body`: while it is built, or while
    /// it is lowered. Empty when nothing is.
    std::string fault(const std::function<void(dsl::RoleBuilder&)>& body, int warps = 4) {
        return generate_error([&] {
            k.role("role", {.warps = warps}, body);
            pass::run_all(p.finish());
        });
    }

    /// Each thread holds a few of a row's columns.
    dsl::Spread rows() const { return dsl::spread({row, column}); }
};

}  // namespace tilejit::test
