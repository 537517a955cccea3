/// \file A small manifest that uses every feature, and ways to spoil it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "generator/manifest/manifest.h"
#include "tests/catch.h"
#include "tilejit/error.h"

namespace tilejit::test {

/// Matches a text that contains `part`.
inline auto contains(const std::string& part) {
#if TILEJIT_CATCH_VERSION == 2
    return Catch::Matchers::Contains(part);
#else
    return Catch::Matchers::ContainsSubstring(part);
#endif
}

using Json = nlohmann::ordered_json;

inline constexpr const char* kToyManifest = R"json({
  "$schema": "./op.schema.json",
  "op": "ToyOp",
  "family": "toy",
  "layout": "rows",
  "doc": "Scales rows.",
  "signature": {
    "dims": {
      "rows": {"doc": "rows", "min": 0},
      "n": {"doc": "parts of a row", "min": 1, "max": 8},
      "w": {"doc": "width of a part"}
    },
    "dtypes": {"T": ["bf16", "f32"]},
    "params": {
      "gain": {"type": "f32", "default": 1.5, "min": -4, "max": 4, "doc": "a factor"},
      "times": {"type": "i32", "default": 2, "min": 0, "bind": "compile"}
    },
    "let": {"K": "n * w", "P": "n * n + n"},
    "inputs": [
      {"name": "m", "dtype": "f32", "shape": ["P", 2], "alignment": 8, "doc": "a table"},
      {"name": "x", "dtype": "T", "shape": ["rows", "K"]},
      {"name": "mask", "dtype": "bf16", "shape": ["rows"], "optional": true}
    ],
    "outputs": [
      {"name": "y", "dtype": "T", "shape": ["rows", "n * w"], "alignment": 16, "may_alias": "x"},
      {"name": "s", "dtype": "f32", "shape": ["rows"], "optional": true}
    ],
    "rules": [{"holds": "w % 2 == 0", "message": "a part holds pairs"}]
  },
  "specialize": {"rows": {"bucket": [16, 256]}, "n": "exact", "w": "exact"},
  "kernels": [
    {
      "name": "toy_fast",
      "family": "fast",
      "doc": "for clusters",
      "targets": ["sm_90a", "sm_100a"],
      "when": "K <= 1024 and clusters >= 8 and rows_high > 16",
      "plan": {"chain": "min(K, 64)"},
      "space": {"tokens": [8, 16], "stages": {"min": 1, "max": 4}},
      "schedule": {"tokens": [{"when": "rows_high <= 256", "value": 8}, {"value": 16}], "stages": "tokens // 8 + 1"}
    },
    {
      "name": "toy_any",
      "family": "any",
      "targets": ["sm_80", "sm_90a"],
      "plan": {"chain": [{"when": "w > 64", "value": 64}, {"value": "w"}], "chains": "ceil_div(w, chain)"},
      "space": {"tokens": [4, 8]},
      "schedule": {"tokens": 8}
    }
  ],
  "tolerance": {
    "y": {"slack": 2e-5, "relative": 1e-5, "absolute": 1e-6, "scale": "gain"},
    "s": {"relative": 1e-5, "absolute": 1e-6}
  },
  "roofline": {"bytes": "2 * T_bytes * rows * K", "flops": "rows * K"},
  "workloads": [
    {"label": "one", "dims": {"rows": 1, "n": 4, "w": 64}, "dtypes": {"T": "bf16"}},
    {"label": "many", "dims": {"rows": 4096, "n": 2, "w": 128}, "dtypes": {"T": "f32"}}
  ]
})json";

inline Json toy_json() { return Json::parse(kToyManifest); }

inline manifest::Manifest toy_manifest() { return manifest::parse_manifest(kToyManifest, "toy.json"); }

/// The toy manifest with `value` (JSON text) at `pointer`.
inline std::string toy_with(const std::string& pointer, const std::string& value) {
    Json json = toy_json();
    json[Json::json_pointer(pointer)] = Json::parse(value);
    return json.dump(2);
}

inline std::string toy_without(const std::string& pointer) {
    Json json = toy_json();
    const Json::json_pointer at(pointer);
    Json& parent = json[at.parent_pointer()];
    if (parent.is_array()) {
        parent.erase(static_cast<std::size_t>(std::stoul(at.back())));
    } else {
        parent.erase(at.back());
    }
    return json.dump(2);
}

/// What `parse_manifest` has against `text`; empty when it accepts it.
inline std::string manifest_error(const std::string& text) {
    try {
        manifest::parse_manifest(text, "toy.json");
        return "";
    } catch (const ManifestError& error) {
        return error.what();
    }
}

}  // namespace tilejit::test
