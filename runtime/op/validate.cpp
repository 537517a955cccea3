#include "runtime/op/validate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "runtime/launch/launch.h"
#include "tilejit/error.h"

namespace tilejit {

namespace {

constexpr std::uint64_t kVectorBytes = 16;

std::uint64_t address_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

std::string who(const manifest::Manifest& manifest, const manifest::Tensor& spec, bool is_output) {
    return fmt::format("{}: {} `{}`", manifest.op, is_output ? "output" : "input", spec.name);
}

std::string who(const manifest::Manifest& manifest, const CheckedTensor& tensor) {
    return who(manifest, *tensor.spec, tensor.is_output);
}

std::string spec_text(const manifest::Tensor& spec) {
    std::vector<std::string> axes;
    for (const auto& axis : spec.shape) {
        axes.push_back(axis.text());
    }
    return fmt::format("{} [{}]", spec.dtype.text(), fmt::join(axes, ", "));
}

/// The layout checks of one tensor; `title` starts every message.
class LayoutCheck {
public:
    LayoutCheck(const manifest::Manifest& manifest, const manifest::Tensor& spec, bool is_output,
                const TensorView& view)
        : manifest_(manifest), spec_(spec), view_(view), title_(who(manifest, spec, is_output)) {
        result_.spec = &spec;
        result_.is_output = is_output;
        result_.dtype = view.dtype;
        result_.data = view.data;
        result_.device = view.device;
    }

    CheckedTensor run() {
        check_type_and_rank();
        join_leading();
        if (view_.elements() > 0) {
            check_strides();
        }
        return std::move(result_);
    }

private:
    void check_type_and_rank() const {
        if (spec_.dtype.variable.empty() && view_.dtype != spec_.dtype.fixed) {
            throw ShapeError(fmt::format("{}: expected dtype {}, found {}. Convert the tensor.", title_,
                                         spec_.dtype.text(), name_of(view_.dtype)));
        }
        const std::size_t rank = spec_.shape.size();
        const bool may_lead = rank > 0 && spec_.shape[0].text() == manifest_.open_dim();
        if (view_.shape.size() < rank || (view_.shape.size() > rank && !may_lead)) {
            throw ShapeError(fmt::format("{}: expected {}, of rank {}{}, found shape {} of rank {}.", title_,
                                         spec_text(spec_), rank, may_lead ? " or more" : "", shape_text(view_.shape),
                                         view_.shape.size()));
        }
        if (view_.strides.size() != view_.shape.size()) {
            throw ShapeError(fmt::format(
                "{}: shape {} has {} axes and strides {} have {}. Give one stride for each axis.", title_,
                shape_text(view_.shape), view_.shape.size(), shape_text(view_.strides), view_.strides.size()));
        }
    }

    /// Elements of axes `begin` to `end`, refusing what 63 bits do not hold.
    std::int64_t product(std::size_t begin, std::size_t end) const {
        std::int64_t result = 1;
        for (std::size_t i = begin; i < end; ++i) {
            if (view_.shape[i] < 0) {
                throw ShapeError(fmt::format("{}: shape {} has a negative extent.", title_, shape_text(view_.shape)));
            }
            if (__builtin_mul_overflow(result, view_.shape[i], &result)) {
                throw ShapeError(
                    fmt::format("{}: shape {} has more than 2^63 elements.", title_, shape_text(view_.shape)));
            }
        }
        return result;
    }

    void join_leading() {
        const std::size_t rank = spec_.shape.size();
        const std::size_t given = view_.shape.size();
        product(0, given);
        if (rank == 0) {
            return;
        }
        const std::size_t joined = given - rank + 1;
        if (joined > 1) {
            result_.leading.assign(view_.shape.begin(), view_.shape.begin() + static_cast<std::ptrdiff_t>(joined));
        }
        result_.shape.push_back(product(0, joined));
        result_.shape.insert(result_.shape.end(), view_.shape.begin() + static_cast<std::ptrdiff_t>(joined),
                             view_.shape.end());
        // A tensor of rank 1 is one row, however many axes were joined to it.
        const std::size_t last = rank == 1 ? 0 : given - 1;
        result_.rows = product(0, last);
        result_.row_length = product(last, given);
        result_.row_stride = result_.row_length;
    }

    void check_strides() {
        const bool one_row = spec_.shape.size() <= 1;
        std::int64_t expected = 1;  // of the next axis outwards; 0: free
        for (std::size_t i = view_.shape.size(); i-- > 0;) {
            const std::int64_t extent = view_.shape[i];
            const std::int64_t stride = view_.strides[i];
            const bool is_last = i + 1 == view_.shape.size();
            if (extent > 1) {
                if (expected == 0) {
                    take_row_stride(stride);
                } else if (stride != expected) {
                    throw_stride(i, expected);
                }
                if (__builtin_mul_overflow(stride, extent, &expected)) {
                    throw ShapeError(fmt::format("{}: strides {} with shape {} reach beyond 2^63 elements.", title_,
                                                 shape_text(view_.strides), shape_text(view_.shape)));
                }
            }
            if (is_last && !one_row) {
                expected = 0;
            }
        }
        std::int64_t bytes = 0;
        if (__builtin_mul_overflow(result_.rows, result_.row_stride, &bytes) ||
            __builtin_mul_overflow(bytes, static_cast<std::int64_t>(size_of(view_.dtype)), &bytes)) {
            throw ShapeError(fmt::format("{}: shape {} with strides {} spans more than 2^63 bytes.", title_,
                                         shape_text(view_.shape), shape_text(view_.strides)));
        }
    }

    void take_row_stride(std::int64_t stride) {
        if (stride < result_.row_length) {
            throw ShapeError(
                fmt::format("{}: the row stride is {} and a row has {} elements (shape {}, strides {}). Rows "
                            "must not overlap: expected a row stride of at least {}.",
                            title_, stride, result_.row_length, shape_text(view_.shape), shape_text(view_.strides),
                            result_.row_length));
        }
        result_.row_stride = stride;
    }

    [[noreturn]] void throw_stride(std::size_t axis, std::int64_t expected) const {
        const std::string_view rule = spec_.shape.size() <= 1          ? "The tensor must have no gaps"
                                      : axis + 1 == view_.shape.size() ? "The last axis must have no gaps"
                                                                       : "The leading axes must join into one";
        throw ShapeError(fmt::format(
            "{}: axis {} has stride {}, expected {} (shape {}, strides {}). {}; make the tensor "
            "contiguous.",
            title_, axis, view_.strides[axis], expected, shape_text(view_.shape), shape_text(view_.strides), rule));
    }

    const manifest::Manifest& manifest_;
    const manifest::Tensor& spec_;
    const TensorView& view_;
    std::string title_;
    CheckedTensor result_;
};

bool coincide(const CheckedTensor& a, const CheckedTensor& b) {
    return a.data == b.data && a.dtype == b.dtype && a.shape == b.shape && a.row_stride == b.row_stride;
}

void check_pair(const manifest::Manifest& manifest, const CheckedTensor& output, const CheckedTensor& other) {
    const bool allowed = !other.is_output && output.spec->may_alias == other.spec->name;
    if ((allowed && coincide(output, other)) || !overlap(output, other)) {
        return;
    }
    const std::string rule =
        allowed ? fmt::format("It may be exactly `{}` (same address and strides) or share no byte with it.",
                              other.spec->name)
                : "Give it memory of its own.";
    throw ShapeError(fmt::format("{} shares memory with {} `{}`. {}", who(manifest, output),
                                 other.is_output ? "output" : "input", other.spec->name, rule));
}

}  // namespace

std::uint64_t CheckedTensor::span_bytes() const {
    if (rows == 0 || row_length == 0) {
        return 0;
    }
    return static_cast<std::uint64_t>((rows - 1) * row_stride + row_length) * size_of(dtype);
}

std::string shape_text(std::span<const std::int64_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

CheckedTensor check_layout(const manifest::Manifest& manifest, const manifest::Tensor& spec, bool is_output,
                           const TensorView& view) {
    return LayoutCheck(manifest, spec, is_output, view).run();
}

Device check_devices(const manifest::Manifest& manifest, std::span<const CheckedTensor> tensors) {
    internal_check(!tensors.empty(), "a call has tensors");
    const CheckedTensor& first = tensors.front();
    for (const CheckedTensor& tensor : tensors) {
        if (tensor.device != first.device) {
            throw ShapeError(fmt::format("{} is on {} and `{}` is on {}. All tensors of a call must be on one device.",
                                         who(manifest, tensor), name_of(tensor.device), first.spec->name,
                                         name_of(first.device)));
        }
    }
    return first.device;
}

bool overlap(const CheckedTensor& a, const CheckedTensor& b) {
    const std::uint64_t a_begin = address_of(a.data);
    const std::uint64_t b_begin = address_of(b.data);
    if (a_begin > b_begin) {
        return overlap(b, a);
    }
    if (a.span_bytes() == 0 || b.span_bytes() == 0 || b_begin - a_begin >= a.span_bytes()) {
        return false;
    }
    const std::uint64_t stride = static_cast<std::uint64_t>(a.row_stride) * size_of(a.dtype);
    const std::uint64_t b_stride = static_cast<std::uint64_t>(b.row_stride) * size_of(b.dtype);
    if (stride != b_stride || a.rows <= 1 || b.rows <= 1) {
        return true;
    }
    // Both are columns of one matrix: b's rows begin `offset` bytes into a's, and one of b's rows may
    // reach into the next of a's.
    const std::uint64_t offset = (b_begin - a_begin) % stride;
    const std::uint64_t row = (b_begin - a_begin) / stride;
    const std::uint64_t a_row = static_cast<std::uint64_t>(a.row_length) * size_of(a.dtype);
    const std::uint64_t b_row = static_cast<std::uint64_t>(b.row_length) * size_of(b.dtype);
    return offset < a_row || (offset + b_row > stride && row + 1 < static_cast<std::uint64_t>(a.rows));
}

void check_memory_of(const manifest::Manifest& manifest, std::span<const CheckedTensor> tensors) {
    for (const CheckedTensor& tensor : tensors) {
        if (tensor.data == nullptr) {
            throw ShapeError(fmt::format("{} of shape {} has a null pointer. Give memory on {}.", who(manifest, tensor),
                                         shape_text(tensor.shape), name_of(tensor.device)));
        }
        const std::size_t element = size_of(tensor.dtype);
        if (address_of(tensor.data) % element != 0) {
            throw ShapeError(fmt::format("{} is at address {:#x}, which is not a multiple of {} bytes, the size of {}.",
                                         who(manifest, tensor), address_of(tensor.data), element,
                                         name_of(tensor.dtype)));
        }
        const auto alignment = static_cast<std::uint64_t>(tensor.spec->alignment);
        if (alignment != 0 && address_of(tensor.data) % alignment != 0) {
            throw ShapeError(
                fmt::format("{} is at address {:#x}, which is not a multiple of {} bytes, the alignment that the op "
                            "asks for. Copy the tensor to memory that is aligned so.",
                            who(manifest, tensor), address_of(tensor.data), alignment));
        }
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        for (std::size_t j = 0; tensors[i].is_output && j < tensors.size(); ++j) {
            if (j < i || !tensors[j].is_output) {
                check_pair(manifest, tensors[i], tensors[j]);
            }
        }
    }
}

void check_workspace(const manifest::Manifest& manifest, const void* data, std::size_t bytes, std::size_t needed,
                     std::span<const CheckedTensor> tensors) {
    if (bytes < needed) {
        throw ShapeError(
            fmt::format("{}: the workspace has {} bytes and this call needs {}. Ask workspace_bytes() with "
                        "the call's dimensions.",
                        manifest.op, bytes, needed));
    }
    if (address_of(data) % kWorkspaceAlignment != 0) {
        throw ShapeError(fmt::format("{}: the workspace is at address {:#x}, which is not a multiple of {} bytes.",
                                     manifest.op, address_of(data), kWorkspaceAlignment));
    }
    for (const CheckedTensor& tensor : tensors) {
        const std::uint64_t begin = address_of(tensor.data);
        if (begin < address_of(data) + needed && address_of(data) < begin + tensor.span_bytes()) {
            throw ShapeError(fmt::format("{} shares memory with the workspace. Give the workspace memory of its own.",
                                         who(manifest, tensor)));
        }
    }
}

Access access_of(std::span<const CheckedTensor> tensors) {
    for (const CheckedTensor& tensor : tensors) {
        const std::uint64_t size = size_of(tensor.dtype);
        const bool is_row = tensor.spec->shape.size() <= 1;
        const std::uint64_t row = is_row ? 0 : static_cast<std::uint64_t>(tensor.shape.back()) * size;
        const std::uint64_t unit = std::gcd(row, std::uint64_t{kVectorBytes});
        if (address_of(tensor.data) % kVectorBytes != 0 ||
            (!is_row && static_cast<std::uint64_t>(tensor.row_stride) * size % unit != 0)) {
            return Access::element;
        }
    }
    return Access::aligned;
}

}  // namespace tilejit
