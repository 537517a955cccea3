#include <fmt/format.h>

#include <set>

#include "generator/ir/verify.h"

namespace tilejit::ir {
namespace {

struct Pending {
    std::set<BufferId> read;
    std::set<BufferId> written;
};

/// Tiles of channels have synchronisation of their own.
std::set<BufferId> channel_buffers(const Kernel& kernel) {
    std::set<BufferId> buffers;
    for (const Channel& channel : kernel.channels) {
        buffers.insert(channel.buffer);
    }
    return buffers;
}

/// Returns false at the first conflict.
bool safe(const std::vector<Stmt>& body, const std::set<BufferId>& ignored, Pending& pending, const Stmt*& culprit) {
    for (const Stmt& stmt : body) {
        culprit = &stmt;
        if (const auto* load = std::get_if<SharedLoad>(&stmt.op); load != nullptr && !ignored.contains(load->buffer)) {
            if (pending.written.contains(load->buffer)) {
                return false;
            }
            pending.read.insert(load->buffer);
        } else if (const auto* store = std::get_if<SharedStore>(&stmt.op);
                   store != nullptr && !ignored.contains(store->buffer)) {
            if (pending.written.contains(store->buffer) || pending.read.contains(store->buffer)) {
                return false;
            }
            pending.written.insert(store->buffer);
        } else if (std::holds_alternative<Barrier>(stmt.op)) {
            pending = {};
        } else if (const std::vector<Stmt>* loop = body_of(stmt.op)) {
            Pending before = pending;
            for (int turn = 0; turn < 2; ++turn) {
                if (!safe(*loop, ignored, pending, culprit)) {
                    return false;
                }
            }
            pending.read.merge(before.read);
            pending.written.merge(before.written);
        }
    }
    return true;
}

}  // namespace

void verify_barriers(const Program& program) {
    for (const Kernel& kernel : program.kernels) {
        for (const Role& role : kernel.roles) {
            Pending pending;
            const Stmt* culprit = nullptr;
            if (!safe(role.body, channel_buffers(kernel), pending, culprit)) {
                throw InternalError(fmt::format("internal error: no barrier before the shared access of {}:{}",
                                                culprit->at.file, culprit->at.line));
            }
        }
    }
}

}  // namespace tilejit::ir
