// Removes, moves and changes the synchronisation of every kernel, one bit at a time, and sees whether the
// interpreter notices. What it does not notice is either not needed, or not watched over.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "generator/interpret/survivors.h"
#include "tools/mutants/cases.h"

namespace tilejit::mutants {
namespace {

using nlohmann::json;

struct Options {
    std::string filter;
    std::uint64_t schedules = 4;
    unsigned jobs = std::max(std::thread::hardware_concurrency(), 1U);
    bool as_json = false;
};

/// The mutations that are not noticed, in order.
std::vector<interpret::Mutation> survivors_of(const interpret::Mutants& mutants, unsigned jobs) {
    const std::vector<interpret::Mutation>& all = mutants.all();
    std::vector<char> noticed(all.size(), 0);
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < jobs; ++i) {
        threads.emplace_back([&] {
            for (std::size_t at = next++; at < all.size(); at = next++) {
                noticed[at] = mutants.noticed(all[at]) ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::vector<interpret::Mutation> survivors;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (noticed[i] == 0) {
            survivors.push_back(all[i]);
        }
    }
    return survivors;
}

int run(const Options& options) {
    std::size_t made = 0;
    std::size_t survived = 0;
    json reports = json::array();
    for (const Case& each : cases()) {
        if (each.name().find(options.filter) == std::string::npos) {
            continue;
        }
        const interpret::Mutants mutants(each.program(), each.dims.at("batch"), options.schedules);
        const std::vector<interpret::Mutation> survivors = survivors_of(mutants, options.jobs);
        made += mutants.all().size();
        survived += survivors.size();
        json report = {{"case", each.name()},
                       {"mutants", mutants.all().size()},
                       {"caught", mutants.all().size() - survivors.size()},
                       {"survivors", json::array()}};
        if (!options.as_json) {
            fmt::print("{}: {} mutants, {} caught\n", each.name(), mutants.all().size(),
                       mutants.all().size() - survivors.size());
        }
        for (const interpret::Mutation& mutation : survivors) {
            const std::string at = fmt::format("{}:{}", mutation.at.file, mutation.at.line);
            report["survivors"].push_back({{"at", at}, {"what", mutation.what}});
            if (!options.as_json) {
                fmt::print("  survives: {}: {}\n", at, mutation.what);
            }
        }
        reports.push_back(std::move(report));
    }
    if (options.as_json) {
        const json result = {{"mutants", made}, {"caught", made - survived}, {"cases", reports}};
        fmt::print("{}\n", result.dump(2));
    } else {
        fmt::print("{} mutants, {} caught\n", made, made - survived);
    }
    return survived == 0 ? 0 : 1;
}

int main_with(int argc, char** argv) {
    CLI::App app(
        "Takes the synchronisation of the lowered kernels apart and sees that the interpreter notices.\n"
        "Exit codes: 0 all is noticed, 1 not all is, 2 bad use.",
        "mutants");
    Options options;
    app.add_option("--filter", options.filter, "only cases whose name has this in it");
    app.add_option("--schedules", options.schedules, "chances of a mutant")->check(CLI::Range(1, 1000));
    app.add_option("--jobs", options.jobs, "threads")->check(CLI::Range(1, 256));
    app.add_flag("--json", options.as_json, "print JSON");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return run(options);
}

}  // namespace
}  // namespace tilejit::mutants

int main(int argc, char** argv) {
    try {
        return tilejit::mutants::main_with(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mutants: error: %s\n", error.what());
        return 1;
    }
}
