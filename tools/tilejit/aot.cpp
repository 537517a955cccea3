#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "generator/manifest/library.h"
#include "runtime/op/resolve.h"
#include "runtime/op/runtime.h"
#include "tools/safetensors/publish.h"
#include "tools/tilejit/specialize.h"

namespace tilejit::cli {
namespace {

using nlohmann::json;

constexpr int kBundleSchema = 1;

/// One value in each range that the open dimension is specialised to.
std::vector<std::int64_t> one_of_each_range(const manifest::Manifest& manifest) {
    std::vector<std::int64_t> values = {std::max<std::int64_t>(1, manifest.find_dim(manifest.open_dim())->min)};
    for (const std::int64_t bound : manifest.specialize.at(manifest.open_dim()).buckets) {
        values.push_back(bound + 1);
    }
    return values;
}

/// The product of the lists given for the dimensions; without one for the open dimension, all its ranges.
std::vector<manifest::Values> shapes_of(const manifest::Manifest& manifest, const DimFlags& dims) {
    std::vector<manifest::Values> shapes = {{}};
    for (const manifest::Dim& dim : manifest.dims) {
        std::vector<std::int64_t> values = dims.list(dim.name);
        if (values.empty() && dim.name == manifest.open_dim()) {
            values = one_of_each_range(manifest);
        } else if (values.empty()) {
            throw UsageError(fmt::format("{} needs {}", manifest.op, flag_of(dim.name)));
        }
        std::vector<manifest::Values> longer;
        for (const manifest::Values& shape : shapes) {
            for (const std::int64_t value : values) {
                longer.push_back(shape);
                longer.back()[dim.name] = value;
            }
        }
        shapes = std::move(longer);
    }
    return shapes;
}

std::vector<std::string> targets_of(const std::string& text) {
    lowering_of(text.empty() ? text : split_list(text).front());
    std::vector<std::string> targets = split_list(text);
    for (const std::string& target : targets) {
        if (parse_target(target).kind != TargetSet::Kind::pinned) {
            throw UsageError(fmt::format("--target {} has no cubin; name an architecture", target));
        }
    }
    return targets;
}

/// Everything that is asked for, kernels that serve several of the shapes once.
struct Job {
    const manifest::Manifest* manifest;
    Specialization specialization;
};

std::vector<Job> plan_jobs(const std::vector<const manifest::Manifest*>& ops, const DimFlags& dims,
                           const SpecializeFlags& flags) {
    std::vector<Job> jobs;
    std::set<std::string> seen;
    for (const manifest::Manifest* op : ops) {
        for (const std::string& target : targets_of(flags.target())) {
            for (const manifest::Values& shape : shapes_of(*op, dims)) {
                Job job{op, specialize(*op, flags.request(*op, shape, target))};
                if (seen.insert(canonical_text(job.specialization)).second) {
                    jobs.push_back(std::move(job));
                }
            }
        }
    }
    return jobs;
}

/// Compiles, writes the cubin into `folder`, and returns the bundle's entry.
json build_entry(const Job& job, const std::filesystem::path& folder) {
    const Specialization& specialization = job.specialization;
    const KernelBinary binary = Runtime::process()->build(*job.manifest, specialization, specialization.arch);
    const std::string file =
        fmt::format("{}-{}-{}.cubin", specialization.op, specialization.arch, binary.record.spec_key);
    publish((folder / file).string(), binary.image);
    return {{"key", binary.record.spec_key},
            {"op", specialization.op},
            {"target", specialization.arch},
            {"file", file},
            {"checksum", binary.record.cubin_digest},
            {"specialization", to_json(specialization)},
            {"record", binary.record}};
}

std::vector<const manifest::Manifest*> named_ops(const Arguments& names) {
    std::vector<const manifest::Manifest*> ops;
    for (const std::string& name : names) {
        ops.push_back(&manifest::find_manifest(name));
    }
    return ops;
}

}  // namespace

int aot_command(const Arguments& arguments) {
    const std::vector<const manifest::Manifest*> ops = named_ops(positionals(arguments));
    CLI::App app(
        "Compiles kernels into a bundle: cubins and bundle.json. Dimensions and targets take lists (1,16,128).\n"
        "Without the batch, kernels of every range of batches are made.",
        "tilejit aot");
    std::vector<std::string> names;
    std::string folder;
    bool as_json = false;
    DimFlags dims;
    SpecializeFlags flags;
    app.add_option("OP", names, "the ops");
    for (const manifest::Manifest* op : ops) {
        dims.add(app, *op);
    }
    flags.add(app);
    app.add_option("-o", folder, "the bundle's folder; made when it is not there")->required();
    app.add_flag("--json", as_json, "print JSON");
    parse(app, arguments);
    if (ops.empty()) {
        throw UsageError("no op given; `tilejit list` lists them");
    }

    const std::vector<Job> jobs = plan_jobs(ops, dims, flags);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw FileError(fmt::format("{}: cannot make the folder: {}", folder, error.message()));
    }
    json bundle = {{"schema", kBundleSchema}, {"entries", json::array()}};
    for (const Job& job : jobs) {
        json entry = build_entry(job, folder);
        if (!as_json) {
            print(fmt::format("{}\n", entry.at("file").get<std::string>()));
        }
        bundle["entries"].push_back(std::move(entry));
    }
    const std::string path = (std::filesystem::path(folder) / "bundle.json").string();
    publish(path, bundle.dump(2) + "\n");
    if (as_json) {
        print_json({{"bundle", path}, {"entries", bundle["entries"]}});
    } else {
        print(path + "\n");
    }
    return kGood;
}

}  // namespace tilejit::cli
