#include <random>

#include "tests/catch.h"
#include "tests/error/safetensors_bytes.h"

using namespace tilejit;

namespace {

std::vector<std::byte> seed_file() {
    safetensors::File file;
    file.metadata = {{"op", "SomeOp"}, {"batch", "2"}};
    file.tensors["x"] = {safetensors::DType::bf16, {2, 3}, std::vector<std::byte>(12)};
    file.tensors["phi"] = {safetensors::DType::f32, {4}, std::vector<std::byte>(16)};
    file.tensors["want"] = {safetensors::DType::f64, {1, 2, 1}, std::vector<std::byte>(16)};
    file.tensors["none"] = {safetensors::DType::i64, {0, 5}, {}};
    return safetensors::serialize(file, "seed");
}

std::size_t below(std::mt19937_64& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

void mutate(std::vector<std::byte>& bytes, std::mt19937_64& random) {
    static const std::vector<std::string> kPieces = {"-1",
                                                     "[",
                                                     "]",
                                                     "{",
                                                     "}",
                                                     "\"",
                                                     ",",
                                                     ":",
                                                     "0",
                                                     "9999999999999999999",
                                                     "1e9",
                                                     "null",
                                                     "\"shape\":",
                                                     "[0,4]",
                                                     "18446744073709551615",
                                                     "9223372036854775807",
                                                     "\\u0000",
                                                     "\xff",
                                                     " ",
                                                     "\"__metadata__\":",
                                                     "\"a\":{}"};
    const std::size_t at = below(random, bytes.size());
    const auto here = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(random, 5)) {
        case 0:
            if (!bytes.empty()) {
                bytes[at] ^= static_cast<std::byte>(1U << below(random, 8));
            }
            break;
        case 1:
            bytes.resize(at);
            break;
        case 2: {
            const std::vector<std::byte> piece = test::to_bytes(kPieces[below(random, kPieces.size())]);
            bytes.insert(here, piece.begin(), piece.end());
            break;
        }
        case 3:
            bytes.erase(here, here + static_cast<std::ptrdiff_t>(below(random, bytes.size() - at)));
            break;
        default: {
            const std::vector<std::byte> piece = test::to_bytes(kPieces[below(random, kPieces.size())]);
            for (std::size_t i = 0; i < piece.size() && at + i < bytes.size(); ++i) {
                bytes[at + i] = piece[i];
            }
        }
    }
}

/// Makes the length field right again, so that mutations of the header get past it.
void mend_length(std::vector<std::byte>& bytes, std::size_t data) {
    if (bytes.size() < 8 + data) {
        return;
    }
    const std::uint64_t length = bytes.size() - 8 - data;
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::byte>(length >> (8 * i));
    }
}

}  // namespace

TEST_CASE("safetensors: mutated files are refused or consistent") {
    constexpr std::uint64_t kSeed = 20240611;
    constexpr std::size_t kData = 12 + 16 + 16;
    INFO("seed " << kSeed);
    std::mt19937_64 random(kSeed);
    const std::vector<std::byte> seed = seed_file();
    REQUIRE(test::parse_error(seed).empty());
    int accepted = 0;
    int refused = 0;
    for (int round = 0; round < 40'000; ++round) {
        std::vector<std::byte> bytes = seed;
        for (std::size_t i = 0; i <= below(random, 4); ++i) {
            mutate(bytes, random);
        }
        if (below(random, 4) != 0) {
            mend_length(bytes, kData);
        }
        safetensors::File file;
        try {
            file = safetensors::parse(bytes, "mutated");
        } catch (const FileError&) {
            ++refused;
            continue;
        }
        ++accepted;
        // `serialize` refuses a tensor whose bytes are not what its shape needs.
        const std::vector<std::byte> again = safetensors::serialize(file, "again");
        if (!(safetensors::parse(again, "again") == file)) {
            FAIL("round " << round << " did not survive a round trip");
        }
    }
    CHECK(accepted > 1000);
    CHECK(refused > 1000);
}
