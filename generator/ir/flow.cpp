#include "generator/ir/flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "generator/ir/flow_graph.h"

namespace tilejit::ir {
namespace {

using flow::Edge;
using flow::Graph;
using flow::Knows;
using flow::Node;
using flow::Part;

std::string text(const Kernel& kernel, const Node& node) {
    static constexpr const char* kVerbs[] = {"fills", "sends to", "waits for", "releases"};
    return fmt::format("role '{}' {} '{}' ({}:{})", node.role->name, kVerbs[static_cast<int>(node.part)],
                       kernel.channels[static_cast<std::size_t>(node.channel)].name, node.at.file, node.at.line);
}

/// Looks for a cycle of edges of no turns, depth first.
class CycleFinder {
public:
    explicit CycleFinder(const Graph& graph) : graph_(graph), state_(graph.nodes().size(), State::fresh) {}

    /// The nodes of one, in order; empty when there is none.
    std::vector<int> find() {
        for (std::size_t i = 0; i < state_.size(); ++i) {
            if (state_[i] == State::fresh && walk(static_cast<int>(i))) {
                return cycle_;
            }
        }
        return {};
    }

private:
    enum class State { fresh, open, done };

    bool walk(int start) {
        std::vector<std::pair<int, std::size_t>> path{{start, 0}};  // no recursion: paths are long
        state_[static_cast<std::size_t>(start)] = State::open;
        while (!path.empty()) {
            auto& [node, edge] = path.back();
            if (edge == graph_.from(node).size()) {
                state_[static_cast<std::size_t>(node)] = State::done;
                path.pop_back();
                continue;
            }
            const Edge& next = graph_.from(node)[edge++];
            State& state = state_[static_cast<std::size_t>(next.to)];
            if (next.turns > 0 || state == State::done) {
                continue;
            }
            if (state == State::open) {
                const auto first =
                    std::find_if(path.begin(), path.end(), [&](const auto& step) { return step.first == next.to; });
                std::transform(first, path.end(), std::back_inserter(cycle_),
                               [](const auto& step) { return step.first; });
                return true;
            }
            state = State::open;
            path.emplace_back(next.to, 0);
        }
        return false;
    }

    const Graph& graph_;
    std::vector<State> state_;
    std::vector<int> cycle_;
};

/// Which uses, so many turns later, happen after one; and which blocks know that.
class Reach {
public:
    Reach(const Graph& graph, int start, Knows who, std::int64_t turns)
        : graph_(graph), turns_(turns), seen_(graph.nodes().size() * 3 * static_cast<std::size_t>(turns), false) {
        visit(start, who, 0);
        while (!open_.empty()) {
            const auto [node, knows, at] = open_.back();
            open_.pop_back();
            for (const Edge& edge : graph_.from(node)) {
                // Within a block it stays with those that know; an exchange tells those it reaches.
                visit(edge.to, edge.who == Knows::one ? knows : edge.who, at + edge.turns);
            }
        }
    }

    bool reaches(int node, Knows who, std::int64_t turns) const { return seen_[index(node, who, turns)]; }

private:
    struct State {
        int node;
        Knows knows;
        std::int64_t turns;
    };

    std::size_t index(int node, Knows who, std::int64_t turns) const {
        return (static_cast<std::size_t>(node) * 3 + static_cast<std::size_t>(who)) * static_cast<std::size_t>(turns_) +
               static_cast<std::size_t>(turns);
    }

    void visit(int node, Knows who, std::int64_t turns) {
        if (turns < turns_ && graph_.node(node).tiles && !seen_[index(node, who, turns)]) {
            seen_[index(node, who, turns)] = true;
            open_.push_back({node, who, turns});
        }
    }

    const Graph& graph_;
    std::int64_t turns_;
    std::vector<bool> seen_;
    std::vector<State> open_;
};

}  // namespace

void verify_flow(const Program& program) {
    for (const Kernel& kernel : program.kernels) {
        const Graph graph(kernel);
        const std::vector<int> cycle = CycleFinder(graph).find();
        if (cycle.empty()) {
            continue;
        }
        std::string chain;
        for (const int id : cycle) {
            chain += fmt::format("\n  before {}", text(kernel, graph.node(id)));
        }
        const Node& first = graph.node(cycle.front());
        throw GenerateError(
            fmt::format("{}:{}: the roles of kernel '{}' wait for each other for ever: {} comes{}\nGive "
                        "a ring of these more stages, or take its tiles in another order.",
                        first.at.file, first.at.line, kernel.name, text(kernel, graph.node(cycle.back())), chain));
    }
}

int least_slots(const Kernel& kernel, ChannelId exchange) {
    const Channel& channel = kernel.channels[static_cast<std::size_t>(exchange)];
    const Graph graph(kernel);
    const bool scatter = channel.kind == Channel::Kind::reduce_scatter;
    std::int64_t limit = 8 + 4 * std::int64_t{kernel.cluster};
    for (const Buffer& buffer : kernel.buffers) {
        limit += 2 * std::int64_t{buffer.slots};
    }
    std::vector<int> sends;
    std::vector<Reach> after;
    const Node* receive = nullptr;
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
        const Node& node = graph.nodes()[i];
        if (node.channel == exchange && node.part == Part::send) {
            sends.push_back(static_cast<int>(i));
        } else if (node.channel == exchange && node.part == Part::release) {
            receive = &node;
            after.emplace_back(graph, static_cast<int>(i), scatter ? Knows::owner : Knows::one, limit);
        }
    }
    internal_check(!sends.empty() && receive != nullptr, "an exchange without a sender or receiver");
    const Knows needed = scatter ? Knows::all : Knows::owner;
    const std::int64_t step = scatter ? kernel.cluster : 1;
    // A copy of the receiver waits for a slot's tiles one after the other: the slot's are all of one copy.
    const std::int64_t least = step * receive->role->copies;
    for (std::int64_t turns = least; turns < limit; turns += least) {
        if (std::all_of(after.begin(), after.end(), [&](const Reach& reach) {
                return std::all_of(sends.begin(), sends.end(),
                                   [&](int send) { return reach.reaches(send, needed, turns); });
            })) {
            return static_cast<int>(turns / step);
        }
    }
    const Node& send = graph.node(sends.front());
    throw GenerateError(fmt::format(
        "{}:{}: role '{}' may send through '{}' before role '{}' of another block has received what came before it: "
        "nothing makes it wait. Let the receiving side hold a ring's slot, which the sender needs, until then.",
        send.at.file, send.at.line, send.role->name, channel.name, receive->role->name));
}

}  // namespace tilejit::ir
