#include "runtime/compile/compile.h"

#include <fmt/format.h>

#include <cstdlib>

#include "tests/catch.h"
#include "tilejit/error.h"

using namespace tilejit;

namespace {

const NvrtcApi& api() {
    static const NvrtcApi instance = load_nvrtc();
    return instance;
}

constexpr const char* kScale = R"(
extern "C" __global__ void scale(float* data, long long count, float factor) {
    __shared__ float tile[32];
    tile[threadIdx.x & 31] = factor;
    __syncthreads();
    if (threadIdx.x < count) data[threadIdx.x] *= tile[0];
}
extern "C" __global__ void spill(float* data) {
    float values[128];
    for (int i = 0; i < 128; ++i) values[i] = data[i] * 2;
    data[0] = values[static_cast<int>(data[1])];
}
)";

}  // namespace

TEST_CASE("every in-tree architecture compiles", "[nvrtc]") {
    for (const std::string arch : {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a"}) {
        INFO(arch);
        const Cubin cubin = compile(api(), kScale, arch);
        CHECK(cubin.image.substr(0, 4) ==
              "\x7f"
              "ELF");
        CHECK_THAT(cubin.ptx, Catch::Contains(".target " + arch));
        CHECK(cubin.nvrtc_version == api().full_version);
        REQUIRE(cubin.kernels.size() == 2);
        for (const KernelResources& kernel : cubin.kernels) {
            CHECK(kernel.registers > 0);
            CHECK(kernel.spill_store_bytes == 0);
            CHECK(kernel.shared_bytes == (kernel.symbol == "scale" ? 128 : 0));
            CHECK((kernel.stack_bytes > 0) == (kernel.symbol == "spill"));
        }
    }
}

TEST_CASE("the version tells the build", "[nvrtc]") {
    CHECK_THAT(api().full_version, Catch::Matches(R"(\d+\.\d+\.\d+ \(CL-\d+\))"));
    CHECK(version_from_ptx("// nothing known").empty());
    CHECK(version_from_ptx("// Compiler Build ID: CL-42\n// Cuda compilation tools, release 12.4, V12.4.99\n") ==
          "12.4.99 (CL-42)");
}

TEST_CASE("refused source throws with log, source and options, and leaves nothing behind", "[nvrtc]") {
    const std::string source = "extern \"C\" __global__ void f() { not_declared(); }";
    for (int attempt = 0; attempt < 2; ++attempt) {
        try {
            compile(api(), source, "sm_90a");
            FAIL("nothing was thrown");
        } catch (const CompileError& error) {
            CHECK_THAT(error.log(), Catch::Contains("not_declared"));
            CHECK(error.source() == source);
            CHECK_THAT(error.options(), Catch::Contains("-arch=sm_90a"));
            CHECK_THAT(error.what(), Catch::Contains("not_declared"));
        }
    }
}

TEST_CASE("an unknown architecture names the known ones", "[nvrtc]") {
    try {
        compile(api(), kScale, "sm_77");
        FAIL("nothing was thrown");
    } catch (const DriverError& error) {
        CHECK_THAT(error.what(), Catch::Contains("sm_77"));
        CHECK_THAT(error.what(), Catch::Contains("sm_80") && Catch::Contains("sm_90"));
    }
}

TEST_CASE("no fused multiply-add unless it is written", "[nvrtc]") {
    const Cubin cubin =
        compile(api(), "extern \"C\" __global__ void f(float* a) { a[0] = a[1] * a[2] + a[3]; }", "sm_90a");
    CHECK_THAT(cubin.ptx, !Catch::Contains("fma"));
    CHECK_THAT(cubin.ptx, Catch::Contains("mul.rn.f32") && Catch::Contains("add.rn.f32"));
}

TEST_CASE("a missing NVRTC says how to name one", "[nvrtc]") {
    CHECK_THROWS_WITH(load_nvrtc({"/absent/libnvrtc.so.13"}),
                      Catch::Contains("TILEJIT_NVRTC") && Catch::Contains("/absent/libnvrtc.so.13"));
    CHECK_THROWS_WITH(load_nvrtc({"libm.so.6"}), Catch::Contains("libm.so.6 has no `nvrtcVersion`"));
}

TEST_CASE("TILEJIT_NVRTC is the only place searched when it is set", "[nvrtc]") {
    setenv("TILEJIT_NVRTC", "/some/where/libnvrtc.so", 1);
    CHECK(nvrtc_candidates() == std::vector<std::string>{"/some/where/libnvrtc.so"});
    unsetenv("TILEJIT_NVRTC");
    const std::vector<std::string> names = nvrtc_candidates();
    CHECK(std::find(names.begin(), names.end(), "libnvrtc.so.13") != names.end());
    CHECK(names.back() == "/usr/local/cuda/lib64/libnvrtc.so");
}

TEST_CASE("ptxas' report is read kernel by kernel", "[nvrtc]") {
    const auto kernels = parse_resources(
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function 'one' for 'sm_90a'\n"
        "ptxas info    : Function properties for one\n"
        "ptxas         .     400 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads\n"
        "ptxas info    : Used 255 registers, used 3 barriers, 400 bytes cumulative stack size, 1024 bytes smem\n"
        "ptxas info    : Compiling entry function 'two' for 'sm_90a'\n"
        "ptxas info    : Used 9 registers, used 0 barriers");
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0] == KernelResources{"one", 255, 1024, 400, 24, 32});
    CHECK(kernels[1] == KernelResources{"two", 9, 0, 0, 0, 0});
    CHECK(parse_resources("").empty());
}
