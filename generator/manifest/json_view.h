/// \file Reading JSON that a user wrote: every access says which file and JSON pointer is wrong, what
/// was found and what is legal.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/manifest/expression.h"

namespace tilejit::manifest {

/// Keeps the order of keys, which is the order of evaluation of `let`, `plan` and `schedule`.
using Json = nlohmann::ordered_json;

/// Throws `ManifestError` on text that is not JSON: syntax, comments, text that is not UTF-8, a key given
/// twice, more than 1 MiB, more than 32 levels, more than 1024 members.
Json parse_json(std::string_view text, const std::string& file);

/// `a, b or c`
std::string join_or(const std::vector<std::string>& names);
/// `one of a, b or c`, `a`, `none`
std::string one_of_text(const std::vector<std::string>& names);

/// Is `text` a letter followed by at most 63 letters, digits and underscores?
bool is_identifier(std::string_view text);

/// A value inside a document that outlives the view. All members throw `ManifestError`.
class JsonView {
public:
    JsonView(const Json& value, const std::string& file, std::string pointer = "")
        : value_(&value), file_(&file), pointer_(std::move(pointer)) {}

    [[noreturn]] void fail(const std::string& found, const std::string& expected) const;
    [[noreturn]] void fail(const std::string& expected) const;  ///< finds this value

    /// Checks that this is an object with all of `required` and nothing beyond `optional`.
    void check_keys(std::initializer_list<const char*> required, std::initializer_list<const char*> optional) const;
    std::optional<JsonView> find(const char* key) const;
    JsonView at(const char* key) const;  ///< of a required key
    /// The members of an object whose keys are names, in the order written.
    std::vector<std::pair<std::string, JsonView>> members() const;
    std::vector<JsonView> items(std::size_t least, std::size_t most) const;  ///< of an array

    bool is_text() const { return value_->is_string(); }
    bool is_object() const { return value_->is_object(); }
    bool is_array() const { return value_->is_array(); }
    bool is_integer() const { return value_->is_number_integer(); }

    std::string text() const;        ///< not empty
    std::string identifier() const;  ///< see `is_identifier`
    std::int64_t integer(std::int64_t min, std::int64_t max) const;
    double number() const;
    bool boolean() const;
    Expression expression() const;  ///< from an integer or a text
    std::string one_of(const std::vector<std::string>& legal) const;

private:
    JsonView child(const std::string& key, const Json& value) const;

    const Json* value_;
    const std::string* file_;
    std::string pointer_;
};

}  // namespace tilejit::manifest
