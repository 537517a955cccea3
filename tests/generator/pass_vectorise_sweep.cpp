/// Every access of every lowered mHC program, element by element: what a vector access touches is what
/// its elements are asked for, no more and no less, at an address that its width divides.
#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

class Sweep {
public:
    Sweep(const ir::Program& program, std::int64_t batch) : program_(program), batch_(batch) {}

    /// The first fault, or nothing.
    std::string run() {
        for_all_statements(program_, [&](const ir::Stmt& stmt) {
            if (const auto* load = std::get_if<ir::Load>(&stmt.op)) {
                access(stmt, load->tensor, load->at, load->access, value_of(program_, load->out));
            } else if (const auto* store = std::get_if<ir::Store>(&stmt.op)) {
                access(stmt, store->tensor, store->at, store->access, value_of(program_, store->in));
            }
        });
        return fault_;
    }

    std::int64_t elements() const { return elements_; }

private:
    struct Dimension {
        std::int64_t origin;
        std::int64_t extent;
        std::int64_t stride;
        bool checked;
        std::vector<int> thread;  ///< what each thread adds to the index
        std::vector<int> slot;
    };
    struct Edge {
        int extent;
        bool checked;
        std::vector<int> thread;
        std::vector<int> slot;
    };

    static std::vector<int> sums(int count, const std::function<int(int)>& part) {
        std::vector<int> result;
        for (int i = 0; i < count; ++i) {
            result.push_back(part(i));
        }
        return result;
    }

    void access(const ir::Stmt& stmt, ir::TensorId id, const std::vector<ir::Span>& at, const ir::Access& access,
                const ir::Value& value) {
        const ir::Tensor& tensor = program_.tensors[static_cast<std::size_t>(id)];
        const tj::Layout& layout = *value.layout;
        const auto bytes = static_cast<std::int64_t>(size_of(tensor.dtype));
        // Rows are apart by more than their length: 16-byte multiples where the program relies on it.
        const std::int64_t row =
            program_.aligned ? (tensor.row_elements * bytes + 31) / 16 * 16 / bytes : tensor.row_elements + 1;
        std::vector<Dimension> dims;
        for (std::size_t d = 0; d < at.size(); ++d) {
            const ir::Dim& dim = tensor.dims[d];
            const auto steps = [&](const std::function<int(ir::AxisId)>& coord) {
                int sum = 0;
                for (const auto& [axis, step] : at[d].axes) {
                    sum += step * coord(axis);
                }
                return sum;
            };
            dims.push_back({0, dim.open ? batch_ : dim.extent, dim.by_row ? dim.stride * row : dim.stride,
                            access.checked[d],
                            sums(layout.threads,
                                 [&](int thread) {
                                     return steps([&](ir::AxisId axis) { return layout.thread_coord(axis, thread); });
                                 }),
                            sums(layout.slots(), [&](int slot) {
                                return steps([&](ir::AxisId axis) { return layout.slot_coord(axis, slot); });
                            })});
        }
        std::vector<Edge> edges;
        for (const ir::AxisId axis : value.axes) {
            const bool padded = std::find(access.padded.begin(), access.padded.end(), axis) != access.padded.end();
            edges.push_back({extent_of(program_, axis), padded,
                             sums(layout.threads, [&](int thread) { return layout.thread_coord(axis, thread); }),
                             sums(layout.slots(), [&](int slot) { return layout.slot_coord(axis, slot); })});
        }
        if (access.vector * bytes > 16 || layout.slots() % access.vector != 0) {
            fault_ = fmt::format("{}:{}: {} elements an instruction, {} slots", stmt.at.file, stmt.at.line,
                                 access.vector, layout.slots());
        }
        for (int corner = 0; corner < 4; ++corner) {
            for (std::size_t d = 0; d < at.size(); ++d) {
                dims[d].origin = origin(at[d].origin, (corner & 1) != 0, (corner & 2) != 0);
            }
            visit(stmt, layout, access.vector, dims, edges);
        }
    }

    /// With blocks and loop counters at their first or last.
    std::int64_t origin(const ir::Index& index, bool last_block, bool last_turn) const {
        std::int64_t sum = index.constant;
        for (const auto& [var, coefficient] : index.terms) {
            const ir::Variable& variable = program_.variables[static_cast<std::size_t>(var)];
            const bool last = variable.grid_axis >= 0 ? last_block : last_turn;
            sum += last ? coefficient * (variable.extent.at(batch_) - 1) : 0;
        }
        return sum;
    }

    void visit(const ir::Stmt& stmt, const tj::Layout& layout, int vector, const std::vector<Dimension>& dims,
               const std::vector<Edge>& edges) {
        for (int thread = 0; thread < layout.threads; ++thread) {
            for (int first = 0; first < layout.slots(); first += vector) {
                bool asked = true;  // what the instruction checks, once for all its elements
                std::int64_t base = 0;
                const auto t = static_cast<std::size_t>(thread);
                const auto f = static_cast<std::size_t>(first);
                for (const Dimension& dim : dims) {
                    const std::int64_t index = dim.origin + dim.thread[t] + dim.slot[f];
                    asked = asked && (!dim.checked || index < dim.extent);
                    base += index * dim.stride;
                }
                for (const Edge& edge : edges) {
                    asked = asked && (!edge.checked || edge.thread[t] + edge.slot[f] < edge.extent);
                }
                for (std::size_t s = f; s < f + static_cast<std::size_t>(vector); ++s) {
                    bool inside = true;
                    std::int64_t address = 0;
                    for (const Dimension& dim : dims) {
                        const std::int64_t index = dim.origin + dim.thread[t] + dim.slot[s];
                        inside = inside && index >= 0 && index < dim.extent;
                        address += index * dim.stride;
                    }
                    for (const Edge& edge : edges) {
                        inside = inside && edge.thread[t] + edge.slot[s] < edge.extent;
                    }
                    ++elements_;
                    if (inside != asked ||
                        (asked && (address != base + static_cast<std::int64_t>(s - f) || base % vector != 0))) {
                        fault_ = fmt::format(
                            "{}:{}: thread {} slot {}: inside {}, accessed {}, at {} of a vector of {} "
                            "at {}",
                            stmt.at.file, stmt.at.line, thread, s, inside, asked, address, vector, base);
                        return;
                    }
                }
            }
        }
    }

    const ir::Program& program_;
    std::int64_t batch_;
    std::string fault_;
    std::int64_t elements_ = 0;
};

TEST_CASE("vectors touch what their elements are asked for, in every mHC program") {
    for (const std::int64_t batch : {1, 70, 5000}) {
        for (const Shape& shape : odd_shapes({1, 7, 33, 40, 300, 1280}, {batch})) {
            for (const Access access : {Access::aligned, Access::element}) {
                const Specialization spec = specialized(shape, "sm_80", access);
                const ir::Program program = lower(spec);
                INFO(canonical_text(spec) << " batch " << batch);
                Sweep sweep(program, batch);
                REQUIRE(sweep.run() == "");
                REQUIRE(sweep.elements() > 0);
            }
        }
    }
}

TEST_CASE("vectors touch what their elements are asked for, at the workloads and with the batch baked in") {
    for (const Shape& shape : workload_shapes()) {
        const Specialization spec = specialized(shape, "sm_90a", Access::aligned, true);
        const ir::Program program = lower(spec);
        INFO(canonical_text(spec));
        REQUIRE(Sweep(program, shape.batch).run() == "");
    }
}

TEST_CASE("the sweep sees a vector that is too wide and a check that is missing") {
    const auto spoiled = [](const std::function<void(ir::Access&)>& spoil, std::int64_t c_x) {
        ir::Program program = lower(specialized({"MHCPostFwdOp", 3, 4, c_x}));
        auto& load = std::get<ir::Load>(program.kernels.front().roles.front().body.front().op);
        spoil(load.access);
        return Sweep(program, 3).run();
    };
    CHECK(spoiled([](ir::Access&) {}, 36) == "");
    CHECK(spoiled([](ir::Access& access) { access.vector *= 2; }, 36) != "");
    CHECK(spoiled([](ir::Access& access) { access.checked[0] = false; }, 36) != "");
    CHECK(spoiled([](ir::Access& access) { access.checked[1] = false; }, 36) != "");
    CHECK(spoiled([](ir::Access& access) { access.vector = 1; }, 36) == "");
}

}  // namespace
}  // namespace tilejit::test
