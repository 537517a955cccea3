#include "tools/tilejit/run_lowered.h"

#include <fmt/format.h>

#include <cstdio>

#include "generator/generate.h"
#include "generator/interpret/interpret.h"
#include "generator/interpret/mutate.h"
#include "tools/tilejit/cli.h"

namespace tilejit::cli {
namespace {

SpecializeRequest request_for(const manifest::Manifest& manifest, const Params& params, const HostTensors& inputs,
                              const std::string& arch) {
    std::vector<manifest::GivenShape> shapes;
    std::vector<manifest::GivenDtype> dtypes;
    for (const auto& [name, tensor] : inputs) {
        shapes.push_back({name, tensor.shape()});
        dtypes.push_back({name, tensor.dtype()});
    }
    SpecializeRequest request;
    request.dims = manifest::solve_dims(manifest, shapes);
    request.dtypes = manifest::solve_dtypes(manifest, dtypes);
    request.arch = arch;
    for (const manifest::Param& param : manifest.params) {
        if (param.bind == manifest::Bind::compile) {
            request.params[param.name] = params.at(param.name);
        }
    }
    return request;
}

ir::Program without(const ir::Program& program, std::size_t number) {
    const std::vector<interpret::Mutation> removals = interpret::removals(program);
    if (number >= removals.size()) {
        throw UsageError(removals.empty() ? fmt::format("--drop-sync {}: the program has no synchronisation", number)
                                          : fmt::format("--drop-sync {}: the program has {} synchronisations, 0 to {}",
                                                        number, removals.size(), removals.size() - 1));
    }
    const interpret::Mutation& removal = removals[number];
    std::fprintf(stderr, "%s\n", fmt::format("{}:{}: {}", removal.at.file, removal.at.line, removal.what).c_str());
    return interpret::mutated(program, removal);
}

interpret::TensorData data_of(const TensorView& tensor) {
    return {tensor.data, tensor.rank() < 2 ? tensor.elements() : tensor.strides[tensor.strides.size() - 2]};
}

}  // namespace

HostTensors run_lowered(const manifest::Manifest& manifest, const Params& params, const HostTensors& inputs,
                        const LoweredRun& options) {
    const SpecializeRequest request = request_for(manifest, params, inputs, options.arch);
    ir::Program program = lower(specialize(manifest, request));
    if (options.drop_sync) {
        program = without(program, *options.drop_sync);
    }
    const manifest::Values values = manifest::complete_dims(manifest, request.dims);
    interpret::Bindings bindings;
    bindings.params.insert(params.begin(), params.end());
    bindings.batch = request.dims.at(manifest.open_dim());
    for (const auto& [name, tensor] : inputs) {
        bindings.tensors[name] = data_of(tensor);
    }
    HostTensors outputs;
    for (const manifest::Tensor& output : manifest.outputs) {
        const Tensor& tensor =
            outputs
                .emplace(output.name, Tensor::empty(output.dtype.in(request.dtypes), manifest::shape_of(output, values),
                                                    Device::cpu()))
                .first->second;
        bindings.tensors[output.name] = data_of(tensor);
    }
    interpret::Options how;
    how.seed = options.seed;
    how.use_slots_again = options.drop_sync.has_value();
    interpret::run(program, bindings, how);
    return outputs;
}

}  // namespace tilejit::cli
