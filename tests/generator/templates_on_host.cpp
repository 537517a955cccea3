/// Device templates compiled for the host: threads run one after the other. What they write to shared
/// memory lies where the layouts say, and what they read is what was there.
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/catch.h"

#define __device__
#define __shared__
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __CUDA_ARCH__ 900
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

struct Coordinates {
    unsigned x = 0;
    unsigned y = 0;
    unsigned z = 0;
};
inline Coordinates threadIdx;
inline const Coordinates blockIdx;

struct uint2 {
    unsigned v[2];
};
struct uint4 {
    unsigned v[4];
};

inline float __uint_as_float(unsigned bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}
inline float __fsub_rn(float a, float b) { return a - b; }
inline std::uint64_t __cvta_generic_to_shared(const void*) { return 0; }

namespace tj {
alignas(1024) unsigned char bytes[1U << 16U];
}

#include "templates/parts.h"
#include "templates/shared.h"
#pragma GCC diagnostic pop

namespace tilejit::test {
namespace {

/// Runs `body` as every thread of the block.
template <class Body>
void for_threads(int first, int count, const Body& body) {
    for (int t = first; t < first + count; ++t) {
        threadIdx.x = static_cast<unsigned>(t);
        body();
    }
}

// Axes: 0 stream (4), 1 token (8), 2 column (128).

/// Each thread 8 columns of all streams; 2 copies of 4 warps from the third warp on.
struct Streaming {
    static constexpr tj::Layout value{128, 2, {{2, 16, 8, 1}, {1, 8, 1, 16}}, 2, {{2, 8, 1, 1}, {0, 4, 1, 8}}, 64, 2};
};
/// As the tokens of a matrix product: stream and half of the columns a warp, 32 columns at a time.
struct Operand {
    static constexpr tj::Layout value{
        256, 5, {{0, 4, 1, 32}, {3, 2, 1, 128}, {4, 4, 1, 1}, {1, 2, 4, 4}, {1, 4, 1, 8}}, 1, {{5, 8, 1, 1}}};
};
/// 40 threads of 64 hold 3 columns each of all 8 tokens, one column too many.
struct Padded {
    static constexpr tj::Layout value{64, 1, {{2, 43, 3, 1}}, 2, {{2, 3, 1, 1}, {1, 8, 1, 3}}};
};

/// {stream, token, column} in blocks of 64 columns, swizzled; 3 slots that change every second position.
struct Ring {
    using type = tj::bf16;
    static constexpr tj::Buffer value{2048, 3, 2, 8192, 64, 512, true};
};
struct RingView {
    static constexpr tj::View value{
        3,
        {{1024, false, false, 1, {0}, {1}}, {64, false, false, 1, {1}, {1}}, {1, false, false, 1, {2}, {1}}},
        0,
        {},
        {}};
};
struct OperandView {
    static constexpr tj::View value{3,
                                    {{1024, false, false, 1, {0}, {1}},
                                     {64, false, false, 1, {1}, {1}},
                                     {1, false, false, 3, {3, 4, 5}, {64, 8, 1}}},
                                    0,
                                    {},
                                    {}};
};

unsigned short stored(int slot, int stream, int token, int column) {
    const int byte = 2 * (1024 * stream + 64 * token + 512 * (column / 64) + column % 64);
    unsigned short bits = 0;
    std::memcpy(&bits, tj::bytes + 2048 + 8192 * slot + (byte ^ (byte >> 7 & 7) << 4), 2);
    return bits;
}

unsigned short mark(int stream, int token, int column) {
    return static_cast<unsigned short>(stream * 1024 + token * 128 + column);
}

void write_ring(unsigned position) {
    std::memset(tj::bytes, 0xff, sizeof(tj::bytes));
    for_threads(192, 128, [&] {
        tj::Tile<tj::bf16, Streaming> tile;
        for (int s = 0; s < 32; ++s) {
            tile.set(s, {mark(Streaming::value.coord(0, static_cast<int>(threadIdx.x) - 192, s),
                              Streaming::value.coord(1, static_cast<int>(threadIdx.x) - 192, s),
                              Streaming::value.coord(2, static_cast<int>(threadIdx.x) - 192, s))});
        }
        tj::write<Ring, RingView, 8>(tile, position);
    });
}

TEST_CASE("a slot holds elements where its storage says, swizzled in blocks") {
    for (const auto& [position, slot] : {std::pair{0U, 0}, {1U, 0}, {3U, 1}, {5U, 2}, {6U, 0}, {17U, 2}}) {
        INFO("position " << position);
        write_ring(position);
        for (int stream = 0; stream < 4; ++stream) {
            for (int token = 0; token < 8; ++token) {
                for (int column = 0; column < 128; ++column) {
                    REQUIRE(stored(slot, stream, token, column) == mark(stream, token, column));
                }
            }
        }
        CHECK(stored((slot + 1) % 3, 0, 0, 0) == 0xffff);
        CHECK(stored((slot + 2) % 3, 3, 7, 127) == 0xffff);
    }
}

TEST_CASE("another layout reads what was written, from any origin") {
    write_ring(3);
    for (const int origin : {0, 32}) {
        for_threads(0, 256, [&] {
            const auto tile = tj::read<Operand, Ring, OperandView, 8>(3, {{0, 0, origin}});
            const int t = static_cast<int>(threadIdx.x);
            for (int s = 0; s < 8; ++s) {
                const int column = origin + 64 * Operand::value.coord(3, t, s) + 8 * Operand::value.coord(4, t, s) +
                                   Operand::value.coord(5, t, s);
                REQUIRE(tile.get(s).bits == mark(Operand::value.coord(0, t, s), Operand::value.coord(1, t, s), column));
            }
        });
    }
}

struct Rows {
    using type = tj::f32;
    static constexpr tj::Buffer value{64, 1, 1, 0, 0, 0, false};
};
struct RowsView {
    static constexpr tj::View value{
        2, {{132, false, false, 1, {1}, {1}}, {1, false, false, 1, {2}, {1}}}, 1, {2}, {128}};
};

TEST_CASE("padding is neither written nor read") {
    std::memset(tj::bytes, 0, sizeof(tj::bytes));
    const auto column_of = [](int s) { return Padded::value.coord(2, static_cast<int>(threadIdx.x) % 64, s); };
    for_threads(0, 64, [&] {
        tj::Tile<tj::f32, Padded> tile;
        for (int s = 0; s < tile.kSlots; ++s) {
            tile.set(s, static_cast<float>(1000 * (s / 3) + column_of(s) + 1));
        }
        tj::write<Rows, RowsView, 1>(tile);
    });
    for (int token = 0; token < 8; ++token) {
        for (int column = 0; column < 132; ++column) {
            float value = 0;
            std::memcpy(&value, tj::bytes + 64 + 4 * (132 * token + column), 4);
            REQUIRE(value == (column < 128 ? static_cast<float>(1000 * token + column + 1) : 0.0F));
        }
    }
    for_threads(0, 64, [&] {
        const auto tile = tj::read<Padded, Rows, RowsView, 1>();
        for (int s = 0; s < tile.kSlots; ++s) {
            const int column = column_of(s);
            REQUIRE(tile.get(s) == (column < 128 ? static_cast<float>(1000 * (s / 3) + column + 1) : 0.0F));
        }
    });
}

TEST_CASE("threads are numbered within their copy of the role, and one of those alike owns") {
    for_threads(64, 256, [] {
        const int number = static_cast<int>(threadIdx.x - 64) % 128;
        REQUIRE(tj::thread_number<Streaming>() == static_cast<unsigned>(number));
        REQUIRE(tj::thread_coord<Streaming, 2>() == Streaming::value.thread_coord(2, number));
        REQUIRE(tj::owner<Streaming>());
    });
    int owners = 0;
    for_threads(0, 64, [&] {
        REQUIRE(tj::owner<Padded>() == Padded::value.owner(static_cast<int>(threadIdx.x)));
        owners += tj::owner<Padded>() ? 1 : 0;
    });
    CHECK(owners == 43);
}

// Axis 6: turn (3).
struct Turns {
    static constexpr tj::Layout value{32, 0, {}, 3, {{5, 8, 1, 1}, {6, 3, 1, 8}, {0, 2, 1, 24}}};
};
struct OneTurn {
    static constexpr tj::Layout value{32, 0, {}, 2, {{5, 8, 1, 1}, {0, 2, 1, 8}}};
};
struct OddTurns {
    static constexpr tj::Layout value{32, 0, {}, 2, {{6, 3, 1, 1}, {5, 5, 1, 3}}};
};
struct OddTurn {
    static constexpr tj::Layout value{32, 0, {}, 1, {{5, 5, 1, 1}}};
};

TEST_CASE("select takes one coordinate's elements, of pairs and of single slots") {
    tj::Tile<tj::bf16, Turns> pairs;
    tj::Tile<tj::f32, Turns> numbers;
    for (int s = 0; s < 48; ++s) {
        pairs.set(s, {static_cast<unsigned short>(s)});
        numbers.set(s, static_cast<float>(s));
    }
    tj::Tile<tj::bf16, OddTurns> odd;
    for (int s = 0; s < 15; ++s) {
        odd.set(s, {static_cast<unsigned short>(s)});
    }
    for (int turn = 0; turn < 3; ++turn) {
        const auto two = tj::select<OneTurn, 6, 3>(pairs, turn);
        const auto wide = tj::select<OneTurn, 6, 3>(numbers, turn);
        for (int s = 0; s < 16; ++s) {
            const int from = s % 8 + 8 * turn + 24 * (s / 8);
            CHECK(two.get(s).bits == from);
            CHECK(wide.get(s) == static_cast<float>(from));
        }
        const auto one = tj::select<OddTurn, 6, 3>(odd, turn);
        for (int s = 0; s < 5; ++s) {
            CHECK(one.get(s).bits == turn + 3 * s);
        }
    }
}

}  // namespace
}  // namespace tilejit::test
