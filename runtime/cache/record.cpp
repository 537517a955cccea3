#include "runtime/cache/record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilejit/error.h"

namespace tilejit {

namespace {

void to_json(nlohmann::json& json, const KernelResources& resources) {
    json = {{"symbol", resources.symbol},
            {"registers", resources.registers},
            {"shared_bytes", resources.shared_bytes},
            {"stack_bytes", resources.stack_bytes},
            {"spill_store_bytes", resources.spill_store_bytes},
            {"spill_load_bytes", resources.spill_load_bytes}};
}

KernelResources resources_from(const nlohmann::json& json) {
    KernelResources result;
    json.at("symbol").get_to(result.symbol);
    json.at("registers").get_to(result.registers);
    json.at("shared_bytes").get_to(result.shared_bytes);
    json.at("stack_bytes").get_to(result.stack_bytes);
    json.at("spill_store_bytes").get_to(result.spill_store_bytes);
    json.at("spill_load_bytes").get_to(result.spill_load_bytes);
    return result;
}

}  // namespace

void to_json(nlohmann::json& json, const KernelRecord& record) {
    nlohmann::json resources = nlohmann::json::array();
    for (const KernelResources& kernel : record.resources) {
        to_json(resources.emplace_back(), kernel);
    }
    json = {{"schema", kKeySchema},
            {"op", record.op},
            {"arch", record.arch},
            {"spec_key", record.spec_key},
            {"build_key", record.build_key},
            {"manifest_digest", record.parts.manifest_digest},
            {"generator_digest", record.parts.generator_digest},
            {"specialization", record.parts.specialization},
            {"options", record.parts.options},
            {"source_digest", record.source_digest},
            {"nvrtc_version", record.nvrtc_version},
            {"cubin_digest", record.cubin_digest},
            {"plan", record.plan},
            {"resources", resources}};
}

void from_json(const nlohmann::json& json, KernelRecord& record) {
    try {
        const int schema = json.at("schema").get<int>();
        if (schema != kKeySchema) {
            throw FileError(fmt::format("kernel record: expected schema {}, found {}", kKeySchema, schema));
        }
        json.at("op").get_to(record.op);
        json.at("arch").get_to(record.arch);
        json.at("spec_key").get_to(record.spec_key);
        json.at("build_key").get_to(record.build_key);
        json.at("manifest_digest").get_to(record.parts.manifest_digest);
        json.at("generator_digest").get_to(record.parts.generator_digest);
        json.at("specialization").get_to(record.parts.specialization);
        json.at("options").get_to(record.parts.options);
        json.at("source_digest").get_to(record.source_digest);
        json.at("nvrtc_version").get_to(record.nvrtc_version);
        json.at("cubin_digest").get_to(record.cubin_digest);
        json.at("plan").get_to(record.plan);
        for (const nlohmann::json& kernel : json.at("resources")) {
            record.resources.push_back(resources_from(kernel));
        }
    } catch (const nlohmann::json::exception& error) {
        throw FileError(fmt::format("kernel record: {}", error.what()));
    }
}

KernelRecord parse_record(const std::string& text) {
    KernelRecord record;
    try {
        nlohmann::json::parse(text).get_to(record);
    } catch (const nlohmann::json::exception& error) {
        throw FileError(fmt::format("kernel record: {}", error.what()));
    }
    if (record.spec_key != spec_key(record.parts)) {
        throw FileError(fmt::format("kernel record: the key {} does not follow from its parts", record.spec_key));
    }
    return record;
}

}  // namespace tilejit
