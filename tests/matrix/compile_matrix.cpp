/// NVRTC compiles every program that the workloads and unusual stream counts lead to, for every target,
/// without spills or stack. Programs that are the same text are compiled once.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>

#include "generator/manifest/targets.h"
#include "runtime/compile/compile.h"
#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

constexpr double kMedianLimitMs = 250;  ///< what a first call may wait for

struct Job {
    std::string op;
    std::string arch;
    std::string label;
    Source source;
};

struct Result {
    double cpu_ms = 0;  ///< of the compiling thread: what a compile costs on a machine that is not shared
    double wall_ms = 0;
    std::vector<std::string> faults;
};

std::vector<Shape> matrix_shapes() {
    std::vector<Shape> shapes = workload_shapes();
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        for (const std::int64_t n : {1, 3, 16, 32}) {
            for (const std::int64_t c_x : {40, 1280}) {
                for (const std::int64_t batch : {16, 4096}) {
                    shapes.push_back({op, batch, n, c_x});
                }
            }
        }
    }
    return shapes;
}

std::vector<Job> jobs() {
    std::vector<Job> result;
    std::set<std::string> texts;
    const auto add = [&](const Shape& shape, const std::string& arch, Access access) {
        Source source = generate(specialized(shape, arch, access));
        if (texts.insert(source.text).second) {
            result.push_back({shape.op, arch,
                              fmt::format("{} n {} c_x {} batch {}{} for {}", shape.op, shape.n, shape.c_x, shape.batch,
                                          access == Access::element ? ", element access" : "", arch),
                              std::move(source)});
        }
    };
    for (const std::string& arch : manifest::architecture_names()) {
        for (const Shape& shape : matrix_shapes()) {
            add(shape, arch, Access::aligned);
        }
        add({"MHCPreFwdOp", 16, 4, 1280}, arch, Access::element);
        add({"MHCPostFwdOp", 16, 4, 1280}, arch, Access::element);
    }
    return result;
}

double thread_cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// What is wrong with the kernels of a cubin.
std::vector<std::string> faults_of(const Job& job, const Cubin& cubin) {
    std::vector<std::string> faults;
    if (cubin.kernels.size() != job.source.plan.launches.size()) {
        faults.push_back(fmt::format("{}: {} kernels for {} launches", job.label, cubin.kernels.size(),
                                     job.source.plan.launches.size()));
    }
    for (const KernelLaunch& launch : job.source.plan.launches) {
        const auto kernel = std::find_if(cubin.kernels.begin(), cubin.kernels.end(),
                                         [&](const KernelResources& k) { return k.symbol == launch.symbol; });
        if (kernel == cubin.kernels.end()) {
            faults.push_back(fmt::format("{}: no kernel {}", job.label, launch.symbol));
            continue;
        }
        if (kernel->spill_store_bytes + kernel->spill_load_bytes + kernel->stack_bytes > 0) {
            faults.push_back(fmt::format("{}: {} spills {} + {} bytes, stack {} bytes, {} registers", job.label,
                                         kernel->symbol, kernel->spill_store_bytes, kernel->spill_load_bytes,
                                         kernel->stack_bytes, kernel->registers));
        }
        // 64 Ki registers a multiprocessor.
        if (kernel->registers * launch.threads > 65536) {
            faults.push_back(fmt::format("{}: {} cannot be launched with {} registers by {} threads", job.label,
                                         kernel->symbol, kernel->registers, launch.threads));
        }
        if (launch.shared_bytes + kernel->shared_bytes > manifest::find_architecture(job.arch)->shared_memory) {
            faults.push_back(fmt::format("{}: {} has too much shared memory", job.label, kernel->symbol));
        }
    }
    const bool products = cubin.ptx.find("mma.sync.aligned.m16n8k16") != std::string::npos;
    if (products != (job.op == "MHCPreFwdOp")) {
        faults.push_back(job.label + ": tensor-core products are not where they belong");
    }
    if (cubin.ptx.find(".local") != std::string::npos) {
        faults.push_back(job.label + ": local memory is used");
    }
    return faults;
}

Result compile_job(const NvrtcApi& api, const Job& job) {
    Result result;
    const double cpu = thread_cpu_ms();
    const auto wall = std::chrono::steady_clock::now();
    try {
        const Cubin cubin = compile(api, job.source.text, job.arch);
        result.cpu_ms = thread_cpu_ms() - cpu;
        result.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - wall).count();
        result.faults = faults_of(job, cubin);
    } catch (const Error& error) {
        result.faults.push_back(fmt::format("{}: {}", job.label, error.what()));
    }
    return result;
}

std::vector<Result> compile_all(const NvrtcApi& api, const std::vector<Job>& all_jobs) {
    std::vector<Result> results(all_jobs.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < all_jobs.size(); i = next++) {
            results[i] = compile_job(api, all_jobs[i]);
        }
    };
    std::thread other(work);
    work();
    other.join();
    return results;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

TEST_CASE("every program compiles for every target, without spills") {
    const NvrtcApi api = load_nvrtc();
    const std::vector<Job> all_jobs = jobs();
    const std::vector<Result> results = compile_all(api, all_jobs);
    for (const Result& result : results) {
        for (const std::string& fault : result.faults) {
            UNSCOPED_INFO(fault);
        }
        CHECK(result.faults.empty());
    }
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        std::vector<double> cpu;
        std::vector<double> wall;
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (all_jobs[i].op == op && results[i].faults.empty()) {
                cpu.push_back(results[i].cpu_ms);
                wall.push_back(results[i].wall_ms);
            }
        }
        REQUIRE(cpu.size() > 7);
        std::cout << fmt::format(
            "{}: {} programs, compile time median {:.0f} ms of CPU ({:.0f} ms wall), longest {:.0f} ms\n", op,
            cpu.size(), median(cpu), median(wall), *std::max_element(cpu.begin(), cpu.end()));
        // Reported, not failed: it is as much the machine's as the program's.
        CHECK_NOFAIL(median(cpu) <= kMedianLimitMs);
    }
}

}  // namespace
}  // namespace tilejit::test
