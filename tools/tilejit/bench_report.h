/// \file What `bench` measured, and how it is written: statistics, a table, JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "generator/manifest/manifest.h"

namespace tilejit::cli {

/// Quantiles of measurements, in their unit; between two measurements they are interpolated.
struct Spread {
    double median = 0;
    double min = 0;
    double p10 = 0;
    double p90 = 0;
    std::size_t count = 0;
};

/// Throws `InternalError` without measurements.
Spread spread_of(std::vector<double> samples);

/// Where measurements were made.
struct BenchPlace {
    std::string gpu;
    std::string driver;  ///< the newest CUDA version that the driver serves, `13.0`
    std::string nvrtc;
    std::string date;  ///< UTC, `2026-01-31`
};

/// Copies of large buffers within the device.
struct CopyRate {
    std::int64_t bytes = 0;  ///< of one copy, read and written
    Spread us;
    double bytes_per_second() const { return static_cast<double>(bytes) / us.median * 1e6; }
};

struct BenchRow {
    std::string label = {};  ///< the manifest's workload, or empty
    manifest::Values dims = {};
    Dtypes dtypes = {};
    std::string kernel = {};
    std::int64_t bytes = 0;  ///< the least traffic, by the manifest's roofline
    std::int64_t sets = 0;   ///< of tensors that the calls took in turn
    Spread device_us = {};
    Spread host_us = {};
    double bytes_per_second() const { return static_cast<double>(bytes) / device_us.median * 1e6; }
};

/// A table written line by line. Column widths follow from `rows`, of which labels, dims and dtypes are
/// known before the rest is measured.
class BenchTable {
public:
    BenchTable(const manifest::Manifest& op, const std::vector<BenchRow>& rows);
    std::string head() const;
    std::string line(const BenchRow& row, const CopyRate& copy) const;

private:
    std::string left_columns(const std::string& label, const std::vector<std::string>& columns) const;

    std::vector<std::string> names_;  ///< of dims and dtype variables
    std::size_t label_width_ = 0;     ///< 0: no row has a label
    std::vector<std::size_t> widths_;
};

std::string place_line(const BenchPlace& place);
nlohmann::json to_json(const Spread& spread);
nlohmann::json to_json(const BenchPlace& place);
nlohmann::json to_json(const CopyRate& copy);
nlohmann::json to_json(const BenchRow& row, const CopyRate& copy);

}  // namespace tilejit::cli
