#include "runtime/op/resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mutex>

#include "generator/manifest/targets.h"
#include "tilejit/error.h"

namespace tilejit {

namespace {

constexpr std::string_view kHost = "host";
constexpr std::string_view kHostPrefix = "host:";

struct DefaultTarget {
    std::mutex mutex;
    std::string name;
};

DefaultTarget& default_slot() {
    static DefaultTarget* const kInstance = new DefaultTarget;
    return *kInstance;
}

}  // namespace

std::vector<std::string> list_targets() {
    std::vector<std::string> names = manifest::architecture_names();
    const std::size_t count = names.size();
    names.emplace_back(kBuiltin);
    names.emplace_back(kHost);
    for (std::size_t i = 0; i < count; ++i) {
        names.push_back(std::string(kHostPrefix) + names[i]);
    }
    return names;
}

void set_default_target(std::string_view name) {
    if (!name.empty()) {
        parse_target(name);
    }
    const std::lock_guard lock(default_slot().mutex);
    default_slot().name = name;
}

std::string default_target() {
    const std::lock_guard lock(default_slot().mutex);
    return default_slot().name;
}

TargetSet parse_target(std::string_view name) {
    if (name == kBuiltin) {
        return {TargetSet::Kind::builtin, ""};
    }
    if (name == kHost) {
        return {TargetSet::Kind::host, std::string(kHostLowering)};
    }
    const bool on_host = name.substr(0, kHostPrefix.size()) == kHostPrefix;
    const std::string_view arch = on_host ? name.substr(kHostPrefix.size()) : name;
    if (manifest::find_architecture(arch) == nullptr) {
        throw UnknownTarget(
            fmt::format("there is no target `{}`. The targets are: {}.", name, fmt::join(list_targets(), ", ")));
    }
    return {on_host ? TargetSet::Kind::host : TargetSet::Kind::pinned, std::string(arch)};
}

TargetSet choose_set(std::string_view name, Device device) {
    if (!name.empty()) {
        return parse_target(name);
    }
    if (const std::string fallback = default_target(); !fallback.empty()) {
        return parse_target(fallback);
    }
    return parse_target(device.kind == Device::Kind::cpu ? kHost : kBuiltin);
}

void check_memory(const TargetSet& set, Device device, std::string_view op) {
    if (set.kind == TargetSet::Kind::host && device.kind != Device::Kind::cpu) {
        throw TargetError(
            fmt::format("{}: the op's target is `host`, which runs on tensors in CPU memory, and the tensors "
                        "are on {}. Copy them to the CPU, or construct an op for the GPU.",
                        op, name_of(device)));
    }
    if (set.kind != TargetSet::Kind::host && device.kind == Device::Kind::cpu) {
        throw TargetError(
            fmt::format("{}: the op's target is `{}`, which runs on tensors in GPU memory, and the tensors are "
                        "in CPU memory. Copy them to the GPU, or construct an op with target `host`.",
                        op, set.kind == TargetSet::Kind::builtin ? std::string(kBuiltin) : set.arch));
    }
}

ResolvedArch resolve_arch(const TargetSet& set, int major, int minor, Device device) {
    const auto found = manifest::family_of(major, minor);
    if (!found) {
        throw OpNotAvailable(
            fmt::format("{} has compute capability {}.{}, which no in-tree architecture serves. There are "
                        "kernels for: {}.",
                        name_of(device), major, minor, fmt::join(manifest::architecture_names(), ", ")));
    }
    const std::string lowering(found->architecture->name);
    if (set.kind == TargetSet::Kind::pinned && (set.arch != lowering || !found->own)) {
        throw TargetError(
            fmt::format("the op's target names {} and {} is a device of compute capability {}.{}, which {} "
                        "serves. Construct the op with target `{}`, or with none.",
                        set.arch, name_of(device), major, minor, lowering, kBuiltin));
    }
    // A cubin of sm_120a runs on 12.0 alone; the family's feature set runs on every 12.x.
    const bool by_family = !found->own && major == 12;
    return {lowering, by_family ? "sm_120f" : lowering};
}

}  // namespace tilejit
