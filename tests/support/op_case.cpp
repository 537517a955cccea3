#include "tests/support/op_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

#include "generator/kernels/check.h"
#include "generator/kernels/reference.h"
#include "generator/manifest/library.h"
#include "tests/support/sample_ops.h"

namespace tilejit::test {
namespace {

constexpr std::byte kPoison{0xA5};
constexpr std::size_t kGuard = 512;

std::int64_t product(const std::vector<std::int64_t>& shape) {
    std::int64_t result = 1;
    for (const std::int64_t extent : shape) {
        result *= extent;
    }
    return result;
}

HostTensor random_tensor(const manifest::Tensor& tensor, const manifest::Values& values, std::mt19937_64& random) {
    const DType dtype = tensor.dtype.in({});
    HostTensor result{dtype, manifest::shape_of(tensor, values), {}};
    const bool weights = dtype == DType::f32 && result.shape.size() == 2 && tensor.shape[0].text() != "batch";
    const double scale = weights ? 1.0 / std::sqrt(static_cast<double>(result.shape[0])) : 1.0;
    std::normal_distribution<double> normal;
    result.bytes.resize(static_cast<std::size_t>(product(result.shape)) * size_of(dtype));
    for (std::int64_t i = 0; i < result.elements(); ++i) {
        const auto value = static_cast<float>(normal(random) * scale);
        auto bits = std::bit_cast<std::uint32_t>(value);
        if (dtype == DType::bf16) {
            bits = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
        }
        const std::size_t size = size_of(dtype);
        std::memcpy(result.bytes.data() + static_cast<std::size_t>(i) * size, &bits, size);
    }
    return result;
}

/// A tensor with gaps and guards, in memory of a device.
class Guarded {
public:
    Guarded(DType dtype, const std::vector<std::int64_t>& shape, const RunOptions& options)
        : dtype_(dtype), shape_(shape), size_(size_of(dtype)) {
        const bool matrix = shape.size() == 2;
        columns_ = shape.back();
        row_ = columns_ + (matrix ? options.row_gap : 0);
        rows_ = matrix ? shape[0] : 1;
        first_ = kGuard + static_cast<std::size_t>(options.misalign) * size_;
        const std::size_t bytes = (first_ + static_cast<std::size_t>(rows_ * row_) * size_ + kGuard + 3) / 4 * 4;
        image_.assign(bytes, kPoison);
        memory_ = Tensor::empty(DType::f32, {static_cast<std::int64_t>(bytes / 4)}, options.device);
    }

    void fill(const HostTensor& from) {
        for (std::int64_t r = 0; r < rows_; ++r) {
            std::memcpy(image_.data() + place(r), from.bytes.data() + row_bytes() * static_cast<std::size_t>(r),
                        row_bytes());
        }
    }
    void upload() { copy(host_view(), memory_); }

    TensorView view() const {
        std::byte* data = static_cast<std::byte*>(memory_.data()) + first_;
        if (shape_.size() == 2) {
            return TensorView::rows(data, dtype_, rows_, columns_, row_, memory_.device());
        }
        return TensorView::contiguous(data, dtype_, shape_, memory_.device());
    }

    /// The tensor's elements now; throws when any byte around them changed.
    HostTensor download(const std::string& name) {
        std::vector<std::byte> now(image_.size());
        copy(memory_, TensorView::contiguous(now.data(), DType::f32, memory_.shape(), Device::cpu()));
        synchronize(memory_.device());
        HostTensor result{dtype_, shape_, std::vector<std::byte>(row_bytes() * static_cast<std::size_t>(rows_))};
        for (std::int64_t r = 0; r < rows_; ++r) {
            std::memcpy(result.bytes.data() + row_bytes() * static_cast<std::size_t>(r), now.data() + place(r),
                        row_bytes());
            std::memcpy(now.data() + place(r), image_.data() + place(r), row_bytes());
        }
        if (now != image_) {
            throw std::runtime_error(fmt::format("bytes around '{}' were written", name));
        }
        return result;
    }

private:
    std::size_t row_bytes() const { return static_cast<std::size_t>(columns_) * size_; }
    std::size_t place(std::int64_t row) const { return first_ + static_cast<std::size_t>(row * row_) * size_; }
    TensorView host_view() { return TensorView::contiguous(image_.data(), DType::f32, memory_.shape(), Device::cpu()); }

    DType dtype_;
    std::vector<std::int64_t> shape_;
    std::size_t size_;
    std::int64_t columns_ = 0;
    std::int64_t row_ = 0;
    std::int64_t rows_ = 0;
    std::size_t first_ = 0;
    std::vector<std::byte> image_;
    Tensor memory_;
};

Op make_op(const OpCase& op_case, const std::string& target) {
    const std::string& name = op_case.manifest->op;
    return is_sample(name) ? Op::from_manifest(sample_path(name), op_case.params, target)
                           : Op(name, op_case.params, target);
}

}  // namespace

std::vector<double> HostTensor::values() const {
    std::vector<double> result(static_cast<std::size_t>(elements()));
    for (std::size_t i = 0; i < result.size(); ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, bytes.data() + i * size_of(dtype), size_of(dtype));
        result[i] = std::bit_cast<float>(dtype == DType::bf16 ? bits << 16U : bits);
    }
    return result;
}

HostTensor HostTensor::rows(std::int64_t first, std::int64_t count) const {
    HostTensor result{dtype, shape, {}};
    result.shape[0] = count;
    const auto row = static_cast<std::ptrdiff_t>(bytes.size() / static_cast<std::size_t>(shape[0]));
    result.bytes.assign(bytes.begin() + first * row, bytes.begin() + (first + count) * row);
    return result;
}

OpCase random_case(const std::string& op, const manifest::Values& dims, std::uint64_t seed) {
    const manifest::Manifest& manifest = is_sample(op) ? sample_manifest(op) : manifest::find_manifest(op);
    OpCase result{&manifest, dims, {}, {}, seed};
    const manifest::Values values = manifest::complete_dims(*result.manifest, dims);
    std::mt19937_64 random(seed);
    for (const manifest::Tensor& input : result.manifest->inputs) {
        result.inputs[input.name] = random_tensor(input, values, random);
    }
    for (const manifest::Param& param : result.manifest->params) {
        result.params[param.name] = param.default_value.value();
    }
    return result;
}

OpCase golden_case(const safetensors::File& file) {
    OpCase result{&manifest::find_manifest(file.metadata.at("op")), {}, {}, {}, 0};
    std::vector<manifest::GivenShape> shapes;
    for (const manifest::Tensor& input : result.manifest->inputs) {
        const safetensors::Tensor& tensor = file.tensors.at(input.name);
        result.inputs[input.name] = {input.dtype.in({}), tensor.shape, tensor.bytes};
        shapes.push_back({input.name, tensor.shape});
    }
    result.dims = manifest::solve_dims(*result.manifest, shapes);
    for (const manifest::Param& param : result.manifest->params) {
        result.params[param.name] = std::stod(file.metadata.at(param.name));
    }
    return result;
}

OpCase some_tokens(const OpCase& whole, std::int64_t first, std::int64_t count) {
    OpCase result = whole;
    const std::string& open = whole.manifest->open_dim();
    for (const manifest::Tensor& input : whole.manifest->inputs) {
        if (input.shape[0].text() == open) {
            result.inputs[input.name] = whole.inputs.at(input.name).rows(first, count);
        }
    }
    result.dims[open] = count;
    return result;
}

HostTensors run_case(const OpCase& op_case, const RunOptions& options) {
    const manifest::Manifest& manifest = *op_case.manifest;
    const manifest::Values values = manifest::complete_dims(manifest, op_case.dims);
    std::map<std::string, std::unique_ptr<Guarded>> memory;
    NamedTensors inputs;
    CallOptions call;
    for (const manifest::Tensor& input : manifest.inputs) {
        const HostTensor& from = op_case.inputs.at(input.name);
        auto& guarded = memory[input.name] = std::make_unique<Guarded>(from.dtype, from.shape, options);
        guarded->fill(from);
        guarded->upload();
        inputs[input.name] = guarded->view();
    }
    for (const manifest::Tensor& output : manifest.outputs) {
        auto& guarded = memory[output.name] =
            std::make_unique<Guarded>(output.dtype.in({}), manifest::shape_of(output, values), options);
        guarded->upload();
        call.outputs[output.name] = guarded->view();
    }
    const Op op = make_op(op_case, options.target);
    Tensor workspace;
    if (options.given_workspace) {
        const std::size_t bytes = op.workspace_bytes(op_case.dims, options.device);
        workspace = Tensor::empty(DType::f32, {static_cast<std::int64_t>(bytes / 4 + 1)}, options.device);
        call.workspace = {workspace.data(), bytes};
    }
    op.call(inputs, call);
    HostTensors outputs;
    for (const manifest::Tensor& input : manifest.inputs) {
        if (memory[input.name]->download(input.name) != op_case.inputs.at(input.name)) {
            throw std::runtime_error(fmt::format("the input '{}' was written", input.name));
        }
    }
    for (const manifest::Tensor& output : manifest.outputs) {
        outputs[output.name] = memory[output.name]->download(output.name);
    }
    return outputs;
}

void prepare_in_parallel(const std::vector<OpCase>& cases, Device device) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
        threads.emplace_back([&] {
            for (std::size_t at = next++; at < cases.size(); at = next++) {
                make_op(cases[at], {}).prepare(cases[at].dims, device);
            }
        });
    }
}

std::string errors_of(const OpCase& op_case, const HostTensors& outputs) {
    const manifest::Manifest& manifest = *op_case.manifest;
    kernels::ReferenceInputs inputs;
    for (const auto& [name, tensor] : op_case.inputs) {
        inputs[name] = {tensor.shape, tensor.values()};
    }
    const kernels::ReferenceParams params(op_case.params.begin(), op_case.params.end());
    std::string errors;
    for (const auto& [name, reference] : kernels::find_reference(manifest.op)(inputs, params)) {
        const manifest::Tolerance& tolerance = manifest.tolerance.at(name);
        const double alpha = tolerance.scale_param.empty() ? 1.0 : op_case.params.at(tolerance.scale_param);
        const HostTensor& output = outputs.at(name);
        const kernels::CheckResult result = check_output(tolerance, output.dtype, output.values(), reference, alpha);
        if (!result.passed()) {
            errors += fmt::format("{}: {} of {} out of tolerance, worst [{}] got {} want {} allowed {}\n", name,
                                  result.out_of_tolerance, result.elements, result.worst.index, result.worst.got,
                                  result.worst.want, result.worst.allowed);
        }
    }
    return errors;
}

std::string describe(const OpCase& op_case) {
    std::string text = op_case.manifest->op;
    for (const auto& [name, value] : op_case.dims) {
        text += fmt::format(" {}={}", name, value);
    }
    return text + fmt::format(" seed {}", op_case.seed);
}

}  // namespace tilejit::test
