#include "generator/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "tilejit/error.h"

namespace tilejit {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxLaunches = 64;
constexpr std::size_t kMaxArgs = 128;
constexpr std::size_t kMaxWorkspaces = 64;
constexpr std::size_t kMaxName = 256;
constexpr std::int64_t kMaxGrid = INT32_MAX;  // of x, the largest axis
constexpr std::int64_t kMaxThreads = 1024;
constexpr std::int64_t kMaxShared = std::int64_t{1} << 20;    // above any device's
constexpr std::int64_t kMaxRowBytes = std::int64_t{1} << 40;  // so that a sum of a few stays in 64 bits

struct KindName {
    KernelArg::Kind kind;
    const char* name;
};
constexpr KindName kKinds[] = {{KernelArg::Kind::pointer, "pointer"},
                               {KernelArg::Kind::row_stride, "row_stride"},
                               {KernelArg::Kind::batch, "batch"},
                               {KernelArg::Kind::param_f32, "param_f32"},
                               {KernelArg::Kind::param_i32, "param_i32"}};

[[noreturn]] void fail(const std::string& where, const std::string& expected) {
    throw FileError(fmt::format("launch plan: {}: expected {}", where, expected));
}

void check_keys(const Json& json, const std::string& where, std::initializer_list<const char*> keys) {
    const bool right = json.is_object() && json.size() == keys.size() &&
                       std::all_of(keys.begin(), keys.end(), [&](const char* key) { return json.contains(key); });
    if (!right) {
        fail(where, fmt::format("an object with exactly {}", fmt::join(keys, ", ")));
    }
}

std::int64_t integer(const Json& json, const std::string& where, std::int64_t min, std::int64_t max) {
    const bool fits = json.is_number_integer() &&
                      !(json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{INT64_MAX});
    if (!fits || json.get<std::int64_t>() < min || json.get<std::int64_t>() > max) {
        fail(where, fmt::format("an integer from {} to {}", min, max));
    }
    return json.get<std::int64_t>();
}

/// A C identifier.
std::string identifier(const Json& json, const std::string& where) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto rest = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
    const std::string* text = json.get_ptr<const std::string*>();
    if (text == nullptr || text->empty() || text->size() > kMaxName || !letter((*text)[0]) ||
        !std::all_of(text->begin(), text->end(), rest)) {
        fail(where, fmt::format("an identifier of at most {} characters", kMaxName));
    }
    return *text;
}

const Json& array(const Json& json, const std::string& where, std::size_t most) {
    if (!json.is_array() || json.size() > most) {
        fail(where, fmt::format("an array of at most {} entries", most));
    }
    return json;
}

Extent read_extent(const Json& json, const std::string& where) {
    check_keys(json, where, {"constant", "per"});
    Extent extent;
    extent.constant = integer(json["constant"], where + "/constant", 0, kMaxGrid);
    extent.per = integer(json["per"], where + "/per", 0, kMaxGrid);
    return extent;
}

KernelArg read_arg(const Json& json, const std::string& where) {
    check_keys(json, where, {"kind", "name"});
    const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const KindName& entry) { return json["kind"] == entry.name; });
    if (kind == std::end(kKinds)) {
        fail(where + "/kind", "one of pointer, row_stride, batch, param_f32, param_i32");
    }
    KernelArg arg;
    arg.kind = kind->kind;
    if (arg.kind != KernelArg::Kind::batch) {
        arg.name = identifier(json["name"], where + "/name");
    } else if (json["name"] != Json(std::string())) {
        fail(where + "/name", "an empty text for batch");
    }
    return arg;
}

KernelLaunch read_launch(const Json& json, const std::string& where) {
    check_keys(json, where, {"symbol", "grid", "threads", "shared_bytes", "args"});
    KernelLaunch launch;
    launch.symbol = identifier(json["symbol"], where + "/symbol");
    if (!json["grid"].is_array() || json["grid"].size() != launch.grid.size()) {
        fail(where + "/grid", "an array of 3 extents");
    }
    for (std::size_t i = 0; i < launch.grid.size(); ++i) {
        launch.grid[i] = read_extent(json["grid"][i], fmt::format("{}/grid/{}", where, i));
    }
    launch.threads = static_cast<int>(integer(json["threads"], where + "/threads", 1, kMaxThreads));
    launch.shared_bytes = integer(json["shared_bytes"], where + "/shared_bytes", 0, kMaxShared);
    for (const Json& arg : array(json["args"], where + "/args", kMaxArgs)) {
        launch.args.push_back(read_arg(arg, fmt::format("{}/args/{}", where, launch.args.size())));
    }
    return launch;
}

Json extent_json(const Extent& extent) { return {{"constant", extent.constant}, {"per", extent.per}}; }

Json arg_json(const KernelArg& arg) {
    const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const KindName& entry) { return entry.kind == arg.kind; });
    internal_check(kind != std::end(kKinds), "every kind of argument has a name");
    return {{"kind", kind->name}, {"name", arg.name}};
}

}  // namespace

void to_json(Json& json, const LaunchPlan& plan) {
    Json launches = Json::array();
    for (const KernelLaunch& launch : plan.launches) {
        Json grid = Json::array();
        for (const Extent& extent : launch.grid) {
            grid.push_back(extent_json(extent));
        }
        Json args = Json::array();
        for (const KernelArg& arg : launch.args) {
            args.push_back(arg_json(arg));
        }
        launches.push_back({{"symbol", launch.symbol},
                            {"grid", std::move(grid)},
                            {"threads", launch.threads},
                            {"shared_bytes", launch.shared_bytes},
                            {"args", std::move(args)}});
    }
    Json workspaces = Json::array();
    for (const Workspace& workspace : plan.workspaces) {
        workspaces.push_back({{"name", workspace.name}, {"bytes_per_row", workspace.bytes_per_row}});
    }
    json = {{"launches", std::move(launches)}, {"workspaces", std::move(workspaces)}};
}

void from_json(const Json& json, LaunchPlan& plan) {
    check_keys(json, "(root)", {"launches", "workspaces"});
    LaunchPlan result;
    for (const Json& launch : array(json["launches"], "/launches", kMaxLaunches)) {
        result.launches.push_back(read_launch(launch, fmt::format("/launches/{}", result.launches.size())));
    }
    for (const Json& workspace : array(json["workspaces"], "/workspaces", kMaxWorkspaces)) {
        const std::string where = fmt::format("/workspaces/{}", result.workspaces.size());
        check_keys(workspace, where, {"name", "bytes_per_row"});
        Workspace entry;
        entry.name = identifier(workspace["name"], where + "/name");
        entry.bytes_per_row = integer(workspace["bytes_per_row"], where + "/bytes_per_row", 0, kMaxRowBytes);
        for (const Workspace& other : result.workspaces) {
            if (other.name == entry.name) {
                fail(where + "/name", "a name that no other workspace has");
            }
        }
        result.workspaces.push_back(std::move(entry));
    }
    plan = std::move(result);
}

}  // namespace tilejit
