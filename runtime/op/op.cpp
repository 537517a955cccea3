#include "tilejit/op.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "generator/manifest/library.h"
#include "runtime/op/op_impl.h"

namespace tilejit {

namespace {

std::vector<std::string> names_of(const std::vector<manifest::Tensor>& tensors) {
    std::vector<std::string> names;
    names.reserve(tensors.size());
    for (const manifest::Tensor& tensor : tensors) {
        names.push_back(tensor.name);
    }
    return names;
}

/// The given tensors in the order of `specs`; null for those left out.
std::vector<const TensorView*> in_order(const manifest::Manifest& manifest, const std::vector<manifest::Tensor>& specs,
                                        const NamedTensors& given, std::string_view kind) {
    std::vector<const TensorView*> result;
    for (const manifest::Tensor& spec : specs) {
        const auto found = given.find(spec.name);
        result.push_back(found == given.end() ? nullptr : &found->second);
    }
    for (const auto& [name, view] : given) {
        const auto is_name = [&name = name](const manifest::Tensor& spec) { return spec.name == name; };
        if (std::none_of(specs.begin(), specs.end(), is_name)) {
            throw ShapeError(fmt::format("{} has no {} `{}`. Its {}s are: {}.", manifest.op, kind, name, kind,
                                         fmt::join(names_of(specs), ", ")));
        }
    }
    return result;
}

void check_required(const manifest::Manifest& manifest, const std::vector<const TensorView*>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] == nullptr && !manifest.inputs[i].optional) {
            throw ShapeError(fmt::format("{}: input `{}` is missing. Its inputs are: {}.", manifest.op,
                                         manifest.inputs[i].name, fmt::join(names_of(manifest.inputs), ", ")));
        }
    }
}

std::vector<const TensorView*> pointers(const manifest::Manifest& manifest, const std::vector<manifest::Tensor>& specs,
                                        std::span<const TensorView> given, std::string_view kind) {
    if (given.size() != specs.size()) {
        throw ShapeError(fmt::format("{}: expected {} {}s ({}), found {}.", manifest.op, specs.size(), kind,
                                     fmt::join(names_of(specs), ", "), given.size()));
    }
    std::vector<const TensorView*> result;
    for (const TensorView& view : given) {
        result.push_back(&view);
    }
    return result;
}

/// The library's manifests live as long as the process, so nothing has to own them.
std::shared_ptr<const manifest::Manifest> library_manifest(std::string_view op) {
    return {std::shared_ptr<const void>(), &manifest::find_manifest(op)};
}

const Tensor& find_output(const std::vector<std::string>& names, const std::vector<Tensor>& tensors,
                          std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) {
            return tensors[i];
        }
    }
    throw ShapeError(fmt::format("there is no output `{}`. The outputs are: {}.", name, fmt::join(names, ", ")));
}

}  // namespace

Outputs::Outputs(std::vector<std::string> names, std::vector<Tensor> tensors)
    : names_(std::move(names)), tensors_(std::move(tensors)) {}

const Tensor& Outputs::operator[](std::string_view name) const { return find_output(names_, tensors_, name); }

Tensor& Outputs::operator[](std::string_view name) {
    return const_cast<Tensor&>(find_output(names_, tensors_, name));  // NOLINT: *this is not const
}

Op::Op(std::string_view name, const Params& params, std::string_view target)
    : impl_(std::make_shared<Impl>(library_manifest(name), params, target, Runtime::process())) {}

Op Op::from_manifest(const std::string& path, const Params& params, std::string_view target) {
    auto manifest = std::make_shared<const manifest::Manifest>(manifest::load_manifest(path));
    return Op(std::make_shared<Impl>(std::move(manifest), params, target, Runtime::process()));
}

Op::Op(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Op::~Op() = default;
Op::Op(Op&&) noexcept = default;
Op& Op::operator=(Op&&) noexcept = default;
Op::Op(const Op&) = default;
Op& Op::operator=(const Op&) = default;

const std::string& Op::name() const { return impl_->manifest().op; }
std::vector<std::string> Op::input_names() const { return names_of(impl_->manifest().inputs); }
std::vector<std::string> Op::output_names() const { return names_of(impl_->manifest().outputs); }
const Params& Op::params() const { return impl_->params(); }

Outputs Op::call(const NamedTensors& inputs, const CallOptions& options) const {
    const manifest::Manifest& manifest = impl_->manifest();
    const CallTensors tensors{in_order(manifest, manifest.inputs, inputs, "input"),
                              in_order(manifest, manifest.outputs, options.outputs, "output")};
    check_required(manifest, tensors.inputs);
    return {output_names(), impl_->call(tensors, options.stream, options.workspace)};
}

Outputs Op::call(std::span<const TensorView> inputs, const CallOptions& options) const {
    const manifest::Manifest& manifest = impl_->manifest();
    const CallTensors tensors{pointers(manifest, manifest.inputs, inputs, "input"),
                              in_order(manifest, manifest.outputs, options.outputs, "output")};
    return {output_names(), impl_->call(tensors, options.stream, options.workspace)};
}

void Op::call_into(std::span<const TensorView> inputs, std::span<const TensorView> outputs, Stream stream,
                   const WorkspaceView& workspace) const {
    const manifest::Manifest& manifest = impl_->manifest();
    const CallTensors tensors{pointers(manifest, manifest.inputs, inputs, "input"),
                              pointers(manifest, manifest.outputs, outputs, "output")};
    impl_->call(tensors, stream, workspace);
}

void Op::prepare(const Dims& dims, Device device, const Dtypes& dtypes) const { impl_->prepare(dims, device, dtypes); }

std::size_t Op::workspace_bytes(const Dims& dims, Device device, const Dtypes& dtypes) const {
    return impl_->workspace_bytes(dims, device, dtypes);
}

std::vector<std::string> list_ops() { return manifest::builtin_manifests().ops(); }

}  // namespace tilejit
