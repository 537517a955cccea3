#include "generator/manifest/json_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

constexpr const char* kIdentifier = "a name: a letter followed by at most 63 letters, digits and underscores";

/// A value as a message shows it: short, and ASCII.
std::string show(const Json& value) {
    if (value.is_object() || value.is_array()) {
        return value.empty() ? (value.is_object() ? "{}" : "[]")
                             : fmt::format("{} with {} {}", value.is_object() ? "an object" : "an array", value.size(),
                                           value.is_object() ? "members" : "entries");
    }
    std::string text = value.dump(-1, ' ', true);
    if (text.size() > 80) {
        text = text.substr(0, 77) + "...";
    }
    return text;
}

std::string quote(const std::string& text) { return show(Json(text)); }

[[noreturn]] void fail_at(const std::string& file, const std::string& pointer, const std::string& found,
                          const std::string& expected) {
    throw ManifestError(
        fmt::format("{}: {}: found {}, expected {}", file, pointer.empty() ? "(root)" : pointer, found, expected));
}

/// A JSON pointer's reference token (RFC 6901), in ASCII.
std::string escape(const std::string& key) {
    std::string result;
    for (const char c : key) {
        if (c == '~') {
            result += "~0";
        } else if (c == '/') {
            result += "~1";
        } else {
            result += c >= ' ' && c < 0x7f ? c : '?';
        }
    }
    return result;
}

}  // namespace

std::string join_or(const std::vector<std::string>& names) {
    std::string result;
    for (std::size_t i = 0; i < names.size(); ++i) {
        result += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    }
    return result;
}

std::string one_of_text(const std::vector<std::string>& names) {
    return names.empty() ? "none" : names.size() == 1 ? names[0] : "one of " + join_or(names);
}

bool is_identifier(std::string_view text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !text.empty() && text.size() <= 64 && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
        return letter(c) || (c >= '0' && c <= '9') || c == '_';
    });
}

void JsonView::fail(const std::string& found, const std::string& expected) const {
    fail_at(*file_, pointer_, found, expected);
}

void JsonView::fail(const std::string& expected) const { fail(show(*value_), expected); }

JsonView JsonView::child(const std::string& key, const Json& value) const {
    return JsonView(value, *file_, pointer_ + "/" + escape(key));
}

void JsonView::check_keys(std::initializer_list<const char*> required,
                          std::initializer_list<const char*> optional) const {
    if (!value_->is_object()) {
        fail("an object");
    }
    std::vector<std::string> legal(required.begin(), required.end());
    legal.insert(legal.end(), optional.begin(), optional.end());
    for (const auto& [key, value] : value_->items()) {
        if (std::find(legal.begin(), legal.end(), key) == legal.end()) {
            child(key, value).fail(fmt::format("the key {}", quote(key)), one_of_text(legal));
        }
    }
    for (const char* key : required) {
        if (!value_->contains(key)) {
            fail(fmt::format("no \"{}\"", key),
                 fmt::format("an object with {}", fmt::join(required.begin(), required.end(), ", ")));
        }
    }
}

std::optional<JsonView> JsonView::find(const char* key) const {
    const auto found = value_->find(key);
    return found == value_->end() ? std::nullopt : std::optional<JsonView>(child(key, *found));
}

JsonView JsonView::at(const char* key) const {
    std::optional<JsonView> found = find(key);
    internal_check(found.has_value(), "check_keys() comes before at()");
    return *std::move(found);
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
    if (!value_->is_object()) {
        fail("an object");
    }
    std::vector<std::pair<std::string, JsonView>> result;
    for (const auto& [key, value] : value_->items()) {
        JsonView view = child(key, value);
        if (!is_identifier(key)) {
            view.fail(fmt::format("the name {}", quote(key)), kIdentifier);
        }
        result.emplace_back(key, std::move(view));
    }
    return result;
}

std::vector<JsonView> JsonView::items(std::size_t least, std::size_t most) const {
    if (!value_->is_array()) {
        fail("an array");
    }
    if (value_->size() < least || value_->size() > most) {
        fail(value_->empty() ? "an empty array" : fmt::format("{} entries", value_->size()),
             least == 0 ? fmt::format("at most {} entries", most) : fmt::format("{} to {} entries", least, most));
    }
    std::vector<JsonView> result;
    for (std::size_t i = 0; i < value_->size(); ++i) {
        result.push_back(child(std::to_string(i), (*value_)[i]));
    }
    return result;
}

std::string JsonView::text() const {
    if (!value_->is_string() || value_->get_ref<const std::string&>().empty()) {
        fail("a text that is not empty");
    }
    return value_->get<std::string>();
}

std::string JsonView::identifier() const {
    if (!value_->is_string() || !is_identifier(value_->get_ref<const std::string&>())) {
        fail(kIdentifier);
    }
    return value_->get<std::string>();
}

std::int64_t JsonView::integer(std::int64_t min, std::int64_t max) const {
    const bool fits = value_->is_number_integer() &&
                      !(value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{INT64_MAX});
    if (!fits || value_->get<std::int64_t>() < min || value_->get<std::int64_t>() > max) {
        fail(min == INT64_MIN   ? "an integer"
             : max == INT64_MAX ? fmt::format("an integer of at least {}", min)
                                : fmt::format("an integer from {} to {}", min, max));
    }
    return value_->get<std::int64_t>();
}

double JsonView::number() const {
    if (!value_->is_number()) {
        fail("a number");
    }
    return value_->get<double>();
}

bool JsonView::boolean() const {
    if (!value_->is_boolean()) {
        fail("true or false");
    }
    return value_->get<bool>();
}

Expression JsonView::expression() const {
    if (value_->is_number_integer()) {
        return Expression::constant(integer(INT64_MIN, INT64_MAX));
    }
    if (!value_->is_string()) {
        fail("an integer or an expression in a text");
    }
    try {
        return Expression::parse(value_->get_ref<const std::string&>());
    } catch (const ManifestError& error) {
        throw ManifestError(fmt::format("{}: {}: {}", *file_, pointer_, error.what()));
    }
}

std::string JsonView::one_of(const std::vector<std::string>& legal) const {
    if (!value_->is_string() || std::find(legal.begin(), legal.end(), value_->get<std::string>()) == legal.end()) {
        fail(one_of_text(legal));
    }
    return value_->get<std::string>();
}

}  // namespace tilejit::manifest
