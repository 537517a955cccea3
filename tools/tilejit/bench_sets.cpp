#include "tools/tilejit/bench_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tools/tilejit/check.h"
#include "tools/tilejit/cli.h"

namespace tilejit::cli {
namespace {

std::size_t bytes_of(const TensorView& view) { return static_cast<std::size_t>(view.elements()) * size_of(view.dtype); }

/// Row `row` along the first axis, as a tensor of one row.
TensorView row_of(const TensorView& view, std::int64_t row) {
    TensorView result = view;
    result.data =
        static_cast<std::byte*>(view.data) + static_cast<std::size_t>(row * view.strides[0]) * size_of(view.dtype);
    result.shape[0] = 1;
    return result;
}

}  // namespace

BenchSets::BenchSets(const BenchDevice& device, const manifest::Manifest& manifest, const manifest::Values& values,
                     const Dtypes& dtypes, Access access)
    : device_(device),
      manifest_(manifest),
      values_(values),
      dtypes_(dtypes),
      plan_(plan(access)),
      memory_(device.allocate(plan_.total_bytes())) {
    for (std::int64_t set = 0; set < plan_.sets; ++set) {
        views_.push_back(views_of(set));
    }
    fill();
}

bool BenchSets::is_open(const manifest::Tensor& tensor) const {
    return !tensor.shape.empty() && tensor.shape[0].text() == manifest_.open_dim();
}

TensorView BenchSets::view_of(const manifest::Tensor& tensor, void* data) const {
    return TensorView::contiguous(data, tensor.dtype.in(dtypes_), manifest::shape_of(tensor, values_),
                                  device_.device());
}

SetPlan BenchSets::plan(Access access) const {
    std::vector<PlannedTensor> tensors;
    for (const auto* list : {&manifest_.inputs, &manifest_.outputs}) {
        for (const manifest::Tensor& tensor : *list) {
            const TensorView view = view_of(tensor, nullptr);
            tensors.push_back({static_cast<std::int64_t>(bytes_of(view)),
                               std::max(tensor.alignment, static_cast<std::int64_t>(size_of(view.dtype)))});
        }
    }
    return plan_sets(tensors, access, device_.l2_bytes(), device_.memory_budget());
}

BenchSets::Views BenchSets::views_of(std::int64_t set) const {
    Views views;
    std::size_t index = 0;
    const auto add = [&](const std::vector<manifest::Tensor>& tensors, std::vector<TensorView>& list) {
        for (const manifest::Tensor& tensor : tensors) {
            std::byte* data = static_cast<std::byte*>(memory_.data()) + set * plan_.set_bytes + plan_.offsets[index++];
            list.push_back(view_of(tensor, data));
        }
    };
    add(manifest_.inputs, views.inputs);
    add(manifest_.outputs, views.outputs);
    return views;
}

/// Random rows go to the first set once; the device repeats them, and then the set.
void BenchSets::fill() {
    for (std::size_t i = 0; i < manifest_.inputs.size(); ++i) {
        TensorView first = views_[0].inputs[i];
        const std::size_t total = bytes_of(first);
        if (is_open(manifest_.inputs[i])) {
            first.shape[0] = random_rows(first.shape[0]);
        }
        const Tensor host = random_input(manifest_, i, first.dtype, first.shape, 0);
        copy(host, first, device_.stream());
        device_.wait();
        device_.repeat(first.data, bytes_of(first), total);
    }
    device_.repeat(memory_.data(), static_cast<std::size_t>(plan_.set_bytes),
                   static_cast<std::size_t>(plan_.total_bytes()));
    device_.wait();
}

void BenchSets::call(const Op& op, const WorkspaceView& workspace) {
    const Views& views = views_[next_];
    next_ = (next_ + 1) % views_.size();
    op.call_into(views.inputs, views.outputs, device_.stream(), workspace);
}

/// The given rows of a tensor, or all of it when `rows` is empty, in CPU memory.
Tensor BenchSets::download(const TensorView& from, const std::vector<std::int64_t>& rows) const {
    std::vector<std::int64_t> shape = from.shape;
    if (!rows.empty()) {
        shape[0] = static_cast<std::int64_t>(rows.size());
    }
    Tensor result = Tensor::empty(from.dtype, shape, Device::cpu());
    if (rows.empty()) {
        copy(from, result, device_.stream());
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        copy(row_of(from, rows[i]), row_of(result, static_cast<std::int64_t>(i)), device_.stream());
    }
    device_.wait();
    return result;
}

/// NaNs, so that what an earlier call left there cannot pass.
void BenchSets::poison(const TensorView& output, const std::vector<std::int64_t>& rows) const {
    const TensorView row = rows.empty() ? output : row_of(output, 0);
    const Tensor host = Tensor::empty(row.dtype, row.shape, Device::cpu());
    std::memset(host.data(), 0xff, bytes_of(row));
    if (rows.empty()) {
        copy(host, output, device_.stream());
    }
    for (const std::int64_t at : rows) {
        copy(host, row_of(output, at), device_.stream());
    }
    device_.wait();
}

void BenchSets::check(const Op& op, const WorkspaceView& workspace) {
    const std::vector<std::int64_t> tokens = sampled_tokens(values_.at(manifest_.open_dim()));
    const auto rows_of = [&](const manifest::Tensor& tensor) {
        return is_open(tensor) ? tokens : std::vector<std::int64_t>{};
    };
    kernels::ReferenceInputs inputs;
    for (std::size_t i = 0; i < manifest_.inputs.size(); ++i) {
        const Tensor tensor = download(views_[0].inputs[i], rows_of(manifest_.inputs[i]));
        inputs[manifest_.inputs[i].name] = {tensor.shape(), to_doubles(tensor)};
    }
    for (std::size_t i = 0; i < manifest_.outputs.size(); ++i) {
        poison(views_[0].outputs[i], rows_of(manifest_.outputs[i]));
    }
    op.call_into(views_[0].inputs, views_[0].outputs, device_.stream(), workspace);
    const kernels::ReferenceParams params(op.params().begin(), op.params().end());
    const kernels::ReferenceOutputs wanted = kernels::find_reference(manifest_.op)(inputs, params);
    std::string failures;
    for (std::size_t i = 0; i < manifest_.outputs.size(); ++i) {
        const manifest::Tensor& output = manifest_.outputs[i];
        const Tensor got = download(views_[0].outputs[i], rows_of(output));
        const kernels::CheckResult result = cli::check(manifest_, output, got, wanted.at(output.name), params);
        failures += result.passed() ? "" : "\n" + report_line(output.name, got, result);
    }
    if (!failures.empty()) {
        failures.pop_back();
        throw CheckFailed(fmt::format("{} on {} tokens of {}, so nothing was timed:{}", manifest_.op, tokens.size(),
                                      values_.at(manifest_.open_dim()), failures));
    }
}

}  // namespace tilejit::cli
