#include "runtime/driver/driver.h"

#include "tests/catch.h"
#include "tests/runtime/fake_driver.h"
#include "tilejit/error.h"

using namespace tilejit;
using testing::FakeDriver;

namespace {

template <class Function>
std::string message_of(const Function& function) {
    try {
        function();
    } catch (const DriverError& error) {
        return error.what();
    }
    return "no DriverError";
}

}  // namespace

TEST_CASE("a missing libcuda says what to install and that host works without", "[driver]") {
    const std::string text = message_of([] { load_driver({"libtilejit-absent.so.1"}); });
    CHECK_THAT(text, Catch::Contains("libcuda"));
    CHECK_THAT(text, Catch::Contains("`host`"));
    CHECK_THAT(text, Catch::Contains("libtilejit-absent.so.1"));
}

TEST_CASE("a library that is no driver names the missing call", "[driver]") {
    CHECK_THAT(message_of([] { load_driver({"libm.so.6"}); }), Catch::Contains("libm.so.6 has no `cuInit`"));
}

TEST_CASE("an old driver is refused with both versions", "[driver]") {
    FakeDriver fake;
    fake.driver_version = 11080;
    const std::string text = message_of([&] { start_driver(fake.api()); });
    CHECK_THAT(text, Catch::Contains("11.8"));
    CHECK_THAT(text, Catch::Contains("12.0"));
    CHECK(fake.count("cuInit") == 0);
}

TEST_CASE("a failed call carries the call, CUDA's name and text, and a remedy", "[driver]") {
    FakeDriver fake;
    const cuda::DriverApi api = fake.api();
    try {
        check_driver(api, cuda::kErrorOutOfMemory, "cuMemAllocAsync", "1024 bytes");
        FAIL("nothing was thrown");
    } catch (const DriverError& error) {
        CHECK(error.call() == "cuMemAllocAsync");
        CHECK(error.name() == "CUDA_ERROR_OUT_OF_MEMORY");
        CHECK_THAT(error.what(), Catch::Contains("out of memory"));
        CHECK_THAT(error.what(), Catch::Contains("1024 bytes"));
        CHECK_THAT(error.what(), Catch::Contains("Free device memory"));
    }
    CHECK_NOTHROW(check_driver(api, cuda::kSuccess, "cuInit"));
}

TEST_CASE("a context scope restores what was current, also when an exception passes", "[driver]") {
    FakeDriver fake;
    const cuda::DriverApi api = fake.api();
    const cuda::Context callers = FakeDriver::context_of(7);
    fake.contexts = {callers};
    try {
        const ContextScope scope(api, FakeDriver::context_of(0));
        CHECK(fake.contexts.back() == FakeDriver::context_of(0));
        throw 1;
    } catch (int) {
    }
    CHECK(fake.contexts == std::vector<cuda::Context>{callers});
}
