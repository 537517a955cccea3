#include "runtime/cache/keys.h"

#include <set>

#include "tests/catch.h"

using namespace tilejit;

namespace {

const SpecKeyParts kParts{"manifest", "generator", "specialization", "options"};

}  // namespace

TEST_CASE("a key has 128 bits and follows from its parts alone", "[keys]") {
    CHECK(spec_key(kParts).size() == 32);
    CHECK(spec_key(kParts) == spec_key(kParts));
    CHECK(spec_key(kParts).find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("every part changes the key, and parts do not run into each other", "[keys]") {
    std::set<std::string> keys{spec_key(kParts)};
    for (std::string SpecKeyParts::*part : {&SpecKeyParts::manifest_digest, &SpecKeyParts::generator_digest,
                                            &SpecKeyParts::specialization, &SpecKeyParts::options}) {
        SpecKeyParts other = kParts;
        other.*part += "x";
        keys.insert(spec_key(other));
    }
    keys.insert(spec_key({"manifestgenerator", "", "specialization", "options"}));
    keys.insert(spec_key({"", "manifestgenerator", "specialization", "options"}));
    CHECK(keys.size() == 7);
}

TEST_CASE("the build key covers spec, source and compiler", "[keys]") {
    const std::set<std::string> keys{build_key("a", "b", "c"), build_key("x", "b", "c"), build_key("a", "x", "c"),
                                     build_key("a", "b", "x"), build_key("ab", "", "c")};
    CHECK(keys.size() == 5);
}

TEST_CASE("known bytes keep their key, or the schema must change", "[keys]") {
    CHECK(kKeySchema == 1);
    CHECK(digest("") == "99aa06d3014798d86001c324468d497f");
}
