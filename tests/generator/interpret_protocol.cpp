/// Roles, barriers and copies on the CPU: right under every schedule, and what is wrong is said.
#include "generator/interpret/mutate.h"
#include "tests/generator/program_support.h"
#include "tests/generator/protocol_programs.h"
#include "tilejit/error.h"

namespace tilejit::test {
namespace {

/// The tensors of the programs by hand; `y` has rows for both blocks of the exchange.
HostTensors hand_tensors(std::int64_t batch) {
    HostTensors tensors;
    HostTensor x(DType::f32, batch, Hand::kColumns);
    for (std::int64_t i = 0; i < batch * Hand::kColumns; ++i) {
        x.set(i / Hand::kColumns, i % Hand::kColumns, static_cast<float>(i % 37));
    }
    tensors.emplace("x", std::move(x));
    tensors.emplace("y", HostTensor(DType::f32, batch, Hand::kColumns));
    tensors.emplace("sums", HostTensor(DType::f32, batch, 1));
    tensors.emplace("factor", HostTensor::of(DType::f32, 1, 2, {1, 2}));
    return tensors;
}

HostTensors run_hand(const ir::Program& program, std::int64_t batch, const interpret::Options& options = {}) {
    HostTensors tensors = hand_tensors(batch);
    interpret::Bindings bindings;
    for (auto& [name, tensor] : tensors) {
        bindings.tensors[name] = tensor.data();
    }
    bindings.batch = batch;
    interpret::run(program, bindings, options);
    return tensors;
}

/// What the interpreter has against the program; empty when nothing.
std::string fault_of(const ir::Program& program, std::int64_t batch, const interpret::Options& options = {}) {
    try {
        run_hand(program, batch, options);
        return "";
    } catch (const ProtocolError& error) {
        return error.what();
    }
}

constexpr std::uint64_t kSeeds = 30;

void check_schedules(const ir::Program& program, float factor) {
    for (const std::int64_t batch : {1, 4, 9, 50}) {
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
            INFO("batch " << batch << " seed " << seed);
            const HostTensors tensors = run_hand(program, batch, {seed, 2, true, false});
            for (std::int64_t i = 0; i < batch * Hand::kColumns; ++i) {
                const std::int64_t row = i / Hand::kColumns;
                const std::int64_t column = i % Hand::kColumns;
                REQUIRE(tensors.at("y").get(row, column) == factor * tensors.at("x").get(row, column));
            }
        }
    }
}

TEST_CASE("rings, updates in place and exchanges are right under every schedule") {
    check_schedules(ring_program(), 2);
    check_schedules(update_program(), 2);
    check_schedules(exchange_program(), 3);
}

TEST_CASE("any number of clusters shares the tiles") {
    for (const std::int64_t clusters : {1, 2, 3, 100}) {
        CHECK(run_hand(exchange_program(), 50, {0, clusters, false, false}) == run_hand(exchange_program(), 50));
    }
}

/// Every mutation of the program must be noticed: an error, or other numbers.
void check_mutants(const ir::Program& program, std::size_t expected) {
    constexpr std::int64_t kBatch = 50;
    const HostTensors good = run_hand(program, kBatch);
    const std::vector<interpret::Mutation> all = interpret::mutations(program);
    CHECK(all.size() == expected);
    for (const interpret::Mutation& mutation : all) {
        const ir::Program wrong = interpret::mutated(program, mutation);
        bool caught = false;
        for (std::uint64_t seed = 0; seed < 4 && !caught; ++seed) {
            caught = !fault_of(wrong, kBatch, {seed, 2, true, false}).empty();
            caught = caught || run_hand(wrong, kBatch, {seed, 2, true, false}) != good;
        }
        INFO(mutation.at.line << ": " << mutation.what);
        CHECK(caught);
    }
}

TEST_CASE("each synchronisation is needed: a program that lacks it, or has it elsewhere, is noticed") {
    check_mutants(ring_program(), 13);
    check_mutants(update_program(), 29);
    check_mutants(exchange_program(), 27);
}

TEST_CASE("one tile is enough to miss a wait for a free slot") {
    for (const ir::Program& program : {ring_program(), update_program(), exchange_program()}) {
        const interpret::Options again{0, 2, false, true};
        CHECK(run_hand(program, 1, again) == run_hand(program, 1));
        for (const interpret::Mutation& removal : interpret::removals(program)) {
            INFO(removal.at.line << ": " << removal.what);
            CHECK_FALSE(fault_of(interpret::mutated(program, removal), 1, again).empty());
        }
    }
}

/// The message about a program without statement `line` of "hand.cpp".
std::string without(const ir::Program& program, int line, std::int64_t batch = 50) {
    for (const interpret::Mutation& mutation : interpret::mutations(program)) {
        if (mutation.at.line == line && mutation.kind == interpret::Mutation::Kind::remove) {
            return fault_of(interpret::mutated(program, mutation), batch);
        }
    }
    return "no such line";
}

TEST_CASE("messages name the barrier or the tile, the roles, their lines and turns") {
    CHECK(without(ring_program(), 1) ==
          "hand.cpp:4: role `load` (position 0, turn 0): uses `rows.free` (slot 0) before it was prepared");
    CHECK(without(ring_program(), 2) ==
          "hand.cpp:8: role `scale` (position 0, turn 0): uses `rows.full` (slot 0) without having met the threads "
          "that prepared it");
    CHECK(without(ring_program(), 4) ==
          "hand.cpp:5: role `load` (position 2, turn 2): announces bytes for phase 1 of `rows.full` (slot 0), which is "
          "in phase 0: 0 of 1 arrivals are missing, 256 bytes have not landed");
    CHECK(without(ring_program(), 8) ==
          "hand.cpp:9: race on `rows`: role `scale` reads it at hand.cpp:9 (position 0, turn 0), and role `load` fills "
          "it by a copy at hand.cpp:6 (position 0, turn 0): nothing makes the one wait for the other");
    CHECK(without(ring_program(), 10) ==
          "kernel `hand`: every role waits for another:\n"
          "  hand.cpp:4: role `load` (turn 2) waits for phase 0 of `rows.free` (slot 0), position 2: 2 of 2 arrivals "
          "are missing\n"
          "  hand.cpp:8: role `scale` (turn 2) waits for phase 1 of `rows.full` (slot 0), position 2: 1 of 1 arrivals "
          "are missing");
    CHECK(without(update_program(), 13) ==
          "hand.cpp:15: race on `rows`: role `scale` stores it by a copy at hand.cpp:15 (position 0, turn 0), and role "
          "`scale` writes it at hand.cpp:12 (position 0, turn 0): the copy engine does not see what the role wrote "
          "without a proxy fence after the write");
    CHECK(without(update_program(), 16) ==
          "hand.cpp:6: race on `rows`: role `load` fills it by a copy at hand.cpp:6 (position 2, turn 2), and role "
          "`scale` stores it by a copy at hand.cpp:15 (position 0, turn 0): nothing makes the one wait for the other");
    CHECK(without(exchange_program(), 26) ==
          "kernel `hand`: block 0 ends while others may still send to it: the cluster does not meet at the end");
}

TEST_CASE("a role that is short of turns is noticed at the end") {
    // One tile: no slot is ever filled again.
    CHECK(without(ring_program(), 10, 4) ==
          "hand.cpp:6: role `load` (position 0, turn 0): nothing releases the slot of `rows` that it fills: phase 0 of "
          "`rows.free` (slot 0): 2 of 2 arrivals are missing");
    CHECK(without(update_program(), 16, 4) ==
          "hand.cpp:15: role `scale` (position 0, turn 0): ends while the copy engine may still read `rows`: nothing "
          "waits for the copy out");
}

TEST_CASE("a slot released too early is noticed although nobody fills it again") {
    ir::Program program = ring_program();
    std::vector<ir::Stmt>& body = std::get<ir::TileLoop>(program.kernels[0].roles[1].body[0].op).body;
    std::swap(body[1], body[2]);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        CHECK(fault_of(program, 4, {seed, 2, false, false}) ==
              "hand.cpp:6: race on `rows`: role `load` would fill it next at hand.cpp:6 (position 2), and role `scale` "
              "reads it at hand.cpp:9 (position 0, turn 0): nothing makes the one wait for the other");
    }
}

TEST_CASE("tiles that overlap in shared memory race although their names differ") {
    Hand h;
    const ir::BufferId a = h.buffer("a", 1, {h.row, h.column});
    const ir::BufferId b = h.buffer("b", 1, {h.row, h.column});
    ir::TileLoop& role = h.role("role", 2);
    const ir::ValueId in = h.tile(2, {h.row, h.column});
    const ir::ValueId out = h.tile(2, {h.row, h.column}, true);
    h.add(role.body, ir::Load{in, h.x, h.rows(role), {}});
    h.add(role.body, ir::SharedStore{in, a, {}, Hand::whole({h.row, h.column}), {}});
    h.add(role.body, ir::SharedStore{in, b, {}, Hand::whole({h.row, h.column}), {}});
    h.add(role.body, ir::Barrier{});
    h.add(role.body, ir::SharedLoad{out, a, {}, Hand::whole({h.row, h.column}), {}});
    h.add(role.body, ir::Barrier{});
    h.add(role.body, ir::Store{out, h.y, h.rows(role), {}});
    CHECK(fault_of(h.program, 4).empty());
    h.kernel().buffers[1].offset = 32;
    CHECK(
        fault_of(h.program, 4) ==
        "hand.cpp:4: race on `b`: role `role` writes it at hand.cpp:4 (position 0, turn 0), and role `role` writes it "
        "at hand.cpp:3 (position 0, turn 0): other lanes of the same warp, which have not met in between");
}

TEST_CASE("lanes of one warp that have not met race; those that keep to their elements do not") {
    for (const bool turned : {false, true}) {
        Hand h;
        const ir::BufferId a = h.buffer("a", 1, {h.row, h.column});
        ir::TileLoop& role = h.role("role", 1);
        const ir::ValueId in = h.tile(1, {h.row, h.column});
        const ir::ValueId out = h.tile(1, {h.row, h.column}, turned);
        h.add(role.body, ir::Load{in, h.x, h.rows(role), {}});
        h.add(role.body, ir::SharedStore{in, a, {}, Hand::whole({h.row, h.column}), {}});
        h.add(role.body, ir::SharedLoad{out, a, {}, Hand::whole({h.row, h.column}), {}});
        h.add(role.body, ir::Store{out, h.y, h.rows(role), {}});
        CHECK(fault_of(h.program, 50) ==
              (turned ? "hand.cpp:4: race on `a`: role `role` reads it at hand.cpp:4 (position 0, turn 0), and role "
                        "`role` writes it at hand.cpp:3 (position 0, turn 0): other lanes of the same warp, which have "
                        "not met in between"
                      : ""));
    }
}

TEST_CASE("roles that write the same element of a tensor race, if that is watched") {
    Hand h;
    for (const char* name : {"first", "second"}) {
        ir::TileLoop& role = h.role(name, 1);
        const ir::ValueId in = h.tile(1, {h.row, h.column});
        h.add(role.body, ir::Load{in, h.x, h.rows(role), {}});
        h.add(role.body, ir::Store{in, h.y, h.rows(role), {}});
    }
    CHECK(fault_of(h.program, 4).empty());
    CHECK(fault_of(h.program, 4, {0, 2, true, false}) ==
          "hand.cpp:6: race on `y`: role `second` writes it at hand.cpp:6 (turn 0), and role `first` writes it at "
          "hand.cpp:3 (turn 0): nothing makes the one wait for the other");
}

TEST_CASE("only weights may be touched before the wait for the kernels ahead") {
    for (const bool weights : {true, false}) {
        Hand h;
        h.program.tensors[static_cast<std::size_t>(h.x)].weights = weights;
        ir::TileLoop& role = h.role("role", 1);
        const ir::ValueId in = h.tile(1, {h.row, h.column});
        h.add(role.body, ir::Load{in, h.x, h.rows(role), {}});
        h.add(role.body, ir::DependencyWait{});
        h.add(role.body, ir::Store{in, h.y, h.rows(role), {}});
        CHECK(fault_of(h.program, 4) ==
              (weights ? ""
                       : "hand.cpp:2: role `role` (turn 0): touches `x` before it waits for the kernels ahead of "
                         "this one; only weights may be read that early"));
        h.add(h.kernel().prologue, ir::LaunchDependents{});
        role.body.erase(role.body.begin() + 1);
        CHECK(fault_of(h.program, 4) ==
              (weights ? "hand.cpp:4: role `role` (turn 0): touches `y` before it waits for the kernels ahead of this "
                         "one; only weights may be read that early"
                       : "hand.cpp:2: role `role` (turn 0): touches `x` before it waits for the kernels ahead of this "
                         "one; only weights may be read that early"));
    }
}

TEST_CASE("integers show which terms were computed, not in which order") {
    const auto sums = [](const std::function<void(Hand&, ir::TileLoop&, ir::ValueId)>& body) {
        Hand h;
        ir::TileLoop& role = h.role("role", 1);
        const ir::ValueId in = h.tile(1, {h.row, h.column});
        h.add(role.body, ir::Load{in, h.x, h.rows(role), {}});
        body(h, role, in);
        return interpret::run_exact(h.program, {}, 6).at("y");
    };
    const auto doubled = [&](ir::Function function) {
        return sums([&](Hand& h, ir::TileLoop& role, ir::ValueId in) {
            const ir::ValueId rounded = h.tile(1, {h.row, h.column});
            const ir::ValueId out = h.tile(1, {h.row, h.column});
            h.add(role.body, ir::Map{rounded, ir::Function::to_bf16, {in}});
            h.add(role.body, ir::Map{out, function, {in, rounded}});
            h.add(role.body, ir::Store{out, h.y, h.rows(role), {}});
        });
    };
    const auto twice = sums([&](Hand& h, ir::TileLoop& role, ir::ValueId in) {
        const ir::ValueId two = h.tile(1, {});
        const ir::ValueId out = h.tile(1, {h.row, h.column});
        h.add(role.body, ir::Constant{two, 2});
        h.add(role.body, ir::Map{out, ir::Function::mul, {two, in}});
        h.add(role.body, ir::Store{out, h.y, h.rows(role), {}});
    });
    CHECK(doubled(ir::Function::add) == twice);
    CHECK(doubled(ir::Function::mul) != twice);
    CHECK(doubled(ir::Function::div) != twice);
    CHECK(twice.size() == 6 * Hand::kColumns);
}

}  // namespace
}  // namespace tilejit::test
