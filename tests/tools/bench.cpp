// What `tilejit bench` decides and writes without a device.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "generator/manifest/library.h"
#include "tests/catch.h"
#include "tools/tilejit/bench_plan.h"
#include "tools/tilejit/bench_report.h"
#include "tools/tilejit/cli.h"

using namespace tilejit;
using namespace tilejit::cli;

namespace {

constexpr std::int64_t kMega = 1'000'000;

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

BenchRow row(const std::string& label, std::int64_t batch) {
    BenchRow result{.label = label, .dims = {{"batch", batch}, {"n", 4}, {"c_x", 2560}}};
    result.kernel = "some_kernel";
    result.bytes = 200 * kMega;
    result.sets = 3;
    result.device_us = spread_of({100, 100, 100});
    result.host_us = spread_of({5});
    return result;
}

/// 1 GB in 250 us: 4 TB/s.
CopyRate copy_rate() { return {1000 * kMega, spread_of({250})}; }

}  // namespace

TEST_CASE("bench: quantiles are those of the sorted samples, interpolated") {
    const Spread odd = spread_of({9, 1, 5});
    CHECK(odd.median == 5);
    CHECK(odd.min == 1);
    CHECK(near(odd.p10, 1.8));
    CHECK(near(odd.p90, 8.2));
    CHECK(odd.count == 3);
    CHECK(near(spread_of({4, 1, 2, 3}).median, 2.5));
    const Spread one = spread_of({7});
    CHECK((one.median == 7 && one.min == 7 && one.p10 == 7 && one.p90 == 7));
    CHECK_THROWS_AS(spread_of({}), InternalError);
}

TEST_CASE("bench: sets exceed four caches, are three at least and fit the memory") {
    const std::vector<PlannedTensor> tensors = {{1000, 4}, {512, 2}, {10, 2}};
    const SetPlan small = plan_sets(tensors, Access::aligned, 60'000, 1000 * kMega);
    CHECK(small.offsets == std::vector<std::int64_t>{0, 1024, 1536});
    CHECK(small.set_bytes == 2048);
    CHECK(small.total_bytes() > 4 * 60'000);
    CHECK((small.sets - 1) * small.set_bytes <= 4 * 60'000);

    const std::vector<PlannedTensor> large = {{500 * kMega, 2}};
    CHECK(plan_sets(large, Access::aligned, 60 * kMega, 100'000 * kMega).sets == 3);
    CHECK(plan_sets(tensors, Access::aligned, 60 * kMega, 10 * 2048 + 1).sets == 10);
    CHECK(plan_sets(tensors, Access::aligned, 60 * kMega, 100'000 * kMega).sets == 16384);
    CHECK_THROWS_AS(plan_sets(large, Access::aligned, 60 * kMega, 1499 * kMega), EnvironmentError);
    CHECK_THROWS_AS(plan_sets(large, Access::aligned, 60 * kMega, -1), EnvironmentError);
}

TEST_CASE("bench: with element access every tensor begins one element behind the alignment") {
    const std::vector<PlannedTensor> tensors = {{1024, 4}, {512, 2}, {10, 2}};
    const SetPlan plan = plan_sets(tensors, Access::element, 1, 1000 * kMega);
    CHECK(plan.offsets == std::vector<std::int64_t>{4, 1536 + 2, 2560 + 2});
    CHECK(plan.set_bytes == 3072);
}

TEST_CASE("bench: checked tokens are different and hold the first and the last") {
    CHECK(sampled_tokens(1) == std::vector<std::int64_t>{0});
    CHECK(sampled_tokens(2) == std::vector<std::int64_t>{0, 1});
    CHECK(sampled_tokens(3) == std::vector<std::int64_t>{0, 1, 2});
    CHECK(sampled_tokens(16384) == std::vector<std::int64_t>{0, 5461, 10922, 16383});
    CHECK(random_rows(7) == 7);
    CHECK(random_rows(16384) < 16384);
}

TEST_CASE("bench: rates follow from bytes and medians") {
    CHECK(near(copy_rate().bytes_per_second(), 4e12));
    CHECK(near(row("", 1).bytes_per_second(), 2e12));
    const nlohmann::json json = to_json(row("", 1), copy_rate());
    CHECK(near(json.at("gb_per_second"), 2000));
    CHECK(near(json.at("percent_of_copy"), 50));
    CHECK(json.at("us").at("count") == 3);
    CHECK(json.at("dims").at("c_x") == 2560);
    CHECK_FALSE(json.contains("label"));
    CHECK(to_json(row("large", 1), copy_rate()).at("label") == "large");
}

TEST_CASE("bench: the table's columns stand one below the other") {
    const manifest::Manifest& op = manifest::find_manifest("MHCPreFwdOp");
    const std::vector<BenchRow> rows = {row("b1", 1), row("b16384_n4_c2560", 16384)};
    const BenchTable table(op, rows);
    const std::string head = table.head();
    const std::size_t kernel_at = head.find("kernel");
    for (const BenchRow& each : rows) {
        const std::string line = table.line(each, copy_rate());
        INFO(head + line);
        CHECK(line.rfind(each.label + " ", 0) == 0);
        CHECK(line.find("some_kernel") == kernel_at);
        CHECK(line.find(" 2000 ") != std::string::npos);
        CHECK(line.find(" 50.0 ") != std::string::npos);
        CHECK(line.back() == '\n');
    }
    const BenchTable plain(op, {row("", 16)});
    CHECK(plain.head().find("workload") == std::string::npos);
    CHECK(plain.head().rfind("batch  n   c_x ", 0) == 0);
    CHECK(plain.line(row("", 16), copy_rate()).rfind("   16  4  2560 ", 0) == 0);
}
