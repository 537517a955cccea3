#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

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
                           const DtypeFlags& dtypes, const SpecializeFlags& flags) {
    std::vector<Job> jobs;
    std::set<std::string> seen;
    const auto add = [&](const manifest::Manifest& op, const SpecializeRequest& request) {
        Job job{&op, specialize(op, request)};
        if (seen.insert(canonical_text(job.specialization)).second) {
            jobs.push_back(std::move(job));
        }
    };
    dtypes.check_known(ops);
    for (const manifest::Manifest* op : ops) {
        for (const std::string& target : targets_of(flags.target())) {
            for (const manifest::Values& shape : dims.shapes(*op, one_of_each_range(*op))) {
                for (const Dtypes& combination : dtypes.combinations(*op)) {
                    add(*op, flags.request(*op, shape, combination, target));
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

std::string progress_line(std::size_t done, std::size_t all, const Job& job) {
    const BatchRange& range = job.specialization.batch;
    std::string line = fmt::format("[{}/{}] {} {}", done, all, job.specialization.op, job.specialization.arch);
    for (const auto& [name, value] : job.specialization.dims) {
        line += fmt::format(" {}={}", name, value);
    }
    for (const auto& [name, dtype] : job.specialization.dtypes) {
        line += fmt::format(" {}={}", name, name_of(dtype));
    }
    return line + fmt::format(", {} from {}\n", job.manifest->open_dim(), range.low);
}

/// The jobs' entries, in their order, made by `threads` threads. After a failure no new job begins; the
/// first job that failed decides the error.
std::vector<json> build_entries(const std::vector<Job>& jobs, const std::filesystem::path& folder,
                                std::size_t threads) {
    std::vector<json> entries(jobs.size());
    std::vector<std::exception_ptr> failures(jobs.size());
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;  // of `done`
    std::size_t done = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < jobs.size() && !failed; i = next++) {
            try {
                entries[i] = build_entry(jobs[i], folder);
                const std::lock_guard lock(mutex);
                progress(progress_line(++done, jobs.size(), jobs[i]));
            } catch (...) {
                failures[i] = std::current_exception();
                failed = true;
            }
        }
    };
    {
        std::vector<std::jthread> workers;
        for (std::size_t i = 0; i < std::min(threads, jobs.size()); ++i) {
            workers.emplace_back(work);
        }
    }
    for (const std::exception_ptr& failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
    return entries;
}

std::size_t thread_count(const std::string& text) {
    if (text.empty()) {
        return std::max(1U, std::thread::hardware_concurrency());
    }
    const std::int64_t threads = parse_integer(text, "-j");
    if (threads < 1 || threads > 1024) {
        throw UsageError(fmt::format("-j is {}; expected 1 to 1024 threads", threads));
    }
    return static_cast<std::size_t>(threads);
}

void make_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw FileError(fmt::format("{}: cannot make the folder: {}", folder, error.message()));
    }
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
        "Compiles kernels into a bundle: cubins and bundle.json. Dimensions, dtypes and targets take lists "
        "(1,16,128).\n"
        "Without the batch, kernels of every range of batches are made.",
        "tilejit aot");
    std::vector<std::string> names;
    std::string folder;
    std::string threads_text;
    bool as_json = false;
    DimFlags dims;
    DtypeFlags dtypes;
    SpecializeFlags flags;
    app.add_option("OP", names, "the ops");
    for (const manifest::Manifest* op : ops) {
        dims.add(app, *op);
    }
    dtypes.add(app);
    flags.add(app);
    app.add_option("-o", folder, "the bundle's folder; made when it is not there")->required();
    app.add_option("-j", threads_text, "threads that compile; as many as the machine has is the default");
    app.add_flag("--json", as_json, "print JSON");
    parse(app, arguments);
    if (ops.empty()) {
        throw UsageError("no op given; `tilejit list` lists them");
    }

    const std::size_t threads = thread_count(threads_text);
    const std::vector<Job> jobs = plan_jobs(ops, dims, dtypes, flags);
    make_folder(folder);
    json bundle = {{"schema", kBundleSchema}, {"entries", build_entries(jobs, folder, threads)}};
    const std::string path = (std::filesystem::path(folder) / "bundle.json").string();
    publish(path, bundle.dump(2) + "\n");
    if (as_json) {
        print_json({{"bundle", path}, {"entries", bundle["entries"]}});
    } else {
        for (const json& entry : bundle["entries"]) {
            print(fmt::format("{}\n", entry.at("file").get<std::string>()));
        }
        print(path + "\n");
    }
    return kGood;
}

}  // namespace tilejit::cli
