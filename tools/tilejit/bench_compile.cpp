#include "tools/tilejit/bench_compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/compile/compile.h"
#include "tools/tilejit/specialize.h"

namespace tilejit::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

std::string range_text(const BatchRange& range) {
    return range.high == BatchRange::kNoLimit ? fmt::format("{}..", range.low)
                                              : fmt::format("{}..{}", range.low, range.high);
}

std::string dims_text(const Specialization& specialization) {
    std::vector<std::string> dims;
    for (const auto& [name, value] : specialization.dims) {
        dims.push_back(fmt::format("{}={}", name, value));
    }
    return fmt::format("{}", fmt::join(dims, " "));
}

}  // namespace

int bench_compile(const manifest::Manifest& manifest, const std::vector<SpecializeRequest>& requests, bool as_json) {
    const NvrtcApi nvrtc = load_nvrtc();
    const auto say = [&](const std::string& text) { as_json ? progress(text) : print(text); };
    say(fmt::format("{}, NVRTC {}\n{:>12} {:>9}  {:12}  {}\n", manifest.op, nvrtc.full_version, "generate ms",
                    "NVRTC ms", manifest.open_dim(), "kernel"));
    json rows = json::array();
    std::set<std::string> seen;
    for (const SpecializeRequest& request : requests) {
        const Specialization specialization = specialize(manifest, request);
        if (!seen.insert(canonical_text(specialization)).second) {
            continue;
        }
        const Clock::time_point begin = Clock::now();
        const Source source = generate(specialization);
        const Clock::time_point generated = Clock::now();
        compile(nvrtc, source.text, specialization.arch);
        const Clock::time_point compiled = Clock::now();
        say(fmt::format("{:12.2f} {:9.1f}  {:12}  {} {} {}\n", milliseconds(begin, generated),
                        milliseconds(generated, compiled), range_text(specialization.batch), specialization.kernel,
                        specialization.arch, dims_text(specialization)));
        rows.push_back({{"specialization", to_json(specialization)},
                        {"generate_ms", milliseconds(begin, generated)},
                        {"nvrtc_ms", milliseconds(generated, compiled)}});
    }
    if (as_json) {
        print_json({{"op", manifest.op}, {"nvrtc", nvrtc.full_version}, {"rows", rows}});
    }
    return kGood;
}

}  // namespace tilejit::cli
