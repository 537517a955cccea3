#include "runtime/cache/single_flight.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/catch.h"

using namespace tilejit;

TEST_CASE("many threads that want one key make it once", "[single_flight]") {
    SingleFlight<int> flight;
    std::atomic<int> made{0};
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) {
        threads.emplace_back([&] {
            const auto value = flight.get("key", [&] {
                ++made;
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                return std::make_shared<const int>(42);
            });
            right += *value == 42 ? 1 : 0;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(made == 1);
    CHECK(right == 16);
}

TEST_CASE("an exception reaches its waiters and is then forgotten", "[single_flight]") {
    SingleFlight<int> flight;
    const auto fail = []() -> std::shared_ptr<const int> { throw std::runtime_error("no"); };
    CHECK_THROWS_WITH(flight.get("key", fail), "no");
    CHECK(*flight.get("key", [] { return std::make_shared<const int>(1); }) == 1);
    CHECK(*flight.get("key", fail) == 1);
}

TEST_CASE("another key does not wait", "[single_flight]") {
    SingleFlight<int> flight;
    std::promise<void> hold;
    std::promise<void> started;
    std::thread slow([&] {
        flight.get("slow", [&] {
            started.set_value();
            hold.get_future().wait();
            return std::make_shared<const int>(1);
        });
    });
    started.get_future().wait();
    CHECK(*flight.get("quick", [] { return std::make_shared<const int>(2); }) == 2);
    hold.set_value();
    slow.join();
}
