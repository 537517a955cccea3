/// `manifests/op.schema.json` and the parser agree: on keys, on which are required, and on fixed choices.
#include <algorithm>
#include <fstream>
#include <set>

#include "generator/manifest/library.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit::manifest {
namespace {

using test::Json;
using test::manifest_error;

Json load_schema() {
    std::ifstream stream(TILEJIT_SOURCE_DIR "/manifests/op.schema.json");
    REQUIRE(stream);
    return Json::parse(stream);
}

/// Splits `a, b or c`.
std::set<std::string> split(std::string list) {
    std::set<std::string> names;
    const std::size_t last = list.find(" or ");
    if (last != std::string::npos) {
        list.replace(last, 4, ", ");
    }
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(", ", at), list.size());
        names.insert(list.substr(at, end - at));
        at = end + 2;
    }
    return names;
}

/// The names that a message lists behind `before`.
std::set<std::string> listed(const std::string& message, const std::string& before) {
    const std::size_t at = message.find(before);
    INFO(message);
    REQUIRE(at != std::string::npos);
    std::string list = message.substr(at + before.size());
    if (list.rfind("one of ", 0) == 0) {
        list.erase(0, 7);
    }
    return split(list);
}

/// Walks a manifest and the schema side by side; at each place it asks the parser what it takes there.
class Walk {
public:
    explicit Walk(Json schema) : schema_(std::move(schema)), manifest_(test::toy_json()) {}

    void run() { visit(schema_, ""); }

    int objects() const { return objects_; }
    int choices() const { return choices_; }

private:
    const Json& resolve(const Json& schema) const {
        return schema.contains("$ref") ? schema_.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1)))
                                       : schema;
    }

    std::string error_with(const std::string& pointer, const Json& value) const {
        Json changed = manifest_;
        changed[Json::json_pointer(pointer)] = value;
        return manifest_error(changed.dump());
    }

    void visit(const Json& given, const std::string& pointer) {
        const Json& schema = resolve(given);
        const Json& value = manifest_.at(Json::json_pointer(pointer));
        if (schema.contains("oneOf")) {
            for (const Json& branch : schema["oneOf"]) {
                if (fits(resolve(branch), value)) {
                    visit(branch, pointer);
                }
            }
        } else if (schema.contains("anyOf")) {
            check_dtype(schema, pointer);
        } else if (schema.contains("enum")) {
            check_choice(schema, pointer);
        } else if (schema.contains("properties")) {
            check_object(schema, value, pointer);
        } else if (value.is_object()) {
            check_named(schema, value, pointer);
        } else if (schema.contains("items")) {
            check_array(schema, value, pointer);
        }
    }

    /// Is `value` of the kind that this branch of a `oneOf` describes?
    static bool fits(const Json& branch, const Json& value) {
        if (branch.contains("enum")) {
            return value.is_string();
        }
        if (branch["type"].is_array()) {
            return value.is_string() || value.is_number_integer();
        }
        return branch["type"] == (value.is_object() ? "object" : value.is_array() ? "array" : "string");
    }

    void check_choice(const Json& schema, const std::string& pointer) {
        std::set<std::string> legal;
        for (const Json& choice : schema["enum"]) {
            legal.insert(choice.is_string() ? choice.get<std::string>() : choice.dump());
        }
        CHECK(listed(error_with(pointer, "no such choice"), "expected ") == legal);
        ++choices_;
    }

    /// A dtype, or a name: of one of the signature's variables.
    void check_dtype(const Json& schema, const std::string& pointer) {
        auto legal = resolve(schema["anyOf"][0])["enum"].get<std::set<std::string>>();
        CHECK(schema["anyOf"][1]["$ref"] == "#/$defs/identifier");
        for (const auto& [name, variable] : manifest_.at("signature").at("dtypes").items()) {
            legal.insert(name);
        }
        CHECK(listed(error_with(pointer, "no such choice"), "expected ") == legal);
        ++choices_;
    }

    void check_object(const Json& schema, const Json& value, const std::string& pointer) {
        INFO(pointer);
        CHECK(schema["additionalProperties"] == false);
        std::set<std::string> keys;
        for (const auto& [key, property] : schema["properties"].items()) {
            keys.insert(key);
        }
        const auto required = schema["required"].get<std::set<std::string>>();
        const bool is_tolerance = pointer.rfind("/tolerance/", 0) == 0;
        if (!is_tolerance) {
            CHECK(listed(error_with(pointer + "/surplus", 1), "found the key \"surplus\", expected ") == keys);
        }
        for (const std::string& key : required) {
            const std::string message = manifest_error(test::toy_without(pointer + "/" + key));
            CHECK(listed(message, "found no \"" + key + "\", expected an object with ") == required);
        }
        for (const auto& [key, entry] : value.items()) {
            if (required.count(key) == 0 && !is_tolerance) {
                CHECK(manifest_error(test::toy_without(pointer + "/" + key)).find("found no \"" + key + "\"") ==
                      std::string::npos);
            }
            visit(schema["properties"].at(key), pointer + "/" + key);
        }
        ++objects_;
    }

    void check_named(const Json& schema, const Json& value, const std::string& pointer) {
        CHECK_THAT(error_with(pointer + "/no name", 1), test::contains("found the name \"no name\""));
        for (const auto& [key, entry] : value.items()) {
            visit(schema["additionalProperties"], pointer + "/" + key);
        }
    }

    void check_array(const Json& schema, const Json& value, const std::string& pointer) {
        const auto most = schema["maxItems"].get<std::size_t>();
        Json filled = Json::array();
        for (std::size_t i = 0; i <= most; ++i) {
            filled.push_back(value[0]);
        }
        const auto least = schema["minItems"].get<std::size_t>();
        const std::string bounds =
            least == 0 ? "expected at most " + std::to_string(most)
                       : "expected " + std::to_string(least) + " to " + std::to_string(most) + " entries";
        CHECK_THAT(error_with(pointer, filled), test::contains(most < 1024 ? bounds : "expected at most 1024"));
        CHECK((least == 0) == (error_with(pointer, Json::array()).find("found an empty array") == std::string::npos));
        for (std::size_t i = 0; i < value.size(); ++i) {
            visit(schema["items"], pointer + "/" + std::to_string(i));
        }
    }

    const Json schema_;
    const Json manifest_;
    int objects_ = 0;
    int choices_ = 0;
};

TEST_CASE("the schema's objects, choices and arrays are the parser's") {
    Walk walk(load_schema());
    walk.run();
    // The toy manifest visits each definition of the schema.
    CHECK(walk.objects() >= 20);
    CHECK(walk.choices() >= 10);
}

TEST_CASE("the schema's tolerances are the parser's, for both dtypes together") {
    const Json schema = load_schema();
    std::set<std::string> keys;
    for (const auto& [key, property] : schema["$defs"]["tolerance"]["properties"].items()) {
        keys.insert(key);
    }
    std::set<std::string> accepted;
    for (const char* output : {"y", "s"}) {
        const std::string pointer = std::string("/tolerance/") + output + "/surplus";
        accepted.merge(listed(manifest_error(test::toy_with(pointer, "1")), "expected "));
    }
    CHECK(accepted == keys);
}

TEST_CASE("the schema's pattern of names is the parser's") {
    const Json schema = load_schema();
    CHECK(schema["$defs"]["identifier"]["pattern"] == "^[A-Za-z][A-Za-z0-9_]{0,63}$");
    const auto accepts = [](const std::string& name) {
        return manifest_error(test::toy_with("/op", "\"" + name + "\"")).empty();
    };
    CHECK(accepts("A"));
    CHECK(accepts("a_1Z"));
    CHECK(accepts(std::string(64, 'a')));
    CHECK_FALSE(accepts(std::string(65, 'a')));
    CHECK_FALSE(accepts("_a"));
    CHECK_FALSE(accepts("1a"));
    CHECK_FALSE(accepts("a-b"));
    CHECK_FALSE(accepts("a\xc3\xa4"));
}

}  // namespace
}  // namespace tilejit::manifest
