/// \file How a tile's elements are spread over the threads of a role and over their registers.
///
/// The same text is compiled by the host compiler, which plans and proves layouts, and by NVRTC,
/// which runs them. A tile has named axes, numbered per kernel. A coordinate on an axis is a sum of
/// pieces; each piece takes some digits of the thread's number or of the register slot's number:
///
///     coord(axis) = sum over pieces of that axis of (number / stride % extent) * step
///
/// Threads that no piece distinguishes hold copies of the same elements. Where an axis is covered
/// beyond its extent, the surplus coordinates are padding.
#pragma once

namespace tj {

struct Piece {
    int axis;
    int extent;  ///< number of values of this digit
    int step;    ///< what one unit of the digit adds to the coordinate
    int stride;  ///< what one unit of the digit adds to the thread's or slot's number

    constexpr int digit(int number) const { return number / stride % extent; }
    constexpr bool operator==(const Piece&) const = default;
};

struct Layout {
    static constexpr int kMaxPieces = 12;
    int threads;       ///< of the role
    int thread_count;  ///< entries used in `thread`
    Piece thread[kMaxPieces];
    int slot_count;  ///< entries used in `slot`; the first has stride 1
    Piece slot[kMaxPieces];
    int first = 0;   ///< the role's first thread in the block
    int copies = 1;  ///< of the role; each has `threads` threads, numbered from 0

    constexpr bool operator==(const Layout&) const = default;

    /// Registers a thread needs for its share of the tile, in elements.
    constexpr int slots() const {
        int count = 1;
        for (int i = 0; i < slot_count; ++i) {
            count *= slot[i].extent;
        }
        return count;
    }

    constexpr int thread_coord(int axis, int number) const {
        int coord = 0;
        for (int i = 0; i < thread_count; ++i) {
            if (thread[i].axis == axis) {
                coord += thread[i].digit(number) * thread[i].step;
            }
        }
        return coord;
    }

    constexpr int slot_coord(int axis, int number) const {
        int coord = 0;
        for (int i = 0; i < slot_count; ++i) {
            if (slot[i].axis == axis) {
                coord += slot[i].digit(number) * slot[i].step;
            }
        }
        return coord;
    }

    constexpr int coord(int axis, int thread_number, int slot_number) const {
        return thread_coord(axis, thread_number) + slot_coord(axis, slot_number);
    }

    /// One past the largest coordinate that any thread and slot reach.
    constexpr int covered(int axis) const {
        int last = 0;
        for (int i = 0; i < thread_count; ++i) {
            last += thread[i].axis == axis ? (thread[i].extent - 1) * thread[i].step : 0;
        }
        for (int i = 0; i < slot_count; ++i) {
            last += slot[i].axis == axis ? (slot[i].extent - 1) * slot[i].step : 0;
        }
        return last + 1;
    }

    /// True when threads differ in their coordinates on this axis.
    constexpr bool on_threads(int axis) const {
        for (int i = 0; i < thread_count; ++i) {
            if (thread[i].axis == axis && thread[i].extent > 1) {
                return true;
            }
        }
        return false;
    }

    /// True for exactly one of the threads that hold copies of the same elements.
    constexpr bool owner(int number) const {
        int covered_number = 0;
        for (int i = 0; i < thread_count; ++i) {
            covered_number += thread[i].digit(number) * thread[i].stride;
        }
        return covered_number == number;
    }

    /// False when no two threads hold the same elements, so that `owner` need not be asked.
    constexpr bool replicated() const {
        int distinct = 1;
        for (int i = 0; i < thread_count; ++i) {
            distinct *= thread[i].extent;
        }
        return distinct != threads;
    }
};

/// The slot of `inner` that holds, for the axes of `inner`, the coordinates that slot `number` of
/// `outer` holds. The pieces of `inner` must be among those of `outer`.
constexpr int matching_slot(const Layout& outer, const Layout& inner, int number) {
    int result = 0;
    for (int i = 0; i < inner.slot_count; ++i) {
        for (int o = 0; o < outer.slot_count; ++o) {
            if (outer.slot[o].axis == inner.slot[i].axis && outer.slot[o].step == inner.slot[i].step) {
                result += outer.slot[o].digit(number) * inner.slot[i].stride;
            }
        }
    }
    return result;
}

}  // namespace tj
