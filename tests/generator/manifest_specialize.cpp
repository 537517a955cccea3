/// From a shape to kernel, range, plan and schedule.
#include "generator/generate.h"
#include "generator/manifest/library.h"
#include "generator/manifest/targets.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit {
namespace {

using manifest::find_manifest;

SpecializeRequest toy_request(std::int64_t rows, std::int64_t n, std::int64_t w, const std::string& arch) {
    SpecializeRequest request;
    request.dims = {{"rows", rows}, {"n", n}, {"w", w}};
    request.dtypes = {{"T", DType::bf16}};
    request.arch = arch;
    return request;
}

SpecializeRequest pre_request(std::int64_t batch, std::int64_t n, std::int64_t c_x) {
    SpecializeRequest request;
    request.dims = {{"batch", batch}, {"n", n}, {"c_x", c_x}};
    request.arch = "sm_90a";
    return request;
}

TEST_CASE("the open dim chooses one of the bucket's ranges") {
    const manifest::Manifest& pre = find_manifest("MHCPreFwdOp");
    const auto range = [&](std::int64_t batch) { return specialize(pre, pre_request(batch, 4, 1280)).batch; };
    CHECK(range(0) == BatchRange{1, 64});
    CHECK(range(1) == BatchRange{1, 64});
    CHECK(range(64) == BatchRange{1, 64});
    CHECK(range(65) == BatchRange{65, 4096});
    CHECK(range(4096) == BatchRange{65, 4096});
    CHECK(range(4097) == BatchRange{4097, BatchRange::kNoLimit});
    CHECK(range(std::int64_t{1} << 50) == BatchRange{4097, BatchRange::kNoLimit});
}

TEST_CASE("a runtime dim has one range") {
    const auto toy = manifest::parse_manifest(test::toy_with("/specialize/rows", "\"runtime\""), "toy.json");
    CHECK(specialize(toy, toy_request(7, 4, 64, "sm_80")).batch == BatchRange{1, BatchRange::kNoLimit});
}

TEST_CASE("dims hold the open one only when it is baked in") {
    const manifest::Manifest& pre = find_manifest("MHCPreFwdOp");
    SpecializeRequest request = pre_request(7, 4, 1280);
    CHECK(specialize(pre, request).dims == Values{{"n", 4}, {"c_x", 1280}});
    request.exact_batch = true;
    CHECK(specialize(pre, request).dims == Values{{"batch", 7}, {"n", 4}, {"c_x", 1280}});
    CHECK(specialize(pre, request).batch == BatchRange{7, 7});
}

TEST_CASE("the numeric plan does not depend on batch, and no chain is longer than 1024") {
    const manifest::Manifest& pre = find_manifest("MHCPreFwdOp");
    for (const std::int64_t c_x : {1, 40, 64, 320, 321, 1280, 2560, 2561, 4096, 7168, 14336, 32768, 32769, 100003}) {
        const Values plan = specialize(pre, pre_request(1, 4, c_x)).plan;
        CHECK(plan == specialize(pre, pre_request(100000, 4, c_x)).plan);
        INFO(c_x);
        CHECK(plan.at("chain") <= 1024);
        CHECK(plan.at("slice") == 2 * plan.at("chain"));
        CHECK(plan.at("slice") % 64 == 0);
        CHECK(plan.at("slices") * plan.at("slice") >= c_x);
        CHECK((plan.at("slices") - 1) * plan.at("slice") < c_x);
    }
    const Values wide = specialize(pre, pre_request(1, 4, 7168)).plan;
    CHECK(wide == Values{{"slice", 448}, {"chain", 224}, {"slices", 16}, {"streams", 4}});
    CHECK(specialize(pre, pre_request(1, 2, 40)).plan ==
          Values{{"slice", 64}, {"chain", 32}, {"slices", 1}, {"streams", 2}});
}

TEST_CASE("the first candidate that fits serves") {
    const manifest::Manifest toy = test::toy_manifest();
    CHECK(specialize(toy, toy_request(1000, 4, 64, "sm_90a")).kernel == "toy_fast");
    CHECK(specialize(toy, toy_request(16, 4, 64, "sm_90a")).kernel == "toy_any");     // rows_high > 16 fails
    CHECK(specialize(toy, toy_request(1000, 4, 512, "sm_90a")).kernel == "toy_any");  // K <= 1024 fails
    CHECK(specialize(toy, toy_request(1000, 4, 64, "sm_80")).kernel == "toy_any");
    SpecializeRequest forced = toy_request(1000, 4, 64, "sm_90a");
    forced.kernel = "toy_any";
    CHECK(specialize(toy, forced).kernel == "toy_any");
}

TEST_CASE("a kernel can ask for aligned access, and the next candidate serves the rest") {
    const auto toy = manifest::parse_manifest(test::toy_with("/kernels/0/when", "\"aligned\""), "toy.json");
    SpecializeRequest request = toy_request(1000, 4, 64, "sm_90a");
    CHECK(specialize(toy, request).kernel == "toy_fast");
    request.access = Access::element;
    CHECK(specialize(toy, request).kernel == "toy_any");
    request.arch = "sm_100a";  // which toy_any does not serve
    CHECK_THROWS_AS(specialize(toy, request), OpNotAvailable);
    CHECK_THROWS_WITH(specialize(toy, request),
                      "ToyOp: found no kernel for n = 4, rows = 1000, w = 64, T = bf16, "
                      "sm_100a, access by element; toy_fast serves where aligned; toy_any "
                      "serves sm_80, sm_90a");
}

TEST_CASE("dtypes are part of the specialisation, and expressions see the sizes of their elements") {
    const auto toy = manifest::parse_manifest(test::toy_with("/kernels/0/plan/chain", "\"8 * T_bytes\""), "toy.json");
    SpecializeRequest request = toy_request(1000, 4, 64, "sm_90a");
    CHECK(specialize(toy, request).dtypes == Dtypes{{"T", DType::bf16}});
    CHECK(specialize(toy, request).plan == Values{{"chain", 16}});
    request.dtypes = {{"T", DType::f32}};
    CHECK(specialize(toy, request).plan == Values{{"chain", 32}});
    request.dtypes = {};
    CHECK_THROWS_WITH(specialize(toy, request), "ToyOp: found no dtype of T, expected T = bf16 or f32");
}

TEST_CASE("schedules follow the rules, overrides included") {
    const manifest::Manifest toy = test::toy_manifest();
    CHECK(specialize(toy, toy_request(100, 4, 64, "sm_90a")).schedule == Values{{"tokens", 8}, {"stages", 2}});
    CHECK(specialize(toy, toy_request(1000, 4, 64, "sm_90a")).schedule == Values{{"tokens", 16}, {"stages", 3}});
    SpecializeRequest request = toy_request(100, 4, 64, "sm_90a");
    request.schedule = {{"tokens", 16}};
    CHECK(specialize(toy, request).schedule == Values{{"tokens", 16}, {"stages", 3}});
    request.schedule = {{"stages", 4}};
    CHECK(specialize(toy, request).schedule == Values{{"tokens", 8}, {"stages", 4}});
}

TEST_CASE("parameters that are compiled in are part of the specialisation, others are not") {
    const manifest::Manifest toy = test::toy_manifest();
    SpecializeRequest request = toy_request(1, 4, 64, "sm_80");
    CHECK(specialize(toy, request).params == std::map<std::string, double>{{"times", 2}});
    request.params = {{"times", 5}};
    CHECK(specialize(toy, request).params == std::map<std::string, double>{{"times", 5}});
    CHECK(specialize(find_manifest("MHCPreFwdOp"), pre_request(1, 4, 64)).params.empty());
}

TEST_CASE("every workload of the in-tree ops can be specialised for every target") {
    for (const std::string& op : manifest::builtin_manifests().ops()) {
        const manifest::Manifest& entry = find_manifest(op);
        for (const manifest::Workload& workload : entry.workloads) {
            for (const std::string& arch : manifest::architecture_names()) {
                SpecializeRequest request;
                request.dims = workload.dims;
                request.dtypes = workload.dtypes;
                request.arch = arch;
                INFO(op << " " << workload.label << " " << arch);
                CHECK_NOTHROW(specialize(entry, request));
            }
        }
    }
}

TEST_CASE("every n and awkward widths can be specialised") {
    for (const std::string& op : manifest::builtin_manifests().ops()) {
        for (std::int64_t n = 1; n <= 32; ++n) {
            for (const std::int64_t c_x : {1, 7, 63, 65, 8191, 14336, 100003}) {
                INFO(op << " " << n << " " << c_x);
                CHECK_NOTHROW(specialize(find_manifest(op), pre_request(3, n, c_x)));
            }
        }
    }
}

TEST_CASE("the canonical text is stable and tells specialisations apart") {
    const manifest::Manifest toy = test::toy_manifest();
    const SpecializeRequest request = toy_request(1000, 4, 64, "sm_90a");
    CHECK(canonical_text(specialize(toy, request)) ==
          R"({"access":"aligned","arch":"sm_90a","batch":{"high":null,"low":257},"dims":{"n":4,"w":64},)"
          R"("dtypes":{"T":"bf16"},"kernel":"toy_fast","op":"ToyOp","params":{"times":2.0},"plan":{"chain":64},)"
          R"("schedule":{"stages":3,"tokens":16}})");
    std::set<std::string> texts;
    SpecializeRequest other = request;
    texts.insert(canonical_text(specialize(toy, other)));
    other.access = Access::element;
    texts.insert(canonical_text(specialize(toy, other)));
    other.exact_batch = true;
    texts.insert(canonical_text(specialize(toy, other)));
    other.dims["n"] = 2;
    texts.insert(canonical_text(specialize(toy, other)));
    other.arch = "sm_100a";
    texts.insert(canonical_text(specialize(toy, other)));
    other.params = {{"times", 3}};
    texts.insert(canonical_text(specialize(toy, other)));
    other.schedule = {{"tokens", 8}};
    texts.insert(canonical_text(specialize(toy, other)));
    other.dtypes = {{"T", DType::f32}};
    texts.insert(canonical_text(specialize(toy, other)));
    CHECK(texts.size() == 8);
}

TEST_CASE("devices are served by their own entry or their family's") {
    const auto served = [](int major, int minor) {
        const auto found = manifest::family_of(major, minor);
        return found ? std::string(found->architecture->name) + (found->own ? "" : " (family)") : "none";
    };
    for (const manifest::Architecture& architecture : manifest::architectures()) {
        CHECK(served(architecture.major, architecture.minor) == architecture.name);
    }
    CHECK(served(8, 7) == "sm_80 (family)");
    CHECK(served(12, 1) == "sm_120a (family)");
    CHECK(served(7, 5) == "none");
    CHECK(served(9, 1) == "none");
    CHECK(served(10, 1) == "none");
    CHECK(served(11, 0) == "none");
}

}  // namespace
}  // namespace tilejit
