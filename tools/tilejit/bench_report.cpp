#include "tools/tilejit/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tilejit/error.h"
#include "tools/tilejit/arguments.h"

namespace tilejit::cli {
namespace {

using nlohmann::json;

/// Of ascending samples; `p` from 0 to 1.
double quantile(const std::vector<double>& samples, double p) {
    const double at = p * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(at));
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (at - std::floor(at)) * (samples[above] - samples[below]);
}

/// The value of a dim or dtype variable.
std::string value_text(const BenchRow& row, const std::string& name) {
    const auto dim = row.dims.find(name);
    return dim != row.dims.end() ? std::to_string(dim->second) : std::string(name_of(row.dtypes.at(name)));
}

}  // namespace

Spread spread_of(std::vector<double> samples) {
    internal_check(!samples.empty(), "a spread of no measurements");
    std::sort(samples.begin(), samples.end());
    return {quantile(samples, 0.5), samples.front(), quantile(samples, 0.1), quantile(samples, 0.9), samples.size()};
}

BenchTable::BenchTable(const manifest::Manifest& op, const std::vector<BenchRow>& rows) {
    for (const manifest::Dim& dim : op.dims) {
        names_.push_back(dim.name);
    }
    for (const manifest::DtypeVariable& variable : op.dtypes) {
        names_.push_back(variable.name);
    }
    for (const std::string& name : names_) {
        widths_.push_back(name.size());
        for (const BenchRow& row : rows) {
            widths_.back() = std::max(widths_.back(), value_text(row, name).size());
        }
    }
    for (const BenchRow& row : rows) {
        if (!row.label.empty()) {
            label_width_ = std::max({label_width_, row.label.size(), std::string("workload").size()});
        }
    }
}

std::string BenchTable::left_columns(const std::string& label, const std::vector<std::string>& columns) const {
    std::string text = label_width_ == 0 ? "" : fmt::format("{:{}}  ", label, label_width_);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        text += fmt::format("{:>{}}  ", columns[i], widths_[i]);
    }
    return text;
}

std::string BenchTable::head() const {
    return left_columns("workload", names_) + fmt::format("{:>9} {:>9} {:>9} {:>9}  {:>6} {:>6}  {:>7}  {}\n", "us",
                                                          "min", "p10", "p90", "GB/s", "% copy", "host us", "kernel");
}

std::string BenchTable::line(const BenchRow& row, const CopyRate& copy) const {
    std::vector<std::string> values;
    for (const std::string& name : names_) {
        values.push_back(value_text(row, name));
    }
    return left_columns(row.label, values) +
           fmt::format("{:9.2f} {:9.2f} {:9.2f} {:9.2f}  {:6.0f} {:6.1f}  {:7.2f}  {}\n", row.device_us.median,
                       row.device_us.min, row.device_us.p10, row.device_us.p90, row.bytes_per_second() * 1e-9,
                       100 * row.bytes_per_second() / copy.bytes_per_second(), row.host_us.median, row.kernel);
}

std::string place_line(const BenchPlace& place) {
    return fmt::format("{}, driver for CUDA {}, NVRTC {}, {}", place.gpu, place.driver, place.nvrtc, place.date);
}

json to_json(const Spread& spread) {
    return {{"median", spread.median},
            {"min", spread.min},
            {"p10", spread.p10},
            {"p90", spread.p90},
            {"count", spread.count}};
}

json to_json(const BenchPlace& place) {
    return {{"gpu", place.gpu}, {"driver", place.driver}, {"nvrtc", place.nvrtc}, {"date", place.date}};
}

json to_json(const CopyRate& copy) {
    return {{"bytes", copy.bytes}, {"us", to_json(copy.us)}, {"tb_per_second", copy.bytes_per_second() * 1e-12}};
}

json to_json(const BenchRow& row, const CopyRate& copy) {
    json result = {{"dims", row.dims},
                   {"dtypes", to_json(row.dtypes)},
                   {"kernel", row.kernel},
                   {"us", to_json(row.device_us)},
                   {"host_us", to_json(row.host_us)},
                   {"sets", row.sets},
                   {"bytes", row.bytes},
                   {"gb_per_second", row.bytes_per_second() * 1e-9},
                   {"percent_of_copy", 100 * row.bytes_per_second() / copy.bytes_per_second()}};
    if (!row.label.empty()) {
        result["label"] = row.label;
    }
    return result;
}

}  // namespace tilejit::cli
