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
constexpr std::int64_t kMaxShared = std::int64_t{1} << 20;  // above any device's
constexpr std::int64_t kMaxCluster = 16;
constexpr std::size_t kMaxMapDims = 5;  // these are the copy engine's limits
constexpr std::int64_t kMaxBox = 256;
constexpr std::int64_t kMaxMapExtent = std::int64_t{1} << 32;
constexpr std::int64_t kMaxMapStride = std::int64_t{1} << 40;
constexpr std::int64_t kMaxRowBytes = std::int64_t{1} << 40;  // so that a sum of a few stays in 64 bits

struct KindName {
    KernelArg::Kind kind;
    const char* name;
};
constexpr KindName kKinds[] = {{KernelArg::Kind::pointer, "pointer"},     {KernelArg::Kind::row_stride, "row_stride"},
                               {KernelArg::Kind::batch, "batch"},         {KernelArg::Kind::param_f32, "param_f32"},
                               {KernelArg::Kind::param_i32, "param_i32"}, {KernelArg::Kind::tensor_map, "tensor_map"}};

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

bool boolean(const Json& json, const std::string& where) {
    if (!json.is_boolean()) {
        fail(where, "true or false");
    }
    return json.get<bool>();
}

TensorMap read_map(const Json& json, const std::string& where) {
    check_keys(json, where, {"dtype", "dims", "swizzled"});
    TensorMap map;
    if (json["dtype"] != "bf16" && json["dtype"] != "f32") {
        fail(where + "/dtype", "bf16 or f32");
    }
    map.dtype = json["dtype"] == "f32" ? DType::f32 : DType::bf16;
    map.swizzled = boolean(json["swizzled"], where + "/swizzled");
    for (const Json& dim : array(json["dims"], where + "/dims", kMaxMapDims)) {
        const std::string at = fmt::format("{}/dims/{}", where, map.dims.size());
        check_keys(dim, at, {"extent", "open", "stride", "by_row", "box"});
        map.dims.push_back(
            {integer(dim["extent"], at + "/extent", 1, kMaxMapExtent), boolean(dim["open"], at + "/open"),
             integer(dim["stride"], at + "/stride", 1, kMaxMapStride), boolean(dim["by_row"], at + "/by_row"),
             static_cast<int>(integer(dim["box"], at + "/box", 1, kMaxBox))});
    }
    if (map.dims.empty() || map.dims[0].stride != 1 || map.dims[0].by_row) {
        fail(where + "/dims", "a first dimension of stride 1");
    }
    return map;
}

KernelArg read_arg(const Json& json, const std::string& where) {
    const bool has_map = json.is_object() && json.contains("kind") && json["kind"] == "tensor_map";
    if (has_map) {
        check_keys(json, where, {"kind", "name", "map"});
    } else {
        check_keys(json, where, {"kind", "name"});
    }
    const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const KindName& entry) { return json["kind"] == entry.name; });
    if (kind == std::end(kKinds)) {
        fail(where + "/kind", "one of pointer, row_stride, batch, param_f32, param_i32, tensor_map");
    }
    KernelArg arg;
    arg.kind = kind->kind;
    if (arg.kind != KernelArg::Kind::batch) {
        arg.name = identifier(json["name"], where + "/name");
    } else if (json["name"] != Json(std::string())) {
        fail(where + "/name", "an empty text for batch");
    }
    if (has_map) {
        arg.map = read_map(json["map"], where + "/map");
    }
    return arg;
}

KernelLaunch read_launch(const Json& json, const std::string& where) {
    check_keys(json, where, {"symbol", "grid", "tiles", "cluster", "programmatic", "threads", "shared_bytes", "args"});
    KernelLaunch launch;
    launch.symbol = identifier(json["symbol"], where + "/symbol");
    if (!json["grid"].is_array() || json["grid"].size() != launch.grid.size()) {
        fail(where + "/grid", "an array of 3 extents");
    }
    for (std::size_t i = 0; i < launch.grid.size(); ++i) {
        launch.grid[i] = read_extent(json["grid"][i], fmt::format("{}/grid/{}", where, i));
    }
    if (!json["tiles"].is_null()) {
        launch.tiles = read_extent(json["tiles"], where + "/tiles");
    }
    launch.cluster = static_cast<int>(integer(json["cluster"], where + "/cluster", 1, kMaxCluster));
    launch.programmatic = boolean(json["programmatic"], where + "/programmatic");
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
    Json json = {{"kind", kind->name}, {"name", arg.name}};
    if (arg.kind == KernelArg::Kind::tensor_map) {
        Json dims = Json::array();
        for (const TensorMap::Dim& dim : arg.map.dims) {
            dims.push_back({{"extent", dim.extent},
                            {"open", dim.open},
                            {"stride", dim.stride},
                            {"by_row", dim.by_row},
                            {"box", dim.box}});
        }
        json["map"] = {{"dtype", name_of(arg.map.dtype)}, {"dims", std::move(dims)}, {"swizzled", arg.map.swizzled}};
    }
    return json;
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
                            {"tiles", launch.tiles ? extent_json(*launch.tiles) : Json()},
                            {"cluster", launch.cluster},
                            {"programmatic", launch.programmatic},
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
