/// The operators on the CPU, over odd shapes: right, complete, contained, deterministic, and the same bits
/// for a token whatever its batch and strides.
#include "tests/generator/host_ops.h"

namespace tilejit::test {
namespace {

/// Stream counts by widths, and some batches of the second range.
std::vector<Shape> small_shapes(const std::vector<std::int64_t>& widths) {
    std::vector<Shape> shapes = odd_shapes(widths, {3});
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        for (const std::int64_t n : {1, 4, 9}) {
            shapes.push_back({op, 70, n, 40});
            shapes.push_back({op, 2, n, 300});
        }
        shapes.push_back({op, 5, 17, 40});
        shapes.push_back({op, 66, 32, 8});
        shapes.push_back({op, 3, 4, 1280});
    }
    return shapes;
}

std::string text(const Shape& shape) {
    return fmt::format("{} batch {} n {} c_x {}", shape.op, shape.batch, shape.n, shape.c_x);
}

TEST_CASE("outputs are right, fully written, and nothing around them is touched") {
    for (const Shape& shape : small_shapes({1, 7, 33})) {
        INFO(text(shape));
        const HostTensors tensors = run_op(lower(specialized(shape)), shape, {.more_stride = 3});
        for (const auto& [name, tensor] : tensors) {
            INFO(name);
            REQUIRE(tensor.guards_intact());
            REQUIRE(tensor.poisoned() == 0);
        }
        REQUIRE(reference_fault(shape, tensors) == "");
    }
}

TEST_CASE("every specialisation of a shape gives the same bits: bucket, batch baked in, both accesses, strides") {
    for (const Shape& shape : small_shapes({33})) {
        INFO(text(shape));
        const HostTensors first = run_op(lower(specialized(shape)), shape);
        REQUIRE(run_op(lower(specialized(shape)), shape) == first);
        REQUIRE(run_op(lower(specialized(shape, "sm_80", Access::aligned, true)), shape) == first);
        REQUIRE(run_op(lower(specialized(shape, "sm_80", Access::element)), shape) == first);
        const HostTensors strided =
            run_op(lower(specialized(shape, "sm_80", Access::element)), shape, {.more_stride = 5});
        for (const auto& [name, tensor] : first) {
            REQUIRE(strided.at(name).values() == tensor.values());
        }
    }
}

TEST_CASE("a token's bits do not depend on its batch, its place or its neighbours") {
    for (const std::int64_t n : {1, 3, 4, 8, 9}) {
        for (const std::int64_t c_x : {7, 40, 300}) {
            for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
                // Ranges 65 to 4096 and 1 to 64 have schedules of their own.
                const Shape many{op, 70, n, c_x};
                INFO(text(many));
                const HostTensors all = run_op(lower(specialized(many)), many);
                for (const std::int64_t token : {0, 1, 31, 33, 69}) {
                    const Shape one{op, 1, n, c_x};
                    const HostTensors alone = run_op(lower(specialized(one)), one, {.first_token = token});
                    for (const manifest::Tensor& output : manifest::find_manifest(op).outputs) {
                        INFO(output.name << " of token " << token);
                        REQUIRE(alone.at(output.name).row(0) == all.at(output.name).row(token));
                    }
                }
            }
        }
    }
}

TEST_CASE("a token of Inf and NaN changes no other") {
    const Shape shape{"MHCPreFwdOp", 9, 4, 40};
    const ir::Program program = lower(specialized(shape));
    const HostTensors clean = run_op(program, shape);
    HostTensors tensors = op_tensors(shape);
    tensors.at("x").set(4, 17, std::numeric_limits<float>::infinity());
    tensors.at("x").set(5, 3, std::numeric_limits<float>::quiet_NaN());
    run_on_host(program, tensors, shape.batch, op_params(shape.op));
    for (const manifest::Tensor& output : manifest::find_manifest(shape.op).outputs) {
        for (std::int64_t token = 0; token < shape.batch; ++token) {
            INFO(output.name << " of token " << token);
            const bool same = tensors.at(output.name).row(token) == clean.at(output.name).row(token);
            CHECK(same == (token != 4 && token != 5));
        }
    }
    CHECK_FALSE(std::isfinite(tensors.at("x_res").get(5, 3)));
}

TEST_CASE("a batch of 0 runs nothing and needs no memory") {
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        for (const bool exact : {false, true}) {
            const ir::Program program = lower(specialized({op, 0, 4, 64}, "sm_80", Access::aligned, exact));
            CHECK_NOTHROW(interpret::run(program, {}));
        }
    }
}

TEST_CASE("x_out may be x_res") {
    const Shape shape{"MHCPostFwdOp", 5, 4, 33};
    const ir::Program program = lower(specialized(shape));
    const HostTensors apart = run_op(program, shape);
    HostTensors tensors = op_tensors(shape);
    interpret::Bindings bindings;
    for (auto& [name, tensor] : tensors) {
        bindings.tensors[name] = tensors.at(name == "x_out" ? "x_res" : name).data();
    }
    bindings.batch = shape.batch;
    interpret::run(program, bindings);
    CHECK(tensors.at("x_res") == apart.at("x_out"));
}

}  // namespace
}  // namespace tilejit::test
