#include "tools/tilejit/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tilejit::cli {
namespace {

std::string index_text(std::int64_t flat, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis > 0; --axis) {
        index[axis - 1] = flat % shape[axis - 1];
        flat /= shape[axis - 1];
    }
    return fmt::format("[{}]", fmt::join(index, ", "));
}

}  // namespace

Tensor random_input(const manifest::Manifest& manifest, std::size_t index, DType dtype,
                    const std::vector<std::int64_t>& shape, std::uint64_t seed) {
    const manifest::Tensor& input = manifest.inputs[index];
    const bool weights = shape.size() == 2 && input.shape[0].text() != manifest.open_dim();
    const double scale = weights ? 1.0 / std::sqrt(static_cast<double>(std::max<std::int64_t>(shape[0], 1))) : 1.0;
    return random_tensor(dtype, shape, scale, seed + index);
}

kernels::CheckResult check(const manifest::Manifest& manifest, const manifest::Tensor& output, const TensorView& got,
                           const kernels::ReferenceOutput& wanted, const kernels::ReferenceParams& params) {
    const auto found = manifest.tolerance.find(output.name);
    const manifest::Tolerance tolerance = found == manifest.tolerance.end() ? manifest::Tolerance{} : found->second;
    const double alpha = tolerance.scale_param.empty() ? 1.0 : params.at(tolerance.scale_param);
    return kernels::check_output(tolerance, got.dtype, to_doubles(got), wanted, alpha);
}

std::string report_line(const std::string& name, const TensorView& tensor, const kernels::CheckResult& result) {
    std::string line = fmt::format("{} {} [{}]: {} of {} elements out of tolerance", name, name_of(tensor.dtype),
                                   fmt::join(tensor.shape, ", "), result.out_of_tolerance, result.elements);
    if (result.worst.index >= 0) {
        line += fmt::format(", max error {:.3g}; worst {}: got {:.9g}, want {:.9g}, allowed error {:.3g}",
                            result.max_error, index_text(result.worst.index, tensor.shape), result.worst.got,
                            result.worst.want, result.worst.allowed);
    }
    return line + (result.passed() ? "\n" : " FAILED\n");
}

}  // namespace tilejit::cli
