#include "tilejit/mhc.h"

#include <utility>

namespace tilejit {

namespace {

void give(CallOptions& options, const char* name, const std::optional<TensorView>& output) {
    if (output) {
        options.outputs.emplace(name, *output);
    }
}

}  // namespace

MHCPreFwd::MHCPreFwd(float alpha_pre, float alpha_post, float alpha_res, int sinkhorn_repeat, float sinkhorn_eps,
                     std::string_view target)
    : op_("MHCPreFwdOp",
          {{"alpha_pre", alpha_pre},
           {"alpha_post", alpha_post},
           {"alpha_res", alpha_res},
           {"sinkhorn_repeat", sinkhorn_repeat},
           {"sinkhorn_eps", sinkhorn_eps}},
          target) {}

MHCPreFwd::Result MHCPreFwd::operator()(const TensorView& phi, const TensorView& x, const TensorView& b) const {
    return (*this)(phi, x, b, Options{});
}

MHCPreFwd::Result MHCPreFwd::operator()(const TensorView& phi, const TensorView& x, const TensorView& b,
                                        const Options& options) const {
    CallOptions call{.stream = options.stream, .workspace = options.workspace};
    give(call, "x_res", options.x_res);
    give(call, "x_layer", options.x_layer);
    give(call, "h_post", options.h_post);
    Outputs outputs = op_.call({{"phi", phi}, {"x", x}, {"b", b}}, call);
    return {std::move(outputs["x_res"]), std::move(outputs["x_layer"]), std::move(outputs["h_post"])};
}

void MHCPreFwd::prepare(std::int64_t n, std::int64_t c_x, Device device) const {
    op_.prepare({{"n", n}, {"c_x", c_x}}, device);
}

std::size_t MHCPreFwd::workspace_bytes(std::int64_t batch, std::int64_t n, std::int64_t c_x, Device device) const {
    return op_.workspace_bytes({{"batch", batch}, {"n", n}, {"c_x", c_x}}, device);
}

MHCPostFwd::MHCPostFwd(std::string_view target) : op_("MHCPostFwdOp", {}, target) {}

Tensor MHCPostFwd::operator()(const TensorView& x_layer_out, const TensorView& h_post, const TensorView& x_res) const {
    return (*this)(x_layer_out, h_post, x_res, Options{});
}

Tensor MHCPostFwd::operator()(const TensorView& x_layer_out, const TensorView& h_post, const TensorView& x_res,
                              const Options& options) const {
    CallOptions call{.stream = options.stream, .workspace = options.workspace};
    give(call, "x_out", options.x_out);
    Outputs outputs = op_.call({{"x_layer_out", x_layer_out}, {"h_post", h_post}, {"x_res", x_res}}, call);
    return std::move(outputs["x_out"]);
}

void MHCPostFwd::prepare(std::int64_t n, std::int64_t c_x, Device device) const {
    op_.prepare({{"n", n}, {"c_x", c_x}}, device);
}

std::size_t MHCPostFwd::workspace_bytes(std::int64_t batch, std::int64_t n, std::int64_t c_x, Device device) const {
    return op_.workspace_bytes({{"batch", batch}, {"n", n}, {"c_x", c_x}}, device);
}

}  // namespace tilejit
