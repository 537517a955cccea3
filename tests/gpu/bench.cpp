// `tilejit bench` on the device: what it prints is complete and sane.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/support/process.h"

using namespace tilejit;
using nlohmann::json;

namespace {

void check_row(const json& row) {
    INFO(row.dump(2));
    const json& us = row.at("us");
    CHECK(us.at("count") >= 31);
    CHECK(us.at("min") > 0);
    CHECK(us.at("min") <= us.at("p10"));
    CHECK(us.at("p10") <= us.at("median"));
    CHECK(us.at("median") <= us.at("p90"));
    CHECK(us.at("median") < 1e5);
    CHECK(row.at("host_us").at("count") >= 1000);
    CHECK(row.at("sets") >= 3);
    CHECK(row.at("percent_of_copy") > 0);
    CHECK(row.at("percent_of_copy") < 110);
    CHECK(row.at("kernel").get<std::string>().size() > 1);
}

}  // namespace

TEST_CASE("bench: small and large batches, aligned and not") {
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        for (const char* access : {"aligned", "element"}) {
            INFO(op << " " << access);
            const test::ProcessResult result = test::run_cli(
                {"bench", op, "--batch", "1,3000", "--n", "4", "--c-x", "1280", "--access", access, "--json"});
            INFO(result.err);
            REQUIRE(result.code == 0);
            const json all = json::parse(result.out);
            CHECK(all.at("copy").at("tb_per_second") > 0.1);
            CHECK(all.at("place").at("gpu").get<std::string>().size() > 1);
            REQUIRE(all.at("rows").size() == 2);
            check_row(all.at("rows").at(0));
            check_row(all.at("rows").at(1));
        }
    }
}

TEST_CASE("bench: the table has a line for each shape") {
    const test::ProcessResult result =
        test::run_cli({"bench", "MHCPostFwdOp", "--batch", "16", "--n", "4", "--c-x", "64"});
    INFO(result.err);
    REQUIRE(result.code == 0);
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 4);
    CHECK(result.out.find("TB/s") != std::string::npos);
}
