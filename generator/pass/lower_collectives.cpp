// before:  project:       send v3 to partial[turn][token, q]
//          coefficients:  acquire partial[turn] ; v5 = read partial[turn][rank, token, q] ; release partial[turn]
// after:   project:       send v3 to the owner's partial[turn][this rank, token, q], landing on partial.full[turn]
//          coefficients:  expect partial.full[turn] 3584 bytes ; wait partial.full[turn] ; v5 = read ..
//
// The receiver waits for bytes: all that the blocks of the cluster send to one tile. Nothing tells senders
// that a slot is free: how many slots there are follows from what else makes them wait (ir/flow.h). So
// strides have no gaps, and what is sent must be the whole tile.
#include <fmt/format.h>

#include "generator/ir/flow.h"
#include "generator/pass/pass.h"
#include "generator/pass/rewrite.h"

namespace tilejit::pass {
namespace {

using Kind = ir::Channel::Kind;

class Collectives {
public:
    Collectives(ir::Program& program, ir::Kernel& kernel) : program_(program), kernel_(kernel) {}

    void run() {
        std::vector<int> slots(kernel_.channels.size(), 0);
        for (std::size_t c = 0; c < kernel_.channels.size(); ++c) {
            if (kernel_.channels[c].kind != Kind::ring) {
                slots[c] = ir::least_slots(kernel_, static_cast<ir::ChannelId>(c));
            }
        }
        for (std::size_t c = 0; c < kernel_.channels.size(); ++c) {
            if (slots[c] > 0) {
                lower(static_cast<ir::ChannelId>(c), slots[c]);
            }
        }
    }

private:
    void lower(ir::ChannelId id, int slots) {
        const ir::Channel& channel = kernel_.channels[static_cast<std::size_t>(id)];
        ir::Buffer& buffer = kernel_.buffers[static_cast<std::size_t>(channel.buffer)];
        buffer.slots = slots;
        buffer.strides = dense_strides(program_, buffer.axes);
        buffer.slot_bytes = elements_of(program_, buffer.axes) * static_cast<std::int64_t>(size_of(buffer.dtype));
        const ir::SyncId full = add_sync(kernel_, channel.name + ".full", slots, buffer.every, 1);
        sent_ = 0;
        for (ir::Role& role : kernel_.roles) {
            rewrite(role.body, [&](const ir::Stmt& stmt) -> Replacement {
                if (const auto* send = std::get_if<ir::Send>(&stmt.op); send != nullptr && send->channel == id) {
                    sent_ += elements_of(program_, program_.values[static_cast<std::size_t>(send->in)].axes);
                    return {{ir::SendTo{send->in,
                                        channel.buffer,
                                        send->position,
                                        send->at,
                                        full,
                                        channel.kind == Kind::all_gather,
                                        {}}}};
                }
                if (const auto* acquire = std::get_if<ir::Acquire>(&stmt.op);
                    acquire != nullptr && acquire->channel == id) {
                    return {{ir::Expect{full, acquire->position, static_cast<int>(buffer.slot_bytes)},
                             ir::Wait{full, acquire->position, false}}};
                }
                if (const auto* release = std::get_if<ir::Release>(&stmt.op);
                    release != nullptr && release->channel == id) {
                    return {{}};
                }
                return {};
            });
        }
        check_sent(channel, buffer);
    }

    /// Fewer elements than the tile has would be waited for in vain.
    void check_sent(const ir::Channel& channel, const ir::Buffer& buffer) const {
        const std::int64_t senders = channel.kind == Kind::reduce_scatter ? kernel_.cluster : 1;
        const std::int64_t tile = elements_of(program_, buffer.axes) / senders;
        if (sent_ != tile) {
            throw GenerateError(
                fmt::format("{}:{}: a tile of channel '{}' has {} elements, but {} are sent; send "
                            "each part of it once a tile",
                            channel.at.file, channel.at.line, channel.name, tile, sent_));
        }
    }

    ir::Program& program_;
    ir::Kernel& kernel_;
    std::int64_t sent_ = 0;
};

}  // namespace

void lower_collectives(ir::Program& program) {
    for (ir::Kernel& kernel : program.kernels) {
        Collectives(program, kernel).run();
    }
}

}  // namespace tilejit::pass
