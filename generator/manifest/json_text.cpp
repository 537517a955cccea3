/// \file Text to JSON, with what the JSON library lets pass: keys given twice and unbounded nesting.
#include <fmt/format.h>

#include <set>

#include "generator/manifest/json_view.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 20;
constexpr int kMaxLevels = 32;
constexpr std::size_t kMaxMembers = 1024;

/// Follows the parser through the document.
class Watch {
public:
    explicit Watch(const std::string& file) : file_(file) {}

    bool operator()(int /*depth*/, Json::parse_event_t event, Json& parsed) {
        switch (event) {
            case Json::parse_event_t::object_start:
            case Json::parse_event_t::array_start:
                begin_value();
                open(event == Json::parse_event_t::object_start);
                break;
            case Json::parse_event_t::object_end:
            case Json::parse_event_t::array_end:
                levels_.pop_back();
                break;
            case Json::parse_event_t::key:
                key(parsed.get_ref<const std::string&>());
                break;
            case Json::parse_event_t::value:
                begin_value();
                break;
        }
        return true;
    }

    std::string pointer() const {
        std::string result;
        for (const Level& level : levels_) {
            result += "/" + (level.is_object ? level.key : std::to_string(level.count == 0 ? 0 : level.count - 1));
        }
        return result.empty() ? "(root)" : result;
    }

private:
    struct Level {
        bool is_object = false;
        std::string key;
        std::set<std::string> keys;
        std::size_t count = 0;
    };

    void begin_value() {
        if (!levels_.empty() && !levels_.back().is_object) {
            count_member();
        }
    }

    void open(bool is_object) {
        if (levels_.size() == kMaxLevels) {
            fail("deeper nesting", fmt::format("at most {} levels", kMaxLevels));
        }
        levels_.push_back(Level{is_object, "", {}, 0});
    }

    void key(const std::string& name) {
        Level& level = levels_.back();
        level.key = Json(name).dump(-1, ' ', true);
        level.key = level.key.substr(1, level.key.size() - 2);
        if (!level.keys.insert(name).second) {
            fail("the key a second time", "each key once");
        }
        count_member();
    }

    void count_member() {
        if (++levels_.back().count > kMaxMembers) {
            fail("more members", fmt::format("at most {}", kMaxMembers));
        }
    }

    [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
        throw ManifestError(fmt::format("{}: {}: found {}, expected {}", file_, pointer(), found, expected));
    }

    const std::string& file_;
    std::vector<Level> levels_;
};

/// `[json.exception.parse_error.101] parse error at line 1, column 2: ...` without the bracket, in ASCII.
std::string reason(const char* what) {
    std::string text(what);
    const std::size_t bracket = text.find("] ");
    if (text[0] == '[' && bracket != std::string::npos) {
        text.erase(0, bracket + 2);
    }
    for (char& c : text) {
        c = c >= ' ' && c < 0x7f ? c : '?';
    }
    return text.size() > 300 ? text.substr(0, 297) + "..." : text;
}

}  // namespace

Json parse_json(std::string_view text, const std::string& file) {
    if (text.size() > kMaxText) {
        throw ManifestError(
            fmt::format("{}: (root): found {} bytes, expected at most {}", file, text.size(), kMaxText));
    }
    Watch watch(file);
    try {
        return Json::parse(text.begin(), text.end(), std::ref(watch));
    } catch (const Json::exception& error) {
        throw ManifestError(
            fmt::format("{}: {}: found {}, expected JSON", file, watch.pointer(), reason(error.what())));
    }
}

}  // namespace tilejit::manifest
