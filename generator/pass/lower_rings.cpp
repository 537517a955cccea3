// before:  load:   fill x[turn] from t0[..]
//          mix:    acquire x[turn] to update ; .. ; drain x[turn] to t1[..] ; release x[turn]
// after:   load:   wait x.free[turn] before ; expect x.full[turn] 20480 bytes ; copy t0[..] in to x[turn]
//          mix:    wait x.full[turn] ; .. ; proxy fence ; barrier ; copy x[turn] out to t1[..] ; copy done ;
//                  first warp arrives at x.free[turn]
// or, where the copy engine cannot move the tiles:
//          load:   wait x.free[turn] before ; v9 = load t0[..] ; x[turn] = v9 ; arrive x.full[turn]
//          mix:    wait x.full[turn] ; .. ; v10 = read x[turn] ; store v10 to t1[..] ; arrive x.free[turn]
//
// Four barriers a slot, of which a ring has those that it needs: full (filled), read (those that only read
// are done, the updater may write), updated (the updater is done), free (may be filled again).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "generator/pass/pass.h"
#include "generator/pass/rewrite.h"
#include "generator/pass/ring_storage.h"

namespace tilejit::pass {
namespace {

using Use = ir::Acquire::Use;

class Ring {
public:
    Ring(ir::Program& program, ir::Kernel& kernel, ir::ChannelId id)
        : program_(program), kernel_(kernel), id_(id), buffer_id_(channel().buffer) {}

    void lower() {
        place_ring(program_, buffer());
        for (const ir::Role& role : kernel_.roles) {
            collect(role, role.body, -1);
        }
        add_syncs();
        for (ir::Role& role : kernel_.roles) {
            rewrite(role.body, [&](const ir::Stmt& stmt) { return replacement(role, stmt); });
        }
    }

private:
    const ir::Channel& channel() const { return kernel_.channels[static_cast<std::size_t>(id_)]; }
    ir::Buffer& buffer() { return kernel_.buffers[static_cast<std::size_t>(buffer_id_)]; }

    template <class Op>
    const Op* use(const ir::Stmt& stmt) const {
        const auto* op = std::get_if<Op>(&stmt.op);
        return op != nullptr && op->channel == id_ ? op : nullptr;
    }

    /// Who fills the ring and releases its tiles, and whether all its copies suit the engine.
    void collect(const ir::Role& role, const std::vector<ir::Stmt>& body, ir::VarId turn) {
        for (std::size_t i = 0; i < body.size(); ++i) {
            if (const auto* acquire = use<ir::Acquire>(body[i])) {
                check_copies(role, acquire->position, turn, body[i].at);
            } else if (const auto* fill = use<ir::Fill>(body[i])) {
                check_copies(role, fill->position, turn, body[i].at);
                filler_warps_ = role.warps;
                engine_ = engine_ && engine_serves(program_, buffer(), fill->tensor, fill->at);
            } else if (const auto* drain = use<ir::Drain>(body[i])) {
                engine_ = engine_ && engine_serves(program_, buffer(), drain->tensor, drain->at);
                drained_by_.push_back(&role);
            } else if (const auto* release = use<ir::Release>(body[i])) {
                warps_[static_cast<std::size_t>(release->use)] += role.warps;
                updater_ = release->use == Use::update ? &role : updater_;
                released_by_copy_ =
                    released_by_copy_ || (release->use == Use::update && i > 0 && use<ir::Drain>(body[i - 1]));
            } else if (const auto* tiles = std::get_if<ir::TileLoop>(&body[i].op)) {
                collect(role, tiles->body, tiles->turn);
            } else if (const std::vector<ir::Stmt>* inner = ir::body_of(body[i].op)) {
                collect(role, *inner, turn);
            }
        }
    }

    /// A barrier tells a phase from the next, but not from the one after: who waits for a slot's tile must
    /// have waited for the one before it.
    void check_copies(const ir::Role& role, const ir::Index& position, ir::VarId turn, const ir::Location& at) {
        std::int64_t together = role.copies;
        for (const auto& [var, coefficient] : position.terms) {
            together *= var == turn ? coefficient : 1;
        }
        if (role.copies > 1 && buffer().slots % together != 0) {
            throw GenerateError(
                fmt::format("{}:{}: role '{}' has {} copies, which use {} tiles of ring '{}' in a "
                            "round: its {} stages are no multiple of that; give it {}",
                            at.file, at.line, role.name, role.copies, together, channel().name, buffer().slots,
                            (buffer().slots + together - 1) / together * together));
        }
    }

    int warps(Use use) const { return warps_[static_cast<std::size_t>(use)]; }
    bool has(Use use) const { return warps(use) > 0; }
    Use last_use() const { return has(Use::updated) ? Use::updated : has(Use::update) ? Use::update : Use::read; }
    /// The updater's last act is to start a copy, behind a barrier of its threads: its first warp then
    /// speaks for all.
    bool first_warp_releases() const { return engine_ && released_by_copy_ && last_use() == Use::update; }
    /// Where threads write slots, each answers for what it wrote and read itself: tools that look for races
    /// follow only that.
    bool threads_arrive() const { return !engine_ || has(Use::update); }
    ir::Arrive::By by() const { return threads_arrive() ? ir::Arrive::By::threads : ir::Arrive::By::warps; }
    int arrivals(int warps) const { return threads_arrive() ? 32 * warps : warps; }

    void add_syncs() {
        const auto sync = [&](const char* what, int arrivals) {
            return add_sync(kernel_, channel().name + what, buffer().slots, buffer().every, arrivals);
        };
        full_ = sync(".full", engine_ ? 1 : arrivals(filler_warps_));
        if (has(Use::update) && has(Use::read)) {
            read_ = sync(".read", arrivals(warps(Use::read)));
        }
        if (has(Use::updated)) {
            updated_ = sync(".updated", arrivals(warps(Use::update)));
        }
        free_ = sync(".free", first_warp_releases() ? 1 : arrivals(warps(last_use())));
    }

    Replacement replacement(const ir::Role& role, const ir::Stmt& stmt) {
        if (const auto* op = use<ir::Fill>(stmt)) {
            return fill(role, *op, stmt.at);
        }
        if (const auto* op = use<ir::Acquire>(stmt)) {
            return acquire(*op);
        }
        if (const auto* op = use<ir::Release>(stmt)) {
            return release(*op);
        }
        if (const auto* op = use<ir::Drain>(stmt)) {
            return drain(role, *op, stmt.at);
        }
        return {};
    }

    std::vector<ir::Op> fill(const ir::Role& role, const ir::Fill& op, const ir::Location& at) {
        std::vector<ir::Op> ops{ir::Wait{free_, op.position, true}};
        if (engine_) {
            const std::int64_t bytes =
                elements_of(program_, buffer().axes) * static_cast<std::int64_t>(size_of(buffer().dtype));
            ops.emplace_back(ir::Expect{full_, op.position, static_cast<int>(bytes)});
            ops.emplace_back(ir::CopyIn{buffer_id_, op.position, op.tensor, op.at, full_});
            return ops;
        }
        for (ir::Op& copy : plain_fill(program_, kernel_, role, op, at)) {
            ops.push_back(std::move(copy));
        }
        ops.emplace_back(ir::Arrive{full_, op.position, by()});
        return ops;
    }

    std::vector<ir::Op> acquire(const ir::Acquire& op) const {
        if (op.use == Use::updated) {
            return {ir::Wait{updated_, op.position, false}};
        }
        // Those that only read have waited until the slot was full.
        const bool after_readers = op.use == Use::update && has(Use::read);
        return {ir::Wait{after_readers ? read_ : full_, op.position, false}};
    }

    bool drains(const ir::Role* role) const {
        return std::find(drained_by_.begin(), drained_by_.end(), role) != drained_by_.end();
    }

    std::vector<ir::Op> release(const ir::Release& op) const {
        std::vector<ir::Op> ops;
        if (op.use == Use::update && engine_ && !drains(updater_)) {
            ops.emplace_back(ir::ProxyFence{});  // the engine moves or overwrites what the role wrote
        }
        if (op.use == last_use()) {
            ops.emplace_back(ir::Arrive{free_, op.position, first_warp_releases() ? ir::Arrive::By::first_warp : by()});
        } else {
            ops.emplace_back(ir::Arrive{op.use == Use::read ? read_ : updated_, op.position, by()});
        }
        return ops;
    }

    std::vector<ir::Op> drain(const ir::Role& role, const ir::Drain& op, const ir::Location& at) {
        if (!engine_) {
            return plain_drain(program_, kernel_, role, op, at);
        }
        std::vector<ir::Op> ops;
        if (&role == updater_) {
            ops.emplace_back(ir::ProxyFence{});
            ops.emplace_back(ir::Barrier{});
        }
        ops.emplace_back(ir::CopyOut{buffer_id_, op.position, op.tensor, op.at});
        ops.emplace_back(ir::CopyDone{0});
        return ops;
    }

    ir::Program& program_;
    ir::Kernel& kernel_;
    ir::ChannelId id_;
    ir::BufferId buffer_id_;
    bool engine_ = true;
    std::vector<const ir::Role*> drained_by_;
    const ir::Role* updater_ = nullptr;
    bool released_by_copy_ = false;
    int filler_warps_ = 0;
    std::array<int, 3> warps_{};  ///< that release, by use
    ir::SyncId full_ = -1;
    ir::SyncId read_ = -1;
    ir::SyncId updated_ = -1;
    ir::SyncId free_ = -1;
};

}  // namespace

void lower_rings(ir::Program& program) {
    for (ir::Kernel& kernel : program.kernels) {
        bool exchanges = false;
        for (std::size_t c = 0; c < kernel.channels.size(); ++c) {
            if (kernel.channels[c].kind == ir::Channel::Kind::ring) {
                Ring(program, kernel, static_cast<ir::ChannelId>(c)).lower();
            } else {
                exchanges = true;
            }
        }
        if (!kernel.syncs.empty()) {
            kernel.prologue.push_back({ir::InitSyncs{}, kernel.at});
            kernel.prologue.push_back({ir::ClusterBarrier{}, kernel.at});
        }
        if (exchanges) {
            // What other blocks send must have landed before this one's memory is gone.
            kernel.epilogue.push_back({ir::ClusterBarrier{}, kernel.at});
        }
    }
}

}  // namespace tilejit::pass
