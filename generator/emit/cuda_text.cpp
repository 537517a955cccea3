#include <fmt/format.h>

#include <algorithm>

#include "generator/emit/emit.h"
#include "generator/emit/statements.h"

namespace tilejit::emit {
namespace {

constexpr int kWarpsInGroup = 4;         ///< which have one register budget
constexpr int kRegistersInPool = 65536;  ///< of a multiprocessor
constexpr int kRegistersOfThread = 256;  ///< at most, as they are allocated
constexpr int kNamedBarriers = 15;       ///< besides the block's own

/// Roles whose warps fill whole groups of four, and so may have a register budget of their own.
struct Group {
    int first_warp = 0;
    int warps = 0;
    int registers = 0;
    std::vector<const ir::Role*> roles;
};

class KernelText {
public:
    KernelText(const ir::Program& program, const ir::Kernel& kernel, Constants& constants)
        : kernel_(kernel), phrases_(program, kernel, constants) {}

    std::string run() {
        check_barriers();
        lines_.open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}, {}) {}({}) {{", kernel_.threads(),
                                kernel_.min_blocks, kernel_.name, phrases_.signature()));
        variables();
        Statements(phrases_, nullptr, lines_).write(kernel_.prologue);
        if (std::any_of(kernel_.roles.begin(), kernel_.roles.end(),
                        [](const ir::Role& role) { return role.registers > 0; })) {
            groups();
        } else {
            std::vector<const ir::Role*> roles;
            for (const ir::Role& role : kernel_.roles) {
                roles.push_back(&role);
            }
            branches(roles, kernel_.threads() / 32);
        }
        Statements(phrases_, nullptr, lines_).write(kernel_.epilogue);
        lines_.close();
        return lines_.text();
    }

private:
    void check_barriers() const {
        int named = 0;
        for (const ir::Role& role : kernel_.roles) {
            named += role.warps > 1 ? role.copies : 0;
        }
        if (named > kNamedBarriers) {
            throw GenerateError(
                fmt::format("{}:{}: kernel '{}' has {} roles and copies of more than one warp, at most "
                            "{} can wait for themselves; give some of them one warp",
                            kernel_.at.file, kernel_.at.line, kernel_.name, named, kNamedBarriers));
        }
    }

    void variables() {
        for (std::size_t i = 0; i < kernel_.grid.size(); ++i) {
            lines_.line(fmt::format("const tj::i64 {} = tj::block<{}>();", phrases_.variable(kernel_.grid[i]), i));
        }
        if (kernel_.rank >= 0 && std::any_of(kernel_.roles.begin(), kernel_.roles.end(),
                                             [&](const ir::Role& role) { return mentions(role.body, kernel_.rank); })) {
            lines_.line(fmt::format("const int {} = tj::rank();", phrases_.variable(kernel_.rank)));
        }
        if (kernel_.tiles) {
            lines_.line(
                fmt::format("const int turns = tj::turns<{}>({});", kernel_.cluster, Phrases::extent(*kernel_.tiles)));
        }
    }

    static std::string condition(int first, int count) {
        return fmt::format("if (tj::warps<{}, {}>()) {{", first, count);
    }

    static std::string title(const ir::Role& role) {
        const std::string warps = fmt::format("{} warp{}", role.warps, role.warps == 1 ? "" : "s");
        return fmt::format("// role {}: {}", role.name,
                           role.copies > 1 ? fmt::format("{} copies of {}", role.copies, warps) : warps);
    }

    void body(const ir::Role& role) { Statements(phrases_, &role, lines_).write(role.body); }

    /// The roles that share `warps` of the block, each in its branch.
    void branches(const std::vector<const ir::Role*>& roles, int warps) {
        if (roles.size() == 1 && roles[0]->warps * roles[0]->copies == warps) {
            lines_.line(title(*roles[0]));
            body(*roles[0]);
            return;
        }
        for (const ir::Role* role : roles) {
            const std::string open =
                condition(kernel_.first_thread(*role) / 32, role->warps * role->copies) + "  " + title(*role);
            role == roles.front() ? lines_.open(open) : lines_.next("} else " + open);
            body(*role);
        }
        lines_.close();
    }

    void groups() {
        const int share =
            std::min(kRegistersOfThread, kRegistersInPool / (kernel_.min_blocks * kernel_.threads()) / 8 * 8);
        const std::vector<Group> all = find_groups();
        for (const Group& group : all) {
            const std::string open = condition(group.first_warp, group.warps);
            &group == &all.front() ? lines_.open(open) : lines_.next("} else " + open);
            if (group.registers > 0) {
                lines_.line(fmt::format("tj::set_registers<{}, {}>();", group.registers, share));
            }
            branches(group.roles, group.warps);
        }
        lines_.close();
    }

    std::vector<Group> find_groups() const {
        std::vector<Group> result;
        for (const ir::Role& role : kernel_.roles) {
            if (result.empty() || result.back().warps % kWarpsInGroup == 0) {
                result.push_back({kernel_.first_thread(role) / 32, 0, role.registers, {}});
            }
            Group& group = result.back();
            internal_check(group.registers == role.registers, "roles that share four warps have one register budget");
            group.warps += role.warps * role.copies;
            group.roles.push_back(&role);
        }
        Group& last = result.back();
        last.warps = (last.warps + kWarpsInGroup - 1) / kWarpsInGroup * kWarpsInGroup;
        return result;
    }

    const ir::Kernel& kernel_;
    Phrases phrases_;
    Lines lines_;
};

}  // namespace

std::string cuda_text(const ir::Program& lowered) {
    Constants constants;
    std::string kernels;
    for (const ir::Kernel& kernel : lowered.kernels) {
        kernels += "\n" + KernelText(lowered, kernel, constants).run();
    }
    std::string text = fmt::format("// {} for {}\n#include \"tile.h\"\n\n// Axes:", lowered.name, lowered.arch);
    for (std::size_t i = 0; i < lowered.axes.size(); ++i) {
        text += fmt::format("{} {} {} ({})", i > 0 ? "," : "", i, lowered.axes[i].name, lowered.axes[i].extent);
    }
    return text + "\n\n" + constants.text() + kernels;
}

}  // namespace tilejit::emit
