#include <algorithm>
#include <array>

#include "generator/layout/layout.h"

namespace tilejit::layout {
namespace {

constexpr int kWarp = 32;
constexpr int kBanks = 32;
constexpr int kWord = 4;  ///< bytes of a bank
constexpr int kNone = -1;

class Conflicts {
public:
    Conflicts(const ir::Program& program, const ir::Buffer& buffer, const std::vector<ir::Span>& at,
              const ir::Value& value, int vector)
        : program_(program),
          buffer_(buffer),
          at_(at),
          value_(value),
          layout_(*value.layout),
          bytes_(vector * static_cast<int>(size_of(buffer.dtype))) {
        linear_ = !buffer.swizzled && buffer.block == 0;
        padded_ = std::any_of(value.axes.begin(), value.axes.end(),
                              [&](ir::AxisId axis) { return layout_.covered(axis) > extent(axis); });
    }

    int worst(int vector) const {
        // Where an address is the sum of what thread and slot add, other slots only shift it, and have no
        // elements that are padding in the first.
        const int slots = linear_ ? vector : layout_.slots();
        const int threads = linear_ && !padded_ && warps_alike() ? kWarp : layout_.threads;
        int worst = 1;
        for (int slot = 0; slot < slots; slot += vector) {
            for (int first = 0; first < threads; first += kWarp) {
                worst = std::max(worst, of_warp(first, slot));
            }
        }
        return worst;
    }

private:
    int extent(ir::AxisId axis) const { return program_.axes[static_cast<std::size_t>(axis)].extent; }

    bool warps_alike() const {
        return std::all_of(layout_.thread, layout_.thread + layout_.thread_count, [](const tj::Piece& piece) {
            return piece.stride % kWarp == 0 || kWarp % (piece.stride * piece.extent) == 0;
        });
    }

    /// The first byte that a thread accesses; `kNone` for padding.
    int byte(int thread, int slot) const {
        for (const ir::AxisId axis : value_.axes) {
            if (padded_ && layout_.coord(axis, thread, slot) >= extent(axis)) {
                return kNone;
            }
        }
        int element = 0;
        for (std::size_t d = 0; d < at_.size(); ++d) {
            int index = static_cast<int>(at_[d].origin.constant);
            for (const auto& [axis, step] : at_[d].axes) {
                index += step * layout_.coord(axis, thread, slot);
            }
            const bool cut = buffer_.block > 0 && d + 1 == at_.size();
            element +=
                cut ? index / buffer_.block * buffer_.block_stride + index % buffer_.block : index * buffer_.strides[d];
        }
        const int plain = element * static_cast<int>(size_of(buffer_.dtype));
        return buffer_.swizzled ? plain ^ (plain >> 7 & 7) << 4 : plain;
    }

    int of_warp(int first, int slot) const {
        const int together = std::min(kWarp, kWarp * kWord / bytes_);
        const int words_each = std::max(1, bytes_ / kWord);
        int worst = 1;
        for (int group = 0; group < kWarp; group += together) {
            std::array<int, kWarp> words{};
            int count = 0;
            for (int lane = group; lane < group + together; ++lane) {
                const int from = byte(first + lane, slot);
                for (int word = 0; word < words_each && from != kNone; ++word) {
                    words[static_cast<std::size_t>(count++)] = from / kWord + word;
                }
            }
            std::sort(words.begin(), words.begin() + count);
            const auto last = std::unique(words.begin(), words.begin() + count);
            std::array<int, kBanks> load{};
            for (auto at = words.begin(); at != last; ++at) {
                worst = std::max(worst, ++load[static_cast<std::size_t>(*at % kBanks)]);
            }
        }
        return worst;
    }

    const ir::Program& program_;
    const ir::Buffer& buffer_;
    const std::vector<ir::Span>& at_;
    const ir::Value& value_;
    const tj::Layout& layout_;
    int bytes_;
    bool linear_ = true;
    bool padded_ = false;
};

}  // namespace

int bank_conflicts(const ir::Program& program, const ir::Buffer& buffer, const std::vector<ir::Span>& at,
                   const ir::Value& value, int vector) {
    return Conflicts(program, buffer, at, value, vector).worst(vector);
}

}  // namespace tilejit::layout
