#include "generator/interpret/numbers.h"

#include <map>
#include <tuple>

#include "generator/interpret/tiles.h"

namespace tilejit::interpret {
namespace {

template <class Domain>
class NumbersOf final : public Numbers {
    using Element = typename Domain::Element;
    using Tile = std::vector<Element>;

public:
    explicit NumbersOf(const NumbersPlan& plan)
        : environment_(plan.environment), shared_(plan.shared), queued_(plan.queued) {}

    void start(std::size_t blocks, std::size_t fibers) override {
        while (tiles_.size() < fibers) {
            tiles_.emplace_back(environment_.program, environment_.params);
        }
        cells_.resize(blocks);
        for (Tile& cells : cells_) {
            cells.assign(shared_.granules, Domain::poison());
        }
        places_.clear();
    }

    void run(std::size_t fiber, const ir::Constant& op) override { tiles_[fiber].run(op); }
    void run(std::size_t fiber, const ir::Parameter& op) override { tiles_[fiber].run(op); }
    void run(std::size_t fiber, const ir::Map& op) override { tiles_[fiber].run(op); }
    void run(std::size_t fiber, const ir::Reduce& op) override { tiles_[fiber].run(op); }
    void run(std::size_t fiber, const ir::Contract& op) override { tiles_[fiber].run(op); }
    void run(std::size_t fiber, const ir::Split& op) override { tiles_[fiber].run(op); }
    void run(std::size_t fiber, const ir::Mma& op) override { tiles_[fiber].run(op); }
    void run(std::size_t fiber, const ir::Select& op, std::int64_t at) override { tiles_[fiber].run(op, at); }
    void copy(std::size_t fiber, ir::ValueId from, ir::ValueId to) override { tiles_[fiber].copy(from, to); }

    void load(std::size_t fiber, ir::ValueId out, const TensorPart& part) override {
        gather(tiles_[fiber].axes(out), part, tiles_[fiber].fresh(out));
    }

    void store(std::size_t fiber, ir::ValueId in, const TensorPart& part) override {
        scatter(tiles_[fiber].axes(in), part, tiles_[fiber].held(in));
    }

    void read(std::size_t fiber, ir::ValueId out, const SlotPart& part) override {
        Tile& tile = tiles_[fiber].fresh(out);
        for (std::size_t e = 0; e < tile.size(); ++e) {
            tile[e] = cell(part, e);
        }
    }

    void write(std::size_t fiber, ir::ValueId in, const SlotPart& part) override { put(tiles_[fiber].held(in), part); }

    void fill(const Slot& slot, const std::vector<ir::AxisId>& axes, const TensorPart& part) override {
        Tile tile(elements_of(environment_.program, axes), Domain::kZero);
        gather(axes, part, tile);
        for (std::size_t e = 0; e < tile.size(); ++e) {
            cell(slot, e) = tile[e];
        }
    }

    void drain(const Slot& slot, const std::vector<ir::AxisId>& axes, const TensorPart& part) override {
        Tile tile(elements_of(environment_.program, axes), Domain::kZero);
        for (std::size_t e = 0; e < tile.size(); ++e) {
            tile[e] = cell(slot, e);
        }
        scatter(axes, part, tile);
    }

    void poison(const Slot& slot) override {
        const std::size_t elements = shared_.buffers[static_cast<std::size_t>(slot.buffer)].granules.size();
        for (std::size_t e = 0; e < elements; ++e) {
            cell(slot, e) = Domain::poison();
        }
    }

    void poison(const SlotPart& part) override {
        for (std::size_t e = 0; e < part.elements->size(); ++e) {
            cell(part, e) = Domain::poison();
        }
    }

    std::shared_ptr<const void> keep(std::size_t fiber, ir::ValueId in) override {
        return std::make_shared<const Tile>(tiles_[fiber].held(in));
    }

    void deliver(const std::shared_ptr<const void>& kept, const SlotPart& part) override {
        put(*static_cast<const Tile*>(kept.get()), part);
    }

    void forget(const Slot& slot) override { places_.erase({slot.block, slot.buffer, slot.position}); }

private:
    Element& cell(const Slot& slot, std::size_t element) {
        const Placement& placement = shared_.buffers[static_cast<std::size_t>(slot.buffer)];
        internal_check(element < placement.granules.size(), "an access outside a shared tile");
        if (queued_[static_cast<std::size_t>(slot.buffer)]) {
            Tile& place = places_[{slot.block, slot.buffer, slot.position}];
            place.resize(placement.granules.size(), Domain::poison());
            return place[element];
        }
        return cells_[static_cast<std::size_t>(slot.block)]
                     [placement.first_granule(slot.slot) + static_cast<std::size_t>(placement.granules[element])];
    }

    Element& cell(const SlotPart& part, std::size_t element) {
        return cell(part.slot, static_cast<std::size_t>(part.first) + (*part.elements)[element]);
    }

    void put(const Tile& tile, const SlotPart& part) {
        for (std::size_t e = 0; e < tile.size(); ++e) {
            cell(part, e) = tile[e];
        }
    }

    void gather(const std::vector<ir::AxisId>& axes, const TensorPart& part, Tile& tile) const {
        const Memory& memory = environment_.tensors[static_cast<std::size_t>(part.tensor)];
        for_each_inside(
            environment_, axes, part,
            [&](std::ptrdiff_t to, std::int64_t from, std::int64_t count, std::ptrdiff_t step, std::ptrdiff_t to_step) {
                for (std::int64_t i = 0; i < count; ++i) {
                    tile[static_cast<std::size_t>(to + i * to_step)] =
                        Domain::load(memory.data, from + i * step, memory.wide);
                }
            });
    }

    void scatter(const std::vector<ir::AxisId>& axes, const TensorPart& part, const Tile& tile) const {
        const Memory& memory = environment_.tensors[static_cast<std::size_t>(part.tensor)];
        for_each_inside(environment_, axes, part,
                        [&](std::ptrdiff_t from, std::int64_t to, std::int64_t count, std::ptrdiff_t step,
                            std::ptrdiff_t from_step) {
                            for (std::int64_t i = 0; i < count; ++i) {
                                Domain::store(memory.data, to + i * step, memory.wide,
                                              tile[static_cast<std::size_t>(from + i * from_step)]);
                            }
                        });
    }

    const Environment& environment_;
    const SharedPlan& shared_;
    const std::vector<bool> queued_;
    std::vector<Tiles<Domain>> tiles_;  ///< by fiber
    std::vector<Tile> cells_;           ///< by block, one element a granule that it starts in
    std::map<std::tuple<int, ir::BufferId, std::int64_t>, Tile> places_;
};

}  // namespace

std::unique_ptr<Numbers> make_numbers(const NumbersPlan& plan) {
    if (plan.exact) {
        return std::make_unique<NumbersOf<Exact>>(plan);
    }
    return std::make_unique<NumbersOf<Real>>(plan);
}

}  // namespace tilejit::interpret
