/// Ops that are not the project's own: nothing that passes put in to keep their roles apart is in vain.
#include "tests/support/sample_ops.h"
#include "generator/generate.h"
#include "generator/interpret/survivors.h"
#include "tests/catch.h"

using namespace tilejit;

namespace {

void check_all_noticed(const std::string& op, SpecializeRequest request) {
    for (const char* arch : {"sm_80", "sm_90a"}) {
        request.arch = arch;
        const interpret::Mutants mutants(lower(specialize(test::sample_manifest(op), request)),
                                         request.dims.at("batch"), 3);
        CHECK(mutants.all().size() > 15);
        for (const interpret::Mutation& mutation : mutants.all()) {
            INFO(arch << ": " << mutation.at.file << ":" << mutation.at.line << ": " << mutation.what);
            CHECK(mutants.noticed(mutation));
        }
    }
}

}  // namespace

TEST_CASE("a pipelined softmax, by one copy of its role and by two") {
    SpecializeRequest request;
    request.dims = {{"batch", 6}, {"width", 64}};
    for (const std::int64_t copies : {1, 2}) {
        request.schedule = {{"copies", copies}, {"stages", 2}};
        check_all_noticed("RowSoftmaxOp", request);
    }
}

TEST_CASE("a matrix product that fills a ring in a loop") {
    SpecializeRequest request;
    request.dims = {{"batch", 10}, {"k", 2048}, {"m", 16}};
    request.schedule = {{"stages", 2}};
    check_all_noticed("SkinnyGemmOp", request);
}
