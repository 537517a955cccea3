#include <tilejit/mhc.h>

#include <bit>
#include <cstdio>
#include <vector>

int main() {
    using namespace tilejit;
    const std::int64_t batch = 2, n = 4, c_x = 64, q = n * n + 2 * n;
    const Device device = Device::cpu();  // Device::cuda(0) with pointers to GPU memory: the rest stays the same

    std::vector<float> phi(n * c_x * q), b(q);
    std::vector<std::uint16_t> x(batch * n * c_x, 0x3f80), layer(batch * c_x, 0x4000);  // bf16 1.0 and 2.0

    const MHCPreFwd pre(/*alpha_pre=*/0.5F, /*alpha_post=*/0.5F, /*alpha_res=*/0.5F, /*sinkhorn_repeat=*/20);
    const MHCPostFwd post;
    const auto [x_res, x_layer, h_post] = pre(TensorView::contiguous(phi.data(), DType::f32, {n * c_x, q}, device),
                                              TensorView::contiguous(x.data(), DType::bf16, {batch, n * c_x}, device),
                                              TensorView::contiguous(b.data(), DType::f32, {q}, device));
    // Here the layer turns x_layer into its own output.
    const Tensor x_out = post(TensorView::contiguous(layer.data(), DType::bf16, {batch, c_x}, device), h_post, x_res);

    const auto bits = static_cast<const std::uint16_t*>(x_out.data())[0];
    std::printf("x_out[0] = %g\n", std::bit_cast<float>(std::uint32_t{bits} << 16));
}
