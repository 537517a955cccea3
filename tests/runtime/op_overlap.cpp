#include "runtime/op/validate.h"

#include "tests/catch.h"

using namespace tilejit;

namespace {

manifest::Tensor bf16_spec() {
    manifest::Tensor spec;
    spec.name = "t";
    spec.dtype = DType::bf16;
    spec.shape.resize(2);
    return spec;
}

/// A matrix at element `at` of one imagined allocation.
CheckedTensor matrix(std::uintptr_t at, std::int64_t rows, std::int64_t row_length, std::int64_t row_stride) {
    static const manifest::Tensor spec = bf16_spec();
    CheckedTensor tensor;
    tensor.spec = &spec;
    tensor.dtype = DType::bf16;
    tensor.data = reinterpret_cast<void*>(0x10000 + 2 * at);
    tensor.shape = {rows, row_length};
    tensor.rows = rows;
    tensor.row_length = row_length;
    tensor.row_stride = row_stride;
    return tensor;
}

/// Whether some element belongs to both, by marking each.
bool marked(const CheckedTensor& a, const CheckedTensor& b) {
    std::vector<int> marks(4096, 0);
    for (const CheckedTensor* tensor : {&a, &b}) {
        const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(tensor->data) - 0x10000) / 2;
        for (std::int64_t row = 0; row < tensor->rows; ++row) {
            for (std::int64_t column = 0; column < tensor->row_length; ++column) {
                marks.at(first + static_cast<std::size_t>(row * tensor->row_stride + column)) |= tensor == &a ? 1 : 2;
            }
        }
    }
    return std::find(marks.begin(), marks.end(), 3) != marks.end();
}

}  // namespace

TEST_CASE("with one row stride, overlap is exact", "[op]") {
    constexpr std::int64_t kStride = 7;
    int disjoint_inside = 0;
    for (std::int64_t rows : {1, 2, 4}) {
        for (std::int64_t other_rows : {1, 2, 3}) {
            for (std::int64_t length : {1, 3, 7}) {
                for (std::uintptr_t at = 0; at < 40; ++at) {
                    const CheckedTensor a = matrix(0, rows, length, kStride);
                    const CheckedTensor b = matrix(at, other_rows, 2, kStride);
                    INFO(rows << " " << other_rows << " " << length << " " << at);
                    CHECK(overlap(a, b) == overlap(b, a));
                    if (rows > 1 && other_rows > 1) {
                        CHECK(overlap(a, b) == marked(a, b));
                        disjoint_inside += !overlap(a, b) && 2 * at < a.span_bytes() ? 1 : 0;
                    } else {
                        CHECK((overlap(a, b) || !marked(a, b)));
                    }
                }
            }
        }
    }
    CHECK(disjoint_inside > 0);
}

TEST_CASE("with different row strides, spans decide", "[op]") {
    CHECK(overlap(matrix(0, 4, 2, 8), matrix(4, 4, 2, 10)));
    CHECK_FALSE(overlap(matrix(0, 4, 2, 8), matrix(26, 4, 2, 10)));
    CHECK_FALSE(overlap(matrix(0, 0, 2, 8), matrix(0, 4, 2, 8)));
}

TEST_CASE("access is aligned when addresses are and rows are apart as without gaps", "[op]") {
    const auto access = [](const CheckedTensor& tensor) { return access_of(std::span(&tensor, 1)); };
    CHECK(access(matrix(8, 4, 7, 16)) == Access::aligned);
    CHECK(access(matrix(4, 4, 7, 16)) == Access::element);
    CHECK(access(matrix(8, 4, 7, 12)) == Access::aligned);  // rows of 14 bytes are 2-byte aligned anyway
    CHECK(access(matrix(8, 4, 8, 12)) == Access::element);  // rows of 16 bytes, 24 apart
    CHECK(access(matrix(8, 4, 4, 12)) == Access::aligned);  // rows of 8 bytes, 24 apart
    CHECK(access(matrix(8, 4, 4, 9)) == Access::element);
}
