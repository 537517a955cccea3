#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/op/resolve.h"
#include "tilejit/op.h"
#include "tools/tilejit/arguments.h"
#include "tools/tilejit/check.h"
#include "tools/tilejit/run_lowered.h"
#include "tools/tilejit/tensors.h"

namespace tilejit::cli {
namespace {

using nlohmann::json;

struct Options {
    std::string name;
    std::string inputs;
    std::string outputs;
    std::string target = "host";
    std::string seed = "0";
    std::string drop_sync;
    std::vector<std::string> params;
    bool as_json = false;
};

/// Where the tensors of a run on `target` live.
Device device_of(const std::string& target) {
    return parse_target(target).kind == TargetSet::Kind::host ? Device::cpu() : Device::cuda(0);
}

/// Runs the op where `target` wants it; tensors come from and go to the CPU.
HostTensors execute(const Op& op, const HostTensors& inputs, Device device) {
    HostTensors moved;
    NamedTensors given;
    for (const auto& [name, tensor] : inputs) {
        if (device == Device::cpu()) {
            given[name] = tensor;
        } else {
            given[name] = moved.emplace(name, copy_to(tensor, device)).first->second;
        }
    }
    Outputs outputs = op.call(given);
    HostTensors results;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        results.emplace(outputs.name(i),
                        device == Device::cpu() ? std::move(outputs[i]) : copy_to(outputs[i], Device::cpu()));
    }
    return results;
}

/// The non-negative number that a flag was given.
std::uint64_t parse_count(const std::string& text, const std::string& flag) {
    const std::int64_t value = parse_integer(text, flag);
    if (value < 0) {
        throw UsageError(fmt::format("{} {}: expected 0 or more", flag, text));
    }
    return static_cast<std::uint64_t>(value);
}

/// Runs the op as the flags say: as any program would, unless the interpreter is told more than an op can be.
HostTensors execute(const manifest::Manifest& manifest, const Op& op, const HostTensors& inputs,
                    const Options& options) {
    const TargetSet set = parse_target(options.target);
    const bool on_host = set.kind == TargetSet::Kind::host;
    const std::uint64_t seed = parse_count(options.seed, "--seed");
    if (!options.drop_sync.empty() && !on_host) {
        throw UsageError(
            fmt::format("--drop-sync: `{}` does not run in the interpreter; give --target host or "
                        "host:ARCHITECTURE",
                        options.target));
    }
    if (!on_host || (seed == 0 && options.drop_sync.empty())) {
        return execute(op, inputs, device_of(options.target));
    }
    LoweredRun run{set.arch, seed, {}};
    if (!options.drop_sync.empty()) {
        run.drop_sync = parse_count(options.drop_sync, "--drop-sync");
    }
    return run_lowered(manifest, op.params(), inputs, run);
}

Params to_params(const std::map<std::string, double>& values) { return {values.begin(), values.end()}; }

// --- tensors from a file -----------------------------------------------------

/// `--param`, else the file's metadata; the op itself adds the manifest's defaults.
Params params_for(const manifest::Manifest& op, const Options& options, const safetensors::File& file) {
    std::map<std::string, double> params = parse_assignments(options.params, "--param");
    for (const manifest::Param& param : op.params) {
        const auto text = file.metadata.find(param.name);
        if (text != file.metadata.end() && params.count(param.name) == 0) {
            params[param.name] =
                parse_number(text->second, fmt::format("{}: the metadata's {}", options.inputs, param.name));
        }
    }
    return to_params(params);
}

HostTensors tensors_for(const manifest::Manifest& op, const std::string& path, const safetensors::File& file) {
    HostTensors tensors;
    for (const manifest::Tensor& input : op.inputs) {
        const auto found = file.tensors.find(input.name);
        if (found == file.tensors.end()) {
            if (input.optional) {
                continue;
            }
            std::vector<std::string> names;
            for (const auto& entry : file.tensors) {
                names.push_back(entry.first);
            }
            throw FileError(fmt::format("{}: {} needs the tensor {}; the file has {}", path, op.op, input.name,
                                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
        }
        const std::optional<DType> dtype = op_dtype(found->second.dtype);
        const manifest::DtypeVariable* variable = op.find_dtype(input.dtype.variable);
        if (!dtype || (variable == nullptr && *dtype != input.dtype.fixed)) {
            throw FileError(fmt::format("{}: the tensor {} is {}; {} takes {}", path, input.name,
                                        safetensors::name_of(found->second.dtype), op.op,
                                        variable == nullptr
                                            ? std::string(safetensors::name_of(file_dtype(input.dtype.fixed)))
                                            : variable->describe()));
        }
        tensors.emplace(input.name, from_file(found->second, *dtype));
    }
    return tensors;
}

int run_file(const manifest::Manifest& manifest, const Options& options) {
    const safetensors::File file = safetensors::read(options.inputs);
    const auto op_text = file.metadata.find("op");
    if (op_text != file.metadata.end() && op_text->second != manifest.op) {
        throw FileError(
            fmt::format("{}: its metadata says op {}; expected {}", options.inputs, op_text->second, manifest.op));
    }
    const Op op(manifest.op, params_for(manifest, options, file), options.target);
    const HostTensors outputs = execute(manifest, op, tensors_for(manifest, options.inputs, file), options);

    safetensors::File result;
    result.metadata["op"] = manifest.op;
    json shapes = json::object();
    for (const auto& [name, tensor] : outputs) {
        result.tensors.emplace(name, to_file(tensor));
        shapes[name] = {{"dtype", name_of(tensor.dtype())}, {"shape", tensor.shape()}};
    }
    for (const auto& [name, value] : op.params()) {
        result.metadata[name] = fmt::format("{}", value);
    }
    safetensors::write(options.outputs, result);
    if (options.as_json) {
        print_json({{"op", manifest.op},
                    {"target", options.target},
                    {"file", options.outputs},
                    {"outputs", shapes},
                    {"params", std::map<std::string, double>(op.params().begin(), op.params().end())}});
    }
    return kGood;
}

// --- random tensors, checked ---------------------------------------------------

/// Numbers that JSON has no spelling for become texts.
json number(double value) { return std::isfinite(value) ? json(value) : json(fmt::format("{}", value)); }

json report_json(const Tensor& tensor, const kernels::CheckResult& result) {
    json report = {{"dtype", name_of(tensor.dtype())},
                   {"shape", tensor.shape()},
                   {"elements", result.elements},
                   {"out_of_tolerance", result.out_of_tolerance},
                   {"max_error", number(result.max_error)},
                   {"max_ratio", number(result.max_ratio)},
                   {"passed", result.passed()}};
    if (result.worst.index >= 0) {
        report["worst"] = {{"index", result.worst.index},
                           {"got", number(result.worst.got)},
                           {"want", number(result.worst.want)},
                           {"allowed", number(result.worst.allowed)}};
    }
    return report;
}

HostTensors random_inputs(const manifest::Manifest& manifest, const manifest::Values& dims, const Dtypes& dtypes,
                          std::uint64_t seed) {
    const manifest::Values values = manifest::complete_dims(manifest, dims);
    HostTensors tensors;
    for (std::size_t i = 0; i < manifest.inputs.size(); ++i) {
        const std::vector<std::int64_t> shape = manifest::shape_of(manifest.inputs[i], values);
        tensors.emplace(manifest.inputs[i].name,
                        random_input(manifest, i, manifest.inputs[i].dtype.in(dtypes), shape, seed));
    }
    return tensors;
}

int run_random(const manifest::Manifest& manifest, const Options& options, const manifest::Values& dims,
               const Dtypes& dtypes) {
    const kernels::Reference& reference = kernels::find_reference(manifest.op);
    const std::uint64_t seed = parse_count(options.seed, "--seed");
    const Op op(manifest.op, to_params(parse_assignments(options.params, "--param")), options.target);
    const HostTensors inputs = random_inputs(manifest, dims, dtypes, seed);
    const HostTensors outputs = execute(manifest, op, inputs, options);

    const kernels::ReferenceParams params(op.params().begin(), op.params().end());
    kernels::ReferenceInputs reference_inputs;
    for (const auto& [name, tensor] : inputs) {
        reference_inputs[name] = {tensor.shape(), to_doubles(tensor)};
    }
    const kernels::ReferenceOutputs wanted = reference(reference_inputs, params);
    bool passed = true;
    std::string text = fmt::format("{} on {}, seed {}\n", manifest.op, options.target, seed);
    json reports = json::object();
    for (const manifest::Tensor& output : manifest.outputs) {
        const Tensor& got = outputs.at(output.name);
        const kernels::CheckResult result = check(manifest, output, got, wanted.at(output.name), params);
        passed = passed && result.passed();
        text += report_line(output.name, got, result);
        reports[output.name] = report_json(got, result);
    }
    if (options.as_json) {
        print_json({{"op", manifest.op},
                    {"target", options.target},
                    {"seed", seed},
                    {"dims", dims},
                    {"dtypes", to_json(dtypes)},
                    {"passed", passed},
                    {"outputs", reports}});
    } else {
        print(text);
    }
    return passed ? kGood : kFailed;
}

}  // namespace

int run_command(const Arguments& arguments) {
    const manifest::Manifest* op = named_op(arguments);
    CLI::App app("Runs an op: on the tensors of a file, or on random ones, checked against the op's fp64 reference.",
                 "tilejit run");
    Options options;
    DimFlags dims;
    DtypeFlags dtypes;
    app.add_option("OP", options.name, "the op");
    app.add_option("--inputs", options.inputs, "safetensors file with the inputs");
    app.add_option("--outputs", options.outputs, "safetensors file to write");
    if (op != nullptr) {
        dims.add(app, *op);
    }
    dtypes.add(app);
    app.add_option("--target", options.target, "host (the default), host:sm_90a, BUILTIN, or an architecture (sm_90a)");
    app.add_option("--param", options.params, "name=value; may come several times")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--seed", options.seed,
                   "of the random inputs, and on host of the order in which roles run; 0 is the default");
    app.add_option("--drop-sync", options.drop_sync,
                   "on host: leave out this synchronisation of the lowered program, counted from 0, to see it missed");
    app.add_flag("--json", options.as_json, "print JSON");
    parse(app, arguments);

    if (options.inputs.empty() != options.outputs.empty()) {
        throw UsageError("--inputs and --outputs come together");
    }
    if (options.inputs.empty()) {
        return run_random(*op, options, dims.values(*op), dtypes.values(*op));
    }
    if (dims.any_given() || dtypes.any_given()) {
        throw UsageError("dimensions and dtypes follow from --inputs; give either the file or the dimensions");
    }
    return run_file(*op, options);
}

}  // namespace tilejit::cli
