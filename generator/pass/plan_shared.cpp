// before:  share s1[part, q, token] = h               (no strides, no place)
// after:   share s1[part, q, token] = h               strides {.., 40, 1} at byte 0
//
// Strides are row-major with the last-but-one padded so that the accesses have the fewest bank
// conflicts, counted over every thread. Tiles are placed one after the other, 16 bytes aligned.
#include <fmt/format.h>

#include "generator/layout/layout.h"
#include "generator/manifest/targets.h"
#include "generator/pass/pass.h"

namespace tilejit::pass {
namespace {

/// The layouts by which a shared tile is written and read.
void collect(const ir::Program& program, const std::vector<ir::Stmt>& body,
             std::vector<std::vector<tj::Layout>>& accesses) {
    const auto add = [&](ir::BufferId buffer, ir::ValueId value) {
        accesses[static_cast<std::size_t>(buffer)].push_back(*program.values[static_cast<std::size_t>(value)].layout);
    };
    for (const ir::Stmt& stmt : body) {
        if (const auto* load = std::get_if<ir::SharedLoad>(&stmt.op)) {
            add(load->buffer, load->out);
        } else if (const auto* store = std::get_if<ir::SharedStore>(&stmt.op)) {
            add(store->buffer, store->in);
        } else if (const auto* inner = ir::body_of(stmt.op)) {
            collect(program, *inner, accesses);
        }
    }
}

std::vector<int> strides_with_pitch(const ir::Program& program, const ir::Buffer& buffer, int pad) {
    std::vector<int> strides(buffer.axes.size(), 1);
    for (std::size_t i = buffer.axes.size(); i-- > 1;) {
        const int extent = program.axes[static_cast<std::size_t>(buffer.axes[i])].extent;
        strides[i - 1] = strides[i] * extent + (i + 1 == buffer.axes.size() ? pad : 0);
    }
    return strides;
}

void choose_strides(const ir::Program& program, ir::Buffer& buffer, const std::vector<tj::Layout>& accesses) {
    constexpr int kMaxPad = 16;
    int best = INT32_MAX;
    for (int pad = 0; pad <= kMaxPad && best > static_cast<int>(accesses.size()); ++pad) {
        const std::vector<int> strides = strides_with_pitch(program, buffer, pad);
        int conflicts = 0;
        for (const tj::Layout& layout : accesses) {
            conflicts += layout::bank_conflicts(layout, buffer.axes, strides);
        }
        if (conflicts < best) {
            best = conflicts;
            buffer.strides = strides;
        }
    }
}

std::int64_t bytes_of(const ir::Program& program, const ir::Buffer& buffer) {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < buffer.axes.size(); ++i) {
        last += static_cast<std::int64_t>(buffer.strides[i]) *
                (program.axes[static_cast<std::size_t>(buffer.axes[i])].extent - 1);
    }
    return (last + 1) * static_cast<std::int64_t>(size_of(buffer.dtype));
}

}  // namespace

void plan_shared(ir::Program& program) {
    for (ir::Kernel& kernel : program.kernels) {
        std::vector<std::vector<tj::Layout>> accesses(kernel.buffers.size());
        for (const ir::Role& role : kernel.roles) {
            collect(program, role.body, accesses);
        }
        kernel.shared_bytes = 0;
        std::string bill;
        for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
            ir::Buffer& buffer = kernel.buffers[i];
            choose_strides(program, buffer, accesses[i]);
            buffer.offset = (kernel.shared_bytes + 15) / 16 * 16;
            kernel.shared_bytes = buffer.offset + bytes_of(program, buffer);
            bill += fmt::format("{}{} {}", i > 0 ? ", " : "", buffer.name, bytes_of(program, buffer));
        }
        const std::int64_t limit = manifest::find_architecture(program.arch)->shared_memory;
        if (kernel.shared_bytes > limit) {
            throw GenerateError(fmt::format(
                "{}:{}: kernel '{}' needs {} bytes of shared memory ({}), {} has {} a block; make "
                "its tiles smaller",
                kernel.at.file, kernel.at.line, kernel.name, kernel.shared_bytes, bill, program.arch, limit));
        }
    }
}

}  // namespace tilejit::pass
