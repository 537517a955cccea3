/// \file A program of tensor-core products under construction: weights w [64, 16] of f32, tokens t
/// [batch, 64] of bf16, in two streams of 32 of the sum's terms.
#pragma once

#include <functional>
#include <string>

#include "tests/generator/program_support.h"

namespace tilejit::test {

struct Products {
    dsl::ProgramBuilder p;
    dsl::Axis stream = p.axis("stream", 2);
    dsl::Axis half = p.axis("half", 2);
    dsl::Axis chunk = p.axis("chunk", 4);
    dsl::Axis element = p.axis("element", 8);
    dsl::Axis q = p.axis("q", 16);
    dsl::Axis token = p.axis("token", 24);
    dsl::Tensor w = p.input("w", DType::f32, {64, 16});
    dsl::Tensor t = p.input("t", DType::bf16, {p.batch(), 64});
    dsl::Tensor y = p.output("y", DType::f32, {p.batch(), 64}).split(1, {2, 2, 16});
    dsl::KernelBuilder k = p.kernel("k");
    dsl::Index at = 24 * k.blocks("tile", ceil_div(p.batch(), 24)) + token;
    dsl::Index term = 32 * dsl::Index(stream) + 8 * dsl::Index(chunk) + element;

    explicit Products(const Specialization& spec = toy()) : p("products", spec) {}

    dsl::View weights() const { return w(term, q); }
    dsl::View tokens() const { return t(at, term); }

    ir::Program finish(const std::function<void(dsl::RoleBuilder&)>& body, int warps) {
        k.role("role", {.warps = warps}, body);
        return p.finish();
    }

    /// As `Toy::fault`.
    std::string fault(const std::function<void(dsl::RoleBuilder&)>& body, int warps = 2) {
        return generate_error([&] { pass::run_all(finish(body, warps)); });
    }
};

}  // namespace tilejit::test
