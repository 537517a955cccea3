/// \file The main of gpu/'s tests: without a device they end as skipped. Tests can be listed anywhere.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "tests/catch_session.h"

namespace {

constexpr int kSkipped = 4;  // ctest's SKIP_RETURN_CODE of these tests

bool has_device() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) {
        return false;
    }
    const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
    const auto count_devices = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
    int count = 0;
    return init != nullptr && count_devices != nullptr && init(0) == 0 && count_devices(&count) == 0 && count > 0;
}

bool only_lists(std::string_view argument) {
    return argument.starts_with("--list") || argument == "-l" || argument == "-t" || argument == "-h" ||
           argument == "-?" || argument == "--help";
}

}  // namespace

int main(int argc, char** argv) {
    if (std::none_of(argv + 1, argv + argc, only_lists) && !has_device()) {
        std::puts("skipped: no CUDA device");
        return kSkipped;
    }
    return tilejit::run_catch(argc, argv);
}
