#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "generator/kernels/reference.h"
#include "runtime/op/resolve.h"
#include "runtime/op/runtime.h"
#include "tilejit/op.h"
#include "tools/tilejit/arguments.h"
#include "tools/tilejit/bench_compile.h"
#include "tools/tilejit/bench_copy.h"
#include "tools/tilejit/bench_sets.h"
#include "tools/tilejit/specialize.h"

namespace tilejit::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kCalls = 51;
constexpr std::size_t kHostCalls = 1000;

struct Options {
    std::string name;
    std::string target = "BUILTIN";
    std::string access = "aligned";
    std::vector<std::string> params;
    bool workloads = false;
    bool compile = false;
    bool as_json = false;

    Access layout() const { return access == "element" ? Access::element : Access::aligned; }
};

/// What is asked for: the manifest's workloads, or the product of the dimensions' lists.
std::vector<BenchRow> requested_rows(const manifest::Manifest& op, const Options& options, const DimFlags& dims,
                                     const DtypeFlags& dtypes) {
    if (options.workloads && (dims.any_given() || dtypes.any_given())) {
        throw UsageError("--workloads are the manifest's dimensions and dtypes; give either them or dimensions");
    }
    std::vector<BenchRow> rows;
    if (options.workloads) {
        for (const manifest::Workload& workload : op.workloads) {
            rows.push_back({.label = workload.label, .dims = workload.dims, .dtypes = workload.dtypes});
        }
    } else {
        for (const manifest::Values& shape : dims.shapes(op)) {
            rows.push_back({.label = {}, .dims = shape, .dtypes = dtypes.values(op)});
        }
    }
    for (BenchRow& row : rows) {
        if (row.dims.at(op.open_dim()) == 0) {
            throw UsageError(fmt::format("{} is 0; bench needs at least 1", flag_of(op.open_dim())));
        }
        row.bytes = manifest::cost_of(op, row.dims, row.dtypes).bytes;
    }
    return rows;
}

SpecializeRequest request_for(const manifest::Manifest& manifest, const Op& op, const Options& options,
                              const BenchRow& row, const std::string& arch) {
    SpecializeRequest request;
    request.dims = row.dims;
    request.dtypes = row.dtypes;
    request.arch = arch;
    request.access = options.layout();
    for (const manifest::Param& param : manifest.params) {
        if (param.bind == manifest::Bind::compile) {
            request.params[param.name] = op.params().find(param.name)->second;
        }
    }
    return request;
}

std::string nvrtc_text() {
    try {
        return Runtime::process()->nvrtc().full_version;
    } catch (const DriverError&) {
        return "none";  // kernels may come from the cache
    }
}

BenchPlace place_of(const BenchDevice& device) {
    return {device.name(), device.driver(), nvrtc_text(), fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))};
}

void measure(const BenchDevice& device, CopyBuffers& copies, const manifest::Manifest& manifest, const Op& op,
             const Options& options, BenchRow& row) {
    const int capability = device.compute_capability();
    const ResolvedArch arch =
        resolve_arch(parse_target(options.target), capability / 10, capability % 10, device.device());
    row.kernel = specialize(manifest, request_for(manifest, op, options, row, arch.lowering)).kernel;

    BenchSets sets(device, manifest, manifest::complete_dims(manifest, row.dims), row.dtypes, options.layout());
    const std::size_t bytes = op.workspace_bytes(row.dims, device.device(), row.dtypes);
    const Tensor memory = device.allocate(static_cast<std::int64_t>(bytes));
    const WorkspaceView workspace{memory.data(), bytes};
    sets.check(op, workspace);
    row.sets = sets.sets();

    const BenchCall call = [&] { sets.call(op, workspace); };
    warm_up(device, call);
    row.device_us = spread_of(device_times(
        device, call, [&] { copies.copy(); }, kCalls));
    row.host_us = spread_of(host_times(device, call, kHostCalls));
}

json all_json(const manifest::Manifest& manifest, const Op& op, const Options& options, const BenchPlace& place,
              const std::vector<BenchRow>& rows, const CopyRate& copy) {
    json result = {
        {"op", manifest.op},        {"target", options.target},
        {"access", options.access}, {"params", std::map<std::string, double>(op.params().begin(), op.params().end())},
        {"place", to_json(place)},  {"copy", to_json(copy)},
        {"rows", json::array()}};
    for (const BenchRow& row : rows) {
        result["rows"].push_back(to_json(row, copy));
    }
    return result;
}

/// Rows are shown as they are measured, with the copy as it was before; JSON has the median of the
/// copies before and after.
int bench_device(const manifest::Manifest& manifest, const Op& op, const Options& options, std::vector<BenchRow> rows) {
    const auto say = [&](const std::string& text) { options.as_json ? progress(text) : print(text); };
    const BenchDevice device;
    const BenchPlace place = place_of(device);
    CopyBuffers copies(device);
    copies.measure();
    const CopyRate before = copies.latest_rate();
    say(fmt::format("{} on {}, copy {:.3f} TB/s read and written\n", manifest.op, place_line(place),
                    before.bytes_per_second() * 1e-12));
    const BenchTable table(manifest, rows);
    say(table.head());
    for (BenchRow& row : rows) {
        measure(device, copies, manifest, op, options, row);
        say(table.line(row, before));
    }
    copies.measure();
    say(fmt::format("copy {:.3f} TB/s before, {:.3f} after\n", before.bytes_per_second() * 1e-12,
                    copies.latest_rate().bytes_per_second() * 1e-12));
    if (options.as_json) {
        print_json(all_json(manifest, op, options, place, rows, copies.rate()));
    }
    return kGood;
}

void add_options(CLI::App& app, Options& options) {
    app.add_option("OP", options.name, "the op");
    app.add_flag("--workloads", options.workloads, "the manifest's workloads, instead of dimensions");
    app.add_option("--target", options.target, "BUILTIN (the default), or an architecture (sm_90a)");
    app.add_option("--access", options.access, "aligned (the default): tensors are aligned to 512 bytes; element: not")
        ->check(CLI::IsMember({"aligned", "element"}));
    app.add_option("--param", options.params, "name=value; may come several times")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_flag("--compile", options.compile, "time generating and compiling instead, for the --target; needs no GPU");
    app.add_flag("--json", options.as_json, "print JSON");
}

}  // namespace

int bench_command(const Arguments& arguments) {
    const manifest::Manifest* manifest = named_op(arguments);
    CLI::App app(
        "Measures an op on CUDA device 0, beside copies within the device. Random inputs; outputs are checked\n"
        "first; times are of single calls, with events, after a warm-up. Dimensions take lists (1,16,128).",
        "tilejit bench");
    Options options;
    DimFlags dims;
    DtypeFlags dtypes;
    if (manifest != nullptr) {
        dims.add(app, *manifest);
    }
    dtypes.add(app);
    add_options(app, options);
    parse(app, arguments);

    const std::map<std::string, double> params = parse_assignments(options.params, "--param");
    const Op op(manifest->op, Params(params.begin(), params.end()), options.target);
    const std::vector<BenchRow> rows = requested_rows(*manifest, options, dims, dtypes);
    if (options.compile) {
        const std::string arch = lowering_of(options.target);
        std::vector<SpecializeRequest> requests;
        for (const BenchRow& row : rows) {
            requests.push_back(request_for(*manifest, op, options, row, arch));
        }
        return bench_compile(*manifest, requests, options.as_json);
    }
    if (parse_target(options.target).kind == TargetSet::Kind::host) {
        throw UsageError(fmt::format("--target {} runs on the CPU; bench measures a GPU", options.target));
    }
    kernels::find_reference(manifest->op);
    return bench_device(*manifest, op, options, rows);
}

}  // namespace tilejit::cli
