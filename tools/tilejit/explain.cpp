#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/compile/compile.h"
#include "tools/tilejit/specialize.h"

namespace tilejit::cli {
namespace {

using nlohmann::json;

/// Memory bandwidth of a device of each architecture, from the vendor's data sheets.
struct KnownDevice {
    std::string_view arch;
    std::string_view name;
    double bytes_per_second;
};

constexpr KnownDevice kKnownDevices[] = {
    {"sm_80", "A100 80GB SXM", 2.039e12},  {"sm_86", "A40", 0.696e12},  {"sm_89", "L40S", 0.864e12},
    {"sm_90a", "H200 SXM", 4.8e12},        {"sm_100a", "B200", 8.0e12}, {"sm_103a", "B300", 8.0e12},
    {"sm_120a", "RTX PRO 6000", 1.792e12},
};

struct Compiled {
    std::optional<Cubin> cubin;
    std::string missing;  ///< why there is none
};

Compiled compile_if_possible(const Source& source, const std::string& arch) {
    try {
        return {compile(load_nvrtc(), source.text, arch), ""};
    } catch (const DriverError& error) {
        return {std::nullopt, error.what()};
    }
}

/// Why each of the manifest's candidates was taken or left.
json candidates(const manifest::Manifest& op, const Specialization& chosen) {
    json list = json::array();
    bool passed = false;
    for (const manifest::Kernel& kernel : op.kernels) {
        const bool is_chosen = kernel.name == chosen.kernel;
        const bool has_target = std::count(kernel.targets.begin(), kernel.targets.end(), chosen.arch) > 0;
        const bool conditional =
            kernel.when.text() != manifest::Expression::constant(1).text() && !kernel.when.text().empty();
        std::string why;
        if (is_chosen) {
            why = conditional ? fmt::format("the first that serves {}, and {} holds", chosen.arch, kernel.when.text())
                              : fmt::format("the first that serves {}", chosen.arch);
            passed = true;
        } else if (!has_target) {
            why = fmt::format("serves {} only", fmt::join(kernel.targets, ", "));
        } else if (passed) {
            why = "comes after the chosen one";
        } else {
            why = fmt::format("serves only where {}", kernel.when.text());
        }
        list.push_back({{"kernel", kernel.name}, {"family", kernel.family}, {"chosen", is_chosen}, {"why", why}});
    }
    return list;
}

/// The boxes that the copy engine moves.
json boxes(const KernelLaunch& launch) {
    json list = json::array();
    for (const KernelArg& arg : launch.args) {
        if (arg.kind == KernelArg::Kind::tensor_map) {
            json box = json::array();
            for (const TensorMap::Dim& dim : arg.map.dims) {
                box.push_back(dim.box);
            }
            list.push_back({{"tensor", arg.name}, {"box", std::move(box)}, {"swizzled", arg.map.swizzled}});
        }
    }
    return list;
}

json launches(const LaunchPlan& plan, const Compiled& compiled, std::int64_t batch) {
    json list = json::array();
    for (const KernelLaunch& launch : plan.launches) {
        json entry = {{"symbol", launch.symbol},
                      {"grid", {launch.grid[0].at(batch), launch.grid[1].at(batch), launch.grid[2].at(batch)}},
                      {"threads", launch.threads},
                      {"shared_bytes", launch.shared_bytes},
                      {"cluster", launch.cluster},
                      {"programmatic", launch.programmatic},
                      {"boxes", boxes(launch)}};
        if (launch.tiles) {
            entry.erase("grid");  // as many as fit the device
            entry["tiles"] = launch.tiles->at(batch);
        }
        if (compiled.cubin) {
            for (const KernelResources& kernel : compiled.cubin->kernels) {
                if (kernel.symbol == launch.symbol) {
                    entry["registers"] = kernel.registers;
                    entry["static_shared_bytes"] = kernel.shared_bytes;
                    entry["spill_store_bytes"] = kernel.spill_store_bytes;
                    entry["spill_load_bytes"] = kernel.spill_load_bytes;
                }
            }
        }
        list.push_back(std::move(entry));
    }
    return list;
}

json roofline(const manifest::Manifest& op, const manifest::Values& dims, const Specialization& specialization) {
    const auto [bytes, flops] = manifest::cost_of(op, dims, specialization.dtypes);
    json result = {{"bytes", bytes}, {"flops", flops}};
    for (const KnownDevice& device : kKnownDevices) {
        if (device.arch == specialization.arch) {
            result["device"] = device.name;
            result["bytes_per_second"] = device.bytes_per_second;
            result["microseconds"] = static_cast<double>(bytes) / device.bytes_per_second * 1e6;
        }
    }
    return result;
}

json describe(const manifest::Manifest& op, const manifest::Values& dims, const std::string& target,
              const Specialization& specialization) {
    const Source source = generate(specialization);
    const Compiled compiled = compile_if_possible(source, specialization.arch);
    const std::int64_t batch = dims.at(op.open_dim());
    json workspaces = json::array();
    for (const Workspace& workspace : source.plan.workspaces) {
        workspaces.push_back({{"name", workspace.name}, {"bytes", workspace.bytes_per_row * batch}});
    }
    return {{"op", op.op},
            {"target", target},
            {"dims", dims},
            {"open_dim", op.open_dim()},
            {"candidates", candidates(op, specialization)},
            {"specialization", to_json(specialization)},
            {"launches", launches(source.plan, compiled, batch)},
            {"workspaces", workspaces},
            {"compiler", compiled.cubin ? "NVRTC " + compiled.cubin->nvrtc_version : compiled.missing},
            {"roofline", roofline(op, dims, specialization)}};
}

std::string named_values(const json& values) {
    std::string text;
    for (const auto& [name, value] : values.items()) {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name,
                            value.is_string() ? value.get<std::string>() : value.dump());
    }
    return text.empty() ? "none" : text;
}

std::string blocks_text(const json& launch) {
    const int cluster = launch.at("cluster").get<int>();
    if (!launch.contains("tiles")) {
        return fmt::format("grid {}", fmt::join(launch.at("grid").get<std::vector<std::int64_t>>(), " x "));
    }
    return fmt::format("{} tiles for as many {} as fit", launch.at("tiles").get<std::int64_t>(),
                       cluster == 1 ? "blocks" : fmt::format("clusters of {} blocks", cluster));
}

std::string launch_text(const json& launch, const std::string& compiler) {
    std::string text = fmt::format("  {}: {} x {} threads, {} bytes of dynamic shared memory\n",
                                   launch.at("symbol").get<std::string>(), blocks_text(launch),
                                   launch.at("threads").get<int>(), launch.at("shared_bytes").get<std::int64_t>());
    for (const json& box : launch.at("boxes")) {
        text += fmt::format("    the copy engine moves {} of {}{}\n",
                            fmt::join(box.at("box").get<std::vector<int>>(), " x "),
                            box.at("tensor").get<std::string>(), box.at("swizzled").get<bool>() ? ", swizzled" : "");
    }
    if (launch.at("programmatic").get<bool>()) {
        text += "    may begin before the kernel ahead has ended\n";
    }
    if (launch.contains("registers")) {
        return text +
               fmt::format("    {} registers, {} bytes of static shared memory, spills {} bytes stored, {} loaded\n",
                           launch.at("registers").get<int>(), launch.at("static_shared_bytes").get<int>(),
                           launch.at("spill_store_bytes").get<int>(), launch.at("spill_load_bytes").get<int>());
    }
    return text + fmt::format("    registers and spills are not known: {}\n", compiler);
}

std::string to_text(const json& all) {
    const json& specialization = all.at("specialization");
    const json& dtypes = specialization.at("dtypes");
    std::string text =
        fmt::format("{} on {}: {}{}\n\nkernels\n", all.at("op").get<std::string>(), all.at("target").get<std::string>(),
                    named_values(all.at("dims")), dtypes.empty() ? "" : " " + named_values(dtypes));
    for (const json& candidate : all.at("candidates")) {
        text += fmt::format("  {} {} ({}): {}\n", candidate.at("chosen").get<bool>() ? "*" : "-",
                            candidate.at("kernel").get<std::string>(), candidate.at("family").get<std::string>(),
                            candidate.at("why").get<std::string>());
    }
    const json& batch = specialization.at("batch");
    text += fmt::format("\nlowered for {}, {} {} {}, access {}\n", specialization.at("arch").get<std::string>(),
                        all.at("open_dim").get<std::string>(), batch.at("low").dump(),
                        batch.at("high").is_null() ? "and up" : "to " + batch.at("high").dump(),
                        specialization.at("access").get<std::string>());
    text += fmt::format("numeric plan: {}\n", named_values(specialization.at("plan")));
    text += fmt::format("schedule: {}\n\nlaunches\n", named_values(specialization.at("schedule")));
    for (const json& launch : all.at("launches")) {
        text += launch_text(launch, all.at("compiler").get<std::string>());
    }
    for (const json& workspace : all.at("workspaces")) {
        text += fmt::format("  workspace {}: {} bytes\n", workspace.at("name").get<std::string>(),
                            workspace.at("bytes").get<std::int64_t>());
    }
    const json& roof = all.at("roofline");
    text += fmt::format("\nroofline: {} bytes, {} operations\n", roof.at("bytes").get<std::int64_t>(),
                        roof.at("flops").get<std::int64_t>());
    if (roof.contains("device")) {
        text +=
            fmt::format("  {:.3g} us for the bytes at {:.4g} TB/s, as {} has\n", roof.at("microseconds").get<double>(),
                        roof.at("bytes_per_second").get<double>() / 1e12, roof.at("device").get<std::string>());
    }
    return text;
}

}  // namespace

int explain_command(const Arguments& arguments) {
    const manifest::Manifest* op = named_op(arguments);
    CLI::App app("Says which kernel serves a shape and why, how it is launched, and what it costs.", "tilejit explain");
    std::string name;
    bool as_json = false;
    DimFlags dims;
    DtypeFlags dtypes;
    SpecializeFlags flags;
    app.add_option("OP", name, "the op");
    if (op != nullptr) {
        dims.add(app, *op);
    }
    dtypes.add(app);
    flags.add(app);
    app.add_flag("--json", as_json, "print JSON");
    parse(app, arguments);

    const manifest::Values values = dims.values(*op);
    const Specialization specialization =
        specialize(*op, flags.request(*op, values, dtypes.values(*op), flags.target()));
    const json all = describe(*op, values, flags.target(), specialization);
    if (as_json) {
        print_json(all);
    } else {
        print(to_text(all));
    }
    return kGood;
}

}  // namespace tilejit::cli
