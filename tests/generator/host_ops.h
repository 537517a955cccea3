/// \file Whole operators on the CPU: inputs made from a seed, outputs poisoned, results checked against
/// the fp64 reference.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "generator/kernels/check.h"
#include "generator/kernels/reference.h"
#include "tests/generator/program_support.h"

namespace tilejit::test {

struct HostRun {
    std::int64_t first_token = 0;  ///< tokens are the same for any batch: row t is token first_token + t
    std::int64_t more_stride = 0;  ///< elements between the rows of tensors that have any
    std::uint64_t seed = 1;
    std::uint64_t schedule = 0;  ///< seed of the order in which roles run
};

inline std::vector<std::int64_t> tensor_shape(const Shape& shape, const manifest::Tensor& tensor) {
    const manifest::Values dims = manifest::complete_dims(manifest::find_manifest(shape.op),
                                                          {{"batch", shape.batch}, {"n", shape.n}, {"c_x", shape.c_x}});
    return manifest::shape_of(tensor, dims);
}

/// Inputs in [-1, 1), phi scaled so that logits stay moderate; outputs hold the poison.
inline HostTensors op_tensors(const Shape& shape, const HostRun& run = {}) {
    const manifest::Manifest& op = manifest::find_manifest(shape.op);
    HostTensors tensors;
    const auto add = [&](const manifest::Tensor& tensor, bool input, std::uint64_t stream) {
        const std::vector<std::int64_t> dims = tensor_shape(shape, tensor);
        const std::int64_t rows = dims.size() > 1 ? dims.front() : 1;
        const std::int64_t columns = dims.back();
        HostTensor host(tensor.dtype.in({}), rows, columns, rows > 1 ? columns + run.more_stride : columns);
        const bool by_token = rows == shape.batch && tensor.name != "phi" && tensor.name != "b";
        const float scale = tensor.name == "phi" ? 2.0F / std::sqrt(static_cast<float>(rows)) : 1.0F;
        for (std::int64_t r = 0; input && r < rows; ++r) {
            const std::int64_t row = by_token ? run.first_token + r : r;
            for (std::int64_t c = 0; c < columns; ++c) {
                host.set(r, c, scale * noise(run.seed + stream, static_cast<std::uint64_t>(row * columns + c)));
            }
        }
        tensors.emplace(tensor.name, std::move(host));
    };
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        add(op.inputs[i], true, 10 * i);
    }
    for (const manifest::Tensor& tensor : op.outputs) {
        add(tensor, false, 0);
    }
    return tensors;
}

inline std::map<std::string, double> op_params(const std::string& op) {
    std::map<std::string, double> params;
    for (const manifest::Param& param : manifest::find_manifest(op).params) {
        params[param.name] = *param.default_value;
    }
    if (params.contains("sinkhorn_repeat")) {
        params["sinkhorn_repeat"] = 3;
        params["alpha_res"] = 1.5;
    }
    return params;
}

inline HostTensors run_op(const ir::Program& program, const Shape& shape, const HostRun& run = {}) {
    HostTensors tensors = op_tensors(shape, run);
    run_on_host(program, tensors, shape.batch, op_params(shape.op), {.seed = run.schedule});
    return tensors;
}

/// The first output that is wrong, or nothing.
inline std::string reference_fault(const Shape& shape, const HostTensors& tensors) {
    const manifest::Manifest& op = manifest::find_manifest(shape.op);
    const auto params = op_params(shape.op);
    kernels::ReferenceInputs inputs;
    for (const manifest::Tensor& tensor : op.inputs) {
        const std::vector<float> values = tensors.at(tensor.name).values();
        inputs[tensor.name] = {tensor_shape(shape, tensor), {values.begin(), values.end()}};
    }
    const kernels::ReferenceOutputs wanted = kernels::find_reference(shape.op)(inputs, params);
    for (const manifest::Tensor& tensor : op.outputs) {
        const std::vector<float> values = tensors.at(tensor.name).values();
        const std::vector<double> got(values.begin(), values.end());
        const manifest::Tolerance& tolerance = op.tolerance.at(tensor.name);
        const double alpha = tolerance.scale_param.empty() ? 1.0 : params.at(tolerance.scale_param);
        const kernels::CheckResult result =
            kernels::check_output(tolerance, tensor.dtype.in({}), got, wanted.at(tensor.name), alpha);
        if (!result.passed()) {
            return fmt::format("{}: {} of {} elements, the worst at {}: {}, expected {} +- {}", tensor.name,
                               result.out_of_tolerance, result.elements, result.worst.index, result.worst.got,
                               result.worst.want, result.worst.allowed);
        }
    }
    return "";
}

}  // namespace tilejit::test
