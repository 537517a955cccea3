#include <cmath>

#include "generator/kernels/reference.h"
#include "tilejit/error.h"

namespace tilejit::kernels {
namespace {
constexpr const char* kOp = "MHCPostFwdOp";
}

ReferenceOutputs mhc_post_fwd_reference(const ReferenceInputs& inputs, const ReferenceParams&) {
    const ReferenceTensor& layer = reference_input(inputs, kOp, "x_layer_out");
    const ReferenceTensor& gate = reference_input(inputs, kOp, "h_post");
    const ReferenceTensor& streams = reference_input(inputs, kOp, "x_res");
    if (layer.shape.size() != 2 || gate.shape.size() != 2 ||
        streams.shape != std::vector<std::int64_t>{layer.shape[0], gate.shape[1] * layer.shape[1]} ||
        gate.shape[0] != layer.shape[0]) {
        throw ShapeError(
            "MHCPostFwdOp: the reference needs x_layer_out [batch, c_x], h_post [batch, n] and "
            "x_res [batch, n*c_x]");
    }
    const auto batch = static_cast<std::size_t>(layer.shape[0]);
    const auto width = static_cast<std::size_t>(layer.shape[1]);
    const auto n = static_cast<std::size_t>(gate.shape[1]);

    ReferenceOutput out{{streams.shape, std::vector<double>(streams.values.size())},
                        std::vector<double>(streams.values.size())};
    for (std::size_t token = 0; token < batch; ++token) {
        for (std::size_t i = 0; i < n; ++i) {
            const double h = gate.values[token * n + i];
            for (std::size_t c = 0; c < width; ++c) {
                const std::size_t at = (token * n + i) * width + c;
                const double product = h * layer.values[token * width + c];
                out.want.values[at] = product + streams.values[at];
                out.magnitude[at] = std::fabs(product) + std::fabs(streams.values[at]);
            }
        }
    }
    ReferenceOutputs outputs;
    outputs.emplace("x_out", std::move(out));
    return outputs;
}

}  // namespace tilejit::kernels
