/// Whole generated programs against tests/golden_text/*.cu, launch plan included: a change of the
/// generator shows as a change of its text.
///
/// When a change is wanted, rewrite the files and read their diff:
///
///     TILEJIT_UPDATE_GOLDENS=1 ctest -R "golden text"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

struct Golden {
    std::string name;
    Shape shape;
    std::string arch;
    Access access = Access::aligned;
    bool exact_batch = false;
};

std::vector<Golden> goldens() {
    return {
        {"post_b1_n4_c1280_sm90a", {"MHCPostFwdOp", 1, 4, 1280}, "sm_90a"},
        {"post_b4096_n4_c7168_sm100a", {"MHCPostFwdOp", 4096, 4, 7168}, "sm_100a"},
        {"post_b5000_n9_c300_sm120a", {"MHCPostFwdOp", 5000, 9, 300}, "sm_120a"},
        {"post_b4_n4_c2560_exact_sm90a", {"MHCPostFwdOp", 4, 4, 2560}, "sm_90a", Access::aligned, true},
        {"post_b2_n4_c1920_element_sm80", {"MHCPostFwdOp", 2, 4, 1920}, "sm_80", Access::element},
        {"post_b3_n1_c1_sm80", {"MHCPostFwdOp", 3, 1, 1}, "sm_80"},
        {"pre_b1_n4_c1280_sm90a", {"MHCPreFwdOp", 1, 4, 1280}, "sm_90a"},
        {"pre_b4096_n4_c7168_sm103a", {"MHCPreFwdOp", 4096, 4, 7168}, "sm_103a"},
        {"pre_b4096_n8_c2560_sm90a", {"MHCPreFwdOp", 4096, 8, 2560}, "sm_90a"},
        {"pre_b2_n4_c1920_element_sm80", {"MHCPreFwdOp", 2, 4, 1920}, "sm_80", Access::element},
        {"pre_b3_n3_c40_exact_sm89", {"MHCPreFwdOp", 3, 3, 40}, "sm_89", Access::aligned, true},
        {"pre_b2_n17_c33_sm86", {"MHCPreFwdOp", 2, 17, 33}, "sm_86"},
        {"pre_b1_n1_c7_sm80", {"MHCPreFwdOp", 1, 1, 7}, "sm_80"},
    };
}

std::string text_of(const Golden& golden) {
    const Source source = generate(specialized(golden.shape, golden.arch, golden.access, golden.exact_batch));
    std::istringstream plan(nlohmann::ordered_json(nlohmann::json(source.plan)).dump(1));
    std::string text = source.text + "\n// Launch plan:\n";
    for (std::string line; std::getline(plan, line);) {
        text += "// " + line + "\n";
    }
    return text;
}

std::filesystem::path folder() { return std::filesystem::path(TILEJIT_SOURCE_DIR) / "tests" / "golden_text"; }

std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// The first lines that differ.
std::string difference(const std::string& got, const std::string& want) {
    std::istringstream a(got);
    std::istringstream b(want);
    std::string left;
    std::string right;
    for (int line = 1;; ++line) {
        const bool more_left = static_cast<bool>(std::getline(a, left));
        const bool more_right = static_cast<bool>(std::getline(b, right));
        if (!more_left && !more_right) {
            return "";
        }
        if (more_left != more_right || left != right) {
            return fmt::format("line {}\n  generated: {}\n  golden:    {}", line, more_left ? left : "(ends)",
                               more_right ? right : "(ends)");
        }
    }
}

TEST_CASE("generated programs are their golden text") {
    const char* update = std::getenv("TILEJIT_UPDATE_GOLDENS");
    for (const Golden& golden : goldens()) {
        const std::filesystem::path path = folder() / (golden.name + ".cu");
        const std::string text = text_of(golden);
        if (update != nullptr && std::string(update) == "1") {
            std::ofstream(path, std::ios::binary) << text;
        }
        INFO(path.filename() << ": if the change is wanted, run with TILEJIT_UPDATE_GOLDENS=1 and review the diff");
        const std::string fault = difference(text, read(path));
        CHECK(fault == "");
        CHECK((fault != "" || text == read(path)));
    }
}

TEST_CASE("each file of golden text is compared") {
    std::set<std::string> names;
    for (const Golden& golden : goldens()) {
        names.insert(golden.name + ".cu");
    }
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
        files.insert(entry.path().filename().string());
    }
    CHECK(files == names);
}

}  // namespace
}  // namespace tilejit::test
