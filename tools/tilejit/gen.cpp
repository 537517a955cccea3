#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "generator/generate.h"
#include "generator/ir/print.h"
#include "runtime/compile/compile.h"
#include "tools/safetensors/publish.h"
#include "tools/tilejit/process.h"
#include "tools/tilejit/specialize.h"

namespace tilejit::cli {
namespace {

constexpr std::array<const char*, 6> kStages = {"manifest", "ir", "lowered", "cuda", "ptx", "sass"};

std::string sass_of(const std::string& image) {
    const ScratchFile file(image);
    if (const auto cuobjdump = find_program("cuobjdump")) {
        return output_of(*cuobjdump, {"-sass", file.path()});
    }
    if (const auto nvdisasm = find_program("nvdisasm")) {
        return output_of(*nvdisasm, {"-c", file.path()});
    }
    throw EnvironmentError("--stage sass needs cuobjdump or nvdisasm: put the CUDA toolkit's bin folder on PATH");
}

std::string text_of(const std::string& stage, const Specialization& specialization) {
    if (stage == "ir") {
        return ir::to_text(build_program(specialization));
    }
    if (stage == "lowered") {
        return ir::to_text(lower(specialization));
    }
    const Source source = generate(specialization);
    if (stage == "cuda") {
        return source.text;
    }
    const Cubin cubin = compile(load_nvrtc(), source.text, specialization.arch);
    return stage == "ptx" ? cubin.ptx : sass_of(cubin.image);
}

struct Output {
    std::string stage = "cuda";
    std::string file;
    bool as_json = false;
};

void deliver(const Output& output, nlohmann::json description, const std::string& text) {
    if (!output.file.empty()) {
        publish(output.file, text);
    }
    if (output.as_json) {
        description["stage"] = output.stage;
        if (output.file.empty()) {
            description["text"] = text;
        } else {
            description["file"] = output.file;
        }
        print_json(description);
    } else if (output.file.empty()) {
        print(text);
    }
}

}  // namespace

int gen_command(const Arguments& arguments) {
    const manifest::Manifest* op = named_op(arguments);
    CLI::App app("Prints a stage of the generation of an op's kernel.", "tilejit gen");
    std::string name;
    Output output;
    DimFlags dims;
    DtypeFlags dtypes;
    SpecializeFlags flags;
    app.add_option("OP", name, "the op");
    if (op != nullptr) {
        dims.add(app, *op);
    }
    dtypes.add(app);
    flags.add(app);
    app.add_option("--stage", output.stage, fmt::format("{}; cuda is the default", fmt::join(kStages, ", ")))
        ->check(CLI::IsMember(std::vector<std::string>(kStages.begin(), kStages.end())));
    app.add_option("-o", output.file, "write to this file instead of standard output");
    app.add_flag("--json", output.as_json, "print JSON");
    parse(app, arguments);

    if (output.stage == "manifest") {
        deliver(output, {{"op", op->op}}, op->text);
        return kGood;
    }
    const Specialization specialization =
        specialize(*op, flags.request(*op, dims.values(*op), dtypes.values(*op), flags.target()));
    deliver(output, {{"op", op->op}, {"specialization", to_json(specialization)}},
            text_of(output.stage, specialization));
    return kGood;
}

}  // namespace tilejit::cli
