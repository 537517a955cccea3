// 65536 x 4 x 14336: element offsets pass 2^31. The tokens repeat a smaller batch, so every token can be
// compared bit for bit with one that was checked against the reference.
#include <cstring>

#include "tests/catch.h"
#include "tests/support/op_case.h"

namespace {

using namespace tilejit;
using namespace tilejit::test;

const Device kGpu = Device::cuda(0);
constexpr std::int64_t kBatch = 65536;
constexpr std::int64_t kPeriod = 509;  // a prime: no tile sees the same tokens twice

TensorView part(const TensorView& whole, std::int64_t first, std::int64_t count) {
    TensorView view = whole;
    view.data =
        static_cast<std::byte*>(whole.data) + static_cast<std::size_t>(first * whole.strides[0]) * size_of(whole.dtype);
    view.shape[0] = count;
    return view;
}

Tensor repeated(const HostTensor& tokens) {
    Tensor device = Tensor::empty(tokens.dtype, {kBatch, tokens.shape[1]}, kGpu);
    for (std::int64_t first = 0; first < kBatch; first += kPeriod) {
        const HostTensor some = tokens.rows(0, std::min(kPeriod, kBatch - first));
        copy(TensorView::contiguous(const_cast<std::byte*>(some.bytes.data()), some.dtype, some.shape, Device::cpu()),
             part(device, first, some.shape[0]));
        synchronize(kGpu);
    }
    return device;
}

HostTensor download(const TensorView& view) {
    HostTensor result{view.dtype, view.shape, {}};
    result.bytes.resize(static_cast<std::size_t>(view.elements()) * size_of(view.dtype));
    copy(view, TensorView::contiguous(result.bytes.data(), view.dtype, view.shape, Device::cpu()));
    synchronize(kGpu);
    return result;
}

}  // namespace

TEST_CASE("offsets beyond 2^31", "[gpu][large]") {
    for (const char* name : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        const OpCase period = random_case(name, {{"n", 4}, {"c_x", 14336}, {"batch", kPeriod}}, 10);
        const HostTensors expected = run_case(period, {.device = kGpu});
        // The reference in fp64 takes its time: a few tokens stand for all, which are equal in bits.
        const OpCase sample = some_tokens(period, 100, 3);
        HostTensors sampled;
        for (const auto& [output, tensor] : expected) {
            sampled[output] = tensor.rows(100, 3);
        }
        CHECK(errors_of(sample, sampled) == "");

        NamedTensors inputs;
        std::vector<Tensor> memory;
        for (const auto& [input, tensor] : period.inputs) {
            const bool per_token = tensor.shape.size() == 2 && tensor.shape[0] == kPeriod;
            memory.push_back(per_token ? repeated(tensor) : Tensor::empty(tensor.dtype, tensor.shape, kGpu));
            if (!per_token) {
                copy(TensorView::contiguous(const_cast<std::byte*>(tensor.bytes.data()), tensor.dtype, tensor.shape,
                                            Device::cpu()),
                     memory.back());
            }
            inputs[input] = memory.back();
        }
        const Op op(name, period.params);
        const Outputs outputs = op.call(inputs);
        synchronize(kGpu);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const TensorView whole = outputs[i];
            for (const std::int64_t first : {kPeriod * 0, kPeriod * 63, kPeriod * 64, kPeriod * 100, kPeriod * 127}) {
                INFO(name << " " << outputs.name(i) << " from token " << first);
                CHECK(download(part(whole, first, kPeriod)) == expected.at(outputs.name(i)));
            }
        }
    }
}
