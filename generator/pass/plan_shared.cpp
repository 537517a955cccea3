// before:  share s1[part, q, token] = h               (no strides, no place)
// after:   share s1[part, q, token] = h               strides {.., 40, 1} at byte 0
//
// Strides are row-major with the last-but-one padded so that the accesses have the fewest bank
// conflicts, counted over every thread; channels have theirs already. Slots and tiles are placed one after
// the other, as aligned as the copy engine, the swizzle or an access of 16 bytes needs, the most aligned
// first; barriers after them.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "generator/layout/layout.h"
#include "generator/manifest/targets.h"
#include "generator/pass/pass.h"
#include "generator/pass/rewrite.h"

namespace tilejit::pass {
namespace {

/// How a shared tile is written or read.
struct Use {
    const std::vector<ir::Span>* at;
    const ir::Value* value;
    int vector;
};

void collect(const ir::Program& program, const std::vector<ir::Stmt>& body, std::vector<std::vector<Use>>& uses) {
    const auto add = [&](const auto& op, ir::ValueId value) {
        uses[static_cast<std::size_t>(op.buffer)].push_back(
            {&op.at, &program.values[static_cast<std::size_t>(value)], op.access.vector});
    };
    for (const ir::Stmt& stmt : body) {
        if (const auto* load = std::get_if<ir::SharedLoad>(&stmt.op)) {
            add(*load, load->out);
        } else if (const auto* store = std::get_if<ir::SharedStore>(&stmt.op)) {
            add(*store, store->in);
        } else if (const auto* inner = ir::body_of(stmt.op)) {
            collect(program, *inner, uses);
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

void choose_strides(const ir::Program& program, ir::Buffer& buffer, const std::vector<Use>& uses) {
    constexpr int kMaxPad = 64;  ///< bytes
    const int pads = kMaxPad / static_cast<int>(size_of(buffer.dtype));
    int widest = 1;
    for (const Use& use : uses) {
        widest = std::max(widest, use.vector);
    }
    ir::Buffer best;
    int least = INT32_MAX;
    for (int pad = 0; pad <= pads && least > static_cast<int>(uses.size()); ++pad) {
        buffer.strides = strides_with_pitch(program, buffer, pad);
        if (buffer.axes.size() > 1 && buffer.strides[buffer.axes.size() - 2] % widest != 0) {
            continue;
        }
        int conflicts = 0;
        for (const Use& use : uses) {
            conflicts += layout::bank_conflicts(program, buffer, *use.at, *use.value, use.vector);
        }
        if (conflicts < least) {
            least = conflicts;
            best.strides = buffer.strides;
        }
    }
    buffer.strides = best.strides;
}

std::int64_t bytes_of(const ir::Program& program, const ir::Buffer& buffer) {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < buffer.axes.size(); ++i) {
        last += static_cast<std::int64_t>(buffer.strides[i]) *
                (program.axes[static_cast<std::size_t>(buffer.axes[i])].extent - 1);
    }
    return (last + 1) * static_cast<std::int64_t>(size_of(buffer.dtype));
}

class Places {
public:
    explicit Places(ir::Kernel& kernel) : kernel_(kernel) { kernel_.shared_bytes = 0; }

    void run() {
        std::vector<std::size_t> order(kernel_.buffers.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return alignment(a) > alignment(b); });
        for (const std::size_t i : order) {
            ir::Buffer& buffer = kernel_.buffers[i];
            buffer.offset = place(buffer.slots * buffer.slot_bytes, alignment(i));
            add_to_bill(buffer.name, buffer.slots, buffer.slot_bytes);
        }
        constexpr int kBarrier = 8;
        for (ir::Sync& sync : kernel_.syncs) {
            sync.offset = place(std::int64_t{kBarrier} * sync.slots, kBarrier);
            add_to_bill(sync.name, sync.slots, kBarrier);
        }
    }

    void check(const std::string& arch) const {
        const std::int64_t limit = manifest::find_architecture(arch)->shared_memory;
        if (kernel_.shared_bytes > limit) {
            throw GenerateError(
                fmt::format("{}:{}: kernel '{}' needs {} bytes of shared memory ({}), {} has {} a block; make "
                            "its tiles smaller{}",
                            kernel_.at.file, kernel_.at.line, kernel_.name, kernel_.shared_bytes, bill_, arch, limit,
                            kernel_.channels.empty() ? "" : " or its rings shorter"));
        }
    }

private:
    int alignment(std::size_t buffer) const {
        constexpr int kSwizzle = 1024;
        constexpr int kEngine = 128;
        constexpr int kAccess = 16;
        const bool ring = std::any_of(kernel_.channels.begin(), kernel_.channels.end(), [&](const auto& channel) {
            return channel.kind == ir::Channel::Kind::ring && channel.buffer == static_cast<ir::BufferId>(buffer);
        });
        return kernel_.buffers[buffer].swizzled ? kSwizzle : ring ? kEngine : kAccess;
    }

    std::int64_t place(std::int64_t bytes, int alignment) {
        const std::int64_t offset = (kernel_.shared_bytes + alignment - 1) / alignment * alignment;
        kernel_.shared_bytes = offset + bytes;
        return offset;
    }

    void add_to_bill(const std::string& name, int count, std::int64_t bytes) {
        bill_ += bill_.empty() ? "" : ", ";
        bill_ += count == 1 ? fmt::format("{} {}", name, bytes) : fmt::format("{} {} * {}", name, count, bytes);
    }

    ir::Kernel& kernel_;
    std::string bill_;
};

}  // namespace

void plan_shared(ir::Program& program) {
    for (ir::Kernel& kernel : program.kernels) {
        std::vector<std::vector<Use>> uses(kernel.buffers.size());
        for (const ir::Role& role : kernel.roles) {
            collect(program, role.body, uses);
        }
        for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
            ir::Buffer& buffer = kernel.buffers[i];
            if (buffer.strides.empty()) {
                choose_strides(program, buffer, uses[i]);
                buffer.slot_bytes = bytes_of(program, buffer);
            }
        }
        Places places(kernel);
        places.run();
        places.check(program.arch);
    }
}

}  // namespace tilejit::pass
