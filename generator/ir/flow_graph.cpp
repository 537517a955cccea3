#include "generator/ir/flow_graph.h"

#include <algorithm>

namespace tilejit::ir::flow {
namespace {

using Use = Acquire::Use;

std::int64_t at(const Index& index, const std::map<VarId, std::int64_t>& counters) {
    std::int64_t sum = index.constant;
    for (const auto& [var, coefficient] : index.terms) {
        const auto found = counters.find(var);
        sum += found == counters.end() ? 0 : coefficient * found->second;
    }
    return sum;
}

}  // namespace

Graph::Graph(const Kernel& kernel) : kernel_(kernel) {
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

void Graph::collect(const std::vector<Stmt>& body, Node node, std::map<VarId, std::int64_t>& counters) {
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

void Graph::add(int from, int to, std::int64_t turns, Knows who) {
    edges_[static_cast<std::size_t>(from)].push_back({to, turns, who});
}

/// A role's uses, in order; the loop over tiles returns to its first.
void Graph::in_order(const Role& role, int first, int last) {
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

std::vector<int> Graph::of(ChannelId channel, Part part) const {
    std::vector<int> found;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].channel == channel && nodes_[i].part == part) {
            found.push_back(static_cast<int>(i));
        }
    }
    return found;
}

void Graph::connect(ChannelId id) {
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
    connect_ring(id);
}

void Graph::connect_ring(ChannelId id) {
    const Channel& channel = kernel_.channels[static_cast<std::size_t>(id)];
    const std::vector<int> acquires = of(id, Part::acquire);
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

void Graph::refill(int release, const std::vector<int>& fills, int stages) {
    const auto per_turn = static_cast<std::int64_t>(fills.size());
    const std::int64_t position = node(release).position + stages;
    for (const int fill : fills) {
        if (node(fill).tiles ? node(fill).position == position % per_turn : node(fill).position == position) {
            add(release, fill, node(fill).tiles ? position / per_turn : 0);
        }
    }
}

}  // namespace tilejit::ir::flow
