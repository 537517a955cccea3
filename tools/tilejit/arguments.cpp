#include "tools/tilejit/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "generator/manifest/library.h"

namespace tilejit::cli {
namespace {

/// Whether the argument after this flag is not its value: a switch, or a flag with the value attached.
bool stands_alone(const std::string& flag) {
    constexpr std::string_view kSwitches[] = {"--json", "--help", "-h", "--workloads", "--compile"};
    const bool is_short = flag[1] != '-';
    return std::find(std::begin(kSwitches), std::end(kSwitches), flag) != std::end(kSwitches) ||
           flag.find('=') != std::string::npos || (is_short && flag.size() > 2);
}

template <typename Number>
bool parse_whole(const std::string& text, Number& value) {
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

Arguments positionals(const Arguments& arguments) {
    Arguments found;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument.size() < 2 || argument.front() != '-') {
            found.push_back(argument);
        } else if (!stands_alone(argument)) {
            ++i;
        }
    }
    return found;
}

const manifest::Manifest* named_op(const Arguments& arguments) {
    const Arguments names = positionals(arguments);
    if (names.empty()) {
        if (std::any_of(arguments.begin(), arguments.end(),
                        [](const std::string& a) { return a == "--help" || a == "-h"; })) {
            return nullptr;
        }
        throw UsageError("no op given; `tilejit list` lists them");
    }
    if (names.size() > 1) {
        throw UsageError(fmt::format("expected one op, found {}", fmt::join(names, " ")));
    }
    return &manifest::find_manifest(names.front());
}

void parse(CLI::App& app, const Arguments& arguments) {
    Arguments reversed(arguments.rbegin(), arguments.rend());
    app.allow_extras();  // reported below, in the order they were given
    try {
        app.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
        throw HelpRequested{app.help()};
    } catch (const CLI::ParseError& error) {
        throw UsageError(fmt::format("{} (see `{} --help`)", error.what(), app.get_name()));
    }
    const std::vector<std::string> unknown = app.remaining();
    for (const std::string& argument : arguments) {
        if (std::find(unknown.begin(), unknown.end(), argument) != unknown.end()) {
            throw UsageError(fmt::format("{0} takes no {1} (see `{0} --help`)", app.get_name(), argument));
        }
    }
}

std::string flag_of(const std::string& dim) {
    std::string flag = "--" + dim;
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

void DimFlags::add(CLI::App& app, const manifest::Manifest& manifest) {
    for (const manifest::Dim& dim : manifest.dims) {
        if (options_.count(dim.name) == 0) {
            const std::string doc = dim.doc.empty() ? "dimension " + dim.name : dim.doc;
            options_[dim.name] = app.add_option(flag_of(dim.name), texts_[dim.name], doc)->group("Dimensions");
        }
    }
}

bool DimFlags::given(const std::string& dim) const {
    const auto option = options_.find(dim);
    return option != options_.end() && option->second->count() > 0;
}

bool DimFlags::any_given() const {
    return std::any_of(options_.begin(), options_.end(), [](const auto& option) { return option.second->count() > 0; });
}

manifest::Values DimFlags::values(const manifest::Manifest& manifest) const {
    manifest::Values values;
    std::vector<std::string> missing;
    for (const manifest::Dim& dim : manifest.dims) {
        if (given(dim.name)) {
            values[dim.name] = parse_integer(texts_.at(dim.name), flag_of(dim.name));
        } else {
            missing.push_back(flag_of(dim.name));
        }
    }
    if (!missing.empty()) {
        throw UsageError(fmt::format("{} needs {}", manifest.op, fmt::join(missing, ", ")));
    }
    return values;
}

std::vector<std::int64_t> DimFlags::list(const std::string& dim) const {
    std::vector<std::int64_t> values;
    if (given(dim)) {
        for (const std::string& text : split_list(texts_.at(dim))) {
            values.push_back(parse_integer(text, flag_of(dim)));
        }
    }
    return values;
}

std::vector<manifest::Values> DimFlags::shapes(const manifest::Manifest& manifest,
                                               const std::vector<std::int64_t>& open_values) const {
    std::vector<manifest::Values> shapes = {{}};
    for (const manifest::Dim& dim : manifest.dims) {
        const bool use_default = !given(dim.name) && dim.name == manifest.open_dim() && !open_values.empty();
        const std::vector<std::int64_t> values = use_default ? open_values : list(dim.name);
        if (values.empty()) {
            throw UsageError(fmt::format("{} needs {}", manifest.op, flag_of(dim.name)));
        }
        std::vector<manifest::Values> longer;
        for (const manifest::Values& shape : shapes) {
            for (const std::int64_t value : values) {
                longer.push_back(shape);
                longer.back()[dim.name] = value;
            }
        }
        shapes = std::move(longer);
    }
    return shapes;
}

std::int64_t parse_integer(const std::string& text, const std::string& what) {
    std::int64_t value = 0;
    if (!parse_whole(text, value)) {
        throw UsageError(fmt::format("{} is \"{}\"; expected an integer", what, text));
    }
    return value;
}

double parse_number(const std::string& text, const std::string& what) {
    double value = 0;
    if (!parse_whole(text, value)) {
        throw UsageError(fmt::format("{} is \"{}\"; expected a number", what, text));
    }
    return value;
}

std::vector<std::string> split_list(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        const std::size_t comma = text.find(',', begin);
        parts.push_back(text.substr(begin, comma - begin));
        if (comma == std::string::npos) {
            return parts;
        }
        begin = comma + 1;
    }
}

std::map<std::string, std::string> split_assignments(const std::vector<std::string>& texts, const std::string& flag) {
    std::map<std::string, std::string> values;
    for (const std::string& text : texts) {
        const std::size_t equal = text.find('=');
        if (equal == std::string::npos || equal == 0) {
            throw UsageError(fmt::format("{} is \"{}\"; expected name=value", flag, text));
        }
        const std::string name = text.substr(0, equal);
        if (!values.emplace(name, text.substr(equal + 1)).second) {
            throw UsageError(fmt::format("{} gives {} twice", flag, name));
        }
    }
    return values;
}

std::map<std::string, double> parse_assignments(const std::vector<std::string>& texts, const std::string& flag) {
    std::map<std::string, double> values;
    for (const auto& [name, text] : split_assignments(texts, flag)) {
        values[name] = parse_number(text, flag + " " + name);
    }
    return values;
}

}  // namespace tilejit::cli
