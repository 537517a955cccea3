#include "generator/ir/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tilejit::ir {
namespace {

using Use = Acquire::Use;

enum class Part { fill, send, acquire, release };

/// One use of a channel in one turn.
struct Node {
    const Role* role = nullptr;
    ChannelId channel = -1;
    Part part = Part::fill;
    Use use = Use::read;
    std::int64_t position = 0;  ///< of turn 0; or in all, outside the loop over tiles
    bool tiles = false;         ///< inside the loop over tiles
    bool owned = false;         ///< of the tiles that the block owns
    Location at;
};

/// Which blocks know that what came first has happened.
enum class Knows { one, all, owner };

struct Edge {
    int to = -1;
    std::int64_t turns = 0;
    Knows who = Knows::one;  ///< `one`: within a block; else those that the exchange reaches
};

class Graph {
public:
    explicit Graph(const Kernel& kernel) : kernel_(kernel) {
        for (const Role& role : kernel.roles) {
            const int first = static_cast<int>(nodes_.size());
            std::map<VarId, std::int64_t> counters;
            collect(role.body, Node{&role, -1, {}, {}, 0, false, false, {}}, counters);
            in_order(role, first, static_cast<int>(nodes_.size()));
        }
        for (std::size_t c = 0; c < kernel.channels.size(); ++c) {
            connect(static_cast<ChannelId>(c));
        }
    }

    const std::vector<Node>& nodes() const { return nodes_; }
    const std::vector<Edge>& from(int node) const { return edges_[static_cast<std::size_t>(node)]; }

private:
    static std::int64_t at(const Index& index, const std::map<VarId, std::int64_t>& counters) {
        std::int64_t sum = index.constant;
        for (const auto& [var, coefficient] : index.terms) {
            const auto found = counters.find(var);
            sum += found == counters.end() ? 0 : coefficient * found->second;
        }
        return sum;
    }

    void collect(const std::vector<Stmt>& body, Node node, std::map<VarId, std::int64_t>& counters) {
        const auto add = [&](ChannelId channel, Part part, Use use, const Index& position) {
            node.channel = channel;
            node.part = part;
            node.use = use;
            node.position = at(position, counters);
            nodes_.push_back(node);
            edges_.emplace_back();
        };
        for (const Stmt& stmt : body) {
            node.at = stmt.at;
            if (const auto* fill = std::get_if<Fill>(&stmt.op)) {
                add(fill->channel, Part::fill, Use::read, fill->position);
            } else if (const auto* send = std::get_if<Send>(&stmt.op)) {
                add(send->channel, Part::send, Use::read, send->position);
            } else if (const auto* acquire = std::get_if<Acquire>(&stmt.op)) {
                add(acquire->channel, Part::acquire, acquire->use, acquire->position);
            } else if (const auto* release = std::get_if<Release>(&stmt.op)) {
                add(release->channel, Part::release, release->use, release->position);
            } else if (const auto* loop = std::get_if<For>(&stmt.op)) {
                for (std::int64_t turn = 0; turn < loop->count; ++turn) {
                    const std::size_t before = nodes_.size();
                    counters[loop->var] = turn;
                    collect(loop->body, node, counters);
                    if (nodes_.size() == before) {
                        break;  // nothing of interest: its turns are alike
                    }
                }
            } else if (const auto* tiles = std::get_if<TileLoop>(&stmt.op)) {
                Node inside = node;
                inside.tiles = true;
                inside.owned = tiles->owned;
                collect(tiles->body, inside, counters);
            }
        }
    }

    void add(int from, int to, std::int64_t turns, Knows who = Knows::one) {
        edges_[static_cast<std::size_t>(from)].push_back({to, turns, who});
    }

    /// A role's uses, in order; the loop over tiles returns to its first.
    void in_order(const Role& role, int first, int last) {
        int first_of_turn = -1;
        int last_of_turn = -1;
        for (int i = first; i < last; ++i) {
            if (i > first) {
                add(i - 1, i, 0);
            }
            if (nodes_[static_cast<std::size_t>(i)].tiles) {
                first_of_turn = first_of_turn < 0 ? i : first_of_turn;
                last_of_turn = i;
            }
        }
        if (first_of_turn >= 0) {
            const bool owned = nodes_[static_cast<std::size_t>(first_of_turn)].owned;
            add(last_of_turn, first_of_turn, std::int64_t{role.copies} * (owned ? kernel_.cluster : 1));
        }
    }

    std::vector<int> of(ChannelId channel, Part part) const {
        std::vector<int> found;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].channel == channel && nodes_[i].part == part) {
                found.push_back(static_cast<int>(i));
            }
        }
        return found;
    }

    const Node& node(int id) const { return nodes_[static_cast<std::size_t>(id)]; }

    void connect(ChannelId id) {
        const Channel& channel = kernel_.channels[static_cast<std::size_t>(id)];
        const std::vector<int> acquires = of(id, Part::acquire);
        if (channel.kind != Channel::Kind::ring) {
            const Knows who = channel.kind == Channel::Kind::all_gather ? Knows::all : Knows::owner;
            for (const int send : of(id, Part::send)) {
                for (const int acquire : acquires) {
                    add(send, acquire, 0, who);
                }
            }
            return;
        }
        const std::vector<int> fills = of(id, Part::fill);
        for (const int fill : fills) {
            for (const int acquire : acquires) {
                if (node(fill).position == node(acquire).position) {
                    add(fill, acquire, 0);
                }
            }
        }
        const std::vector<int> releases = of(id, Part::release);
        Use last = Use::read;
        for (const int acquire : acquires) {
            last = std::max(last, node(acquire).use);
        }
        for (const int release : releases) {
            for (const int acquire : acquires) {
                const bool next = node(acquire).use > node(release).use;
                if (next && node(acquire).position == node(release).position) {
                    add(release, acquire, 0);
                }
            }
            if (node(release).use == last) {
                refill(release, fills, kernel_.buffers[static_cast<std::size_t>(channel.buffer)].slots);
            }
        }
    }

    void refill(int release, const std::vector<int>& fills, int stages) {
        const auto per_turn = static_cast<std::int64_t>(fills.size());
        const std::int64_t position = node(release).position + stages;
        for (const int fill : fills) {
            if (node(fill).tiles ? node(fill).position == position % per_turn : node(fill).position == position) {
                add(release, fill, node(fill).tiles ? position / per_turn : 0);
            }
        }
    }

    const Kernel& kernel_;
    std::vector<Node> nodes_;
    std::vector<std::vector<Edge>> edges_;
};

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
        if (turns < turns_ && graph_.nodes()[static_cast<std::size_t>(node)].tiles && !seen_[index(node, who, turns)]) {
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
            chain += fmt::format("\n  before {}", text(kernel, graph.nodes()[static_cast<std::size_t>(id)]));
        }
        const Node& first = graph.nodes()[static_cast<std::size_t>(cycle.front())];
        throw GenerateError(
            fmt::format("{}:{}: the roles of kernel '{}' wait for each other for ever: {} comes{}\nGive "
                        "a ring of these more stages, or take its tiles in another order.",
                        first.at.file, first.at.line, kernel.name,
                        text(kernel, graph.nodes()[static_cast<std::size_t>(cycle.back())]), chain));
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
    const Node& send = graph.nodes()[static_cast<std::size_t>(sends.front())];
    throw GenerateError(fmt::format(
        "{}:{}: role '{}' may send through '{}' before role '{}' of another block has received what came before it: "
        "nothing makes it wait. Let the receiving side hold a ring's slot, which the sender needs, until then.",
        send.at.file, send.at.line, send.role->name, channel.name, receive->role->name));
}

}  // namespace tilejit::ir
