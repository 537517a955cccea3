#include "generator/interpret/shadow.h"

#include <fmt/format.h>

namespace tilejit::interpret {

void Shadow::race(const Access& earlier, const Accessing& by, const std::string& what, const std::string& why) const {
    const Event& first = events_[earlier.event];
    const Event& second = events_[by.access.event];
    throw ProtocolError(fmt::format("{}: race on `{}`: {}, and {}: {}", place(second.stmt->at), what, describe(second),
                                    describe(first), why));
}

void Shadow::check(const Access& earlier, bool writes, const Accessing& by, const std::string& what) const {
    if (earlier.event == Access::kNever) {
        return;
    }
    const bool by_warp = earlier.entity < warps_;
    if (events_[earlier.event].actor->cluster != by.cluster) {
        race(earlier, by, what, "nothing orders blocks of different clusters within a kernel");
    }
    if (by_warp && earlier.entity == by.warp->self()) {
        if (earlier.epoch > by.warp->met() && earlier.lane != by.access.lane) {
            race(earlier, by, what, "other lanes of the same warp, which have not met in between");
        }
    } else if (const Clock& clock = by.warp->clock();
               (by.follows ? clock.happened(earlier.entity) : clock.seen(earlier.entity)) < earlier.epoch) {
        race(earlier, by, what, "nothing makes the one wait for the other");
    }
    if (by.engine && by_warp && writes) {
        const bool own = earlier.entity == by.warp->self();
        if (by.warp->clock().fenced(earlier.entity) < earlier.epoch) {
            race(earlier, by, what,
                 fmt::format("the copy engine does not see what {} wrote without a proxy fence after the write",
                             own ? "the role" : events_[earlier.event].actor->name()));
        }
    }
}

void Shadow::read(Cell& cell, const Accessing& by, const std::string& what) const {
    check(cell.writer, true, by, what);
    const auto again = [&](Access& reader) {
        if (reader.event == Access::kNever || reader.entity != by.access.entity ||
            events_[reader.event].actor->cluster != by.cluster) {
            return false;
        }
        // What lanes read before they met is known to all of them.
        const bool several = reader.epoch > by.warp->met() && reader.lane != by.access.lane;
        reader = by.access;
        reader.lane = several ? -1 : reader.lane;
        return true;
    };
    if (again(cell.reader)) {
        return;
    }
    for (Access& reader : cell.more_readers) {
        if (again(reader)) {
            return;
        }
    }
    if (cell.reader.event == Access::kNever) {
        cell.reader = by.access;
    } else {
        cell.more_readers.push_back(by.access);
    }
}

void Shadow::write(Cell& cell, const Accessing& by, const std::string& what) const {
    check(cell.writer, true, by, what);
    check(cell.reader, false, by, what);
    for (const Access& reader : cell.more_readers) {
        check(reader, false, by, what);
    }
    cell.writer = by.access;
    cell.reader = {};
    cell.more_readers.clear();
}

}  // namespace tilejit::interpret
