#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/tilejit/cli.h"

namespace tilejit::cli {
namespace {

constexpr std::array<Command, 6> kCommands = {{
    {"list", "ops, targets and kernels", list_command},
    {"gen", "print a stage of a kernel's generation: manifest, IR, CUDA, PTX, SASS", gen_command},
    {"run", "run an op on tensors of a file, or on random ones and check it", run_command},
    {"aot", "compile kernels ahead of time into a bundle", aot_command},
    {"explain", "say which kernel serves a shape, and what it costs", explain_command},
    {"bench", "measure an op on a GPU, beside copies within the device", bench_command},
}};

std::string help() {
    std::string text =
        "tilejit: generates, compiles, runs and explains CUDA kernels of ops described by manifests.\n\n"
        "Usage: tilejit COMMAND [OPTIONS]\n\nCommands:\n";
    for (const Command& command : kCommands) {
        text += fmt::format("  {:8} {}\n", command.name, command.summary);
    }
    text +=
        "\n`tilejit COMMAND --help` and `tilejit COMMAND OP --help` list the options; those for dimensions come from\n"
        "the op's manifest (`c_x` is --c-x).\n"
        "Exit codes: 0 good, 1 a check failed, 2 bad use, 3 the environment lacks something.\n";
    return text;
}

const Command& find_command(const std::string& name) {
    std::string known;
    for (const Command& command : kCommands) {
        if (command.name == name) {
            return command;
        }
        known += fmt::format("{}{}", known.empty() ? "" : ", ", command.name);
    }
    throw UsageError(fmt::format("there is no command {}; the commands are {}", name, known));
}

int dispatch(const Arguments& arguments) {
    if (arguments.empty()) {
        throw UsageError("no command given; see `tilejit --help`");
    }
    if (arguments.front() == "--help" || arguments.front() == "-h") {
        throw HelpRequested{help()};
    }
    return find_command(arguments.front()).run({arguments.begin() + 1, arguments.end()});
}

/// The lines of `text` as one; what authors of kernels read, with code or layouts in it, stays as it is.
std::string one_line(const std::exception& error, std::string text) {
    if (dynamic_cast<const GenerateError*>(&error) != nullptr ||
        dynamic_cast<const ProtocolError*>(&error) != nullptr || dynamic_cast<const UserError*>(&error) == nullptr) {
        return text;
    }
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
        const std::size_t next = std::min(text.find_first_not_of("\n ", at), text.size());
        text.replace(at, next - at, next < text.size() ? " " : "");
    }
    return text;
}

void report(const std::exception& error, bool json) {
    const std::string message = message_of(error);
    const std::string text = json ? nlohmann::json{{"error", {{"type", type_of(error)}, {"message", message}}}}.dump(
                                        -1, ' ', false, nlohmann::json::error_handler_t::replace)
                                  : fmt::format("tilejit: error: {}", one_line(error, message));
    std::fprintf(stderr, "%s\n", text.c_str());
    if (const auto* refused = dynamic_cast<const CompileError*>(&error); refused != nullptr && !json) {
        std::fprintf(stderr, "%s\n", refused->log().c_str());
    }
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

int main_with(const Arguments& arguments) {
    const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    try {
        return dispatch(arguments);
    } catch (const HelpRequested& request) {
        print(request.text);
        return kGood;
    } catch (const std::exception& error) {
        report(error, json);
        return exit_code_of(error);
    }
}

}  // namespace tilejit::cli

int main(int argc, char** argv) {
    try {
        return tilejit::cli::main_with({argv + std::min(argc, 1), argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tilejit: error: %s\n", error.what());
        return tilejit::cli::kFailed;
    }
}
