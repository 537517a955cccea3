/// \file The uses of a kernel's channels in one turn of the loop over tiles, and which of them happen before
/// which, see flow.h.
#pragma once

#include <map>

#include "generator/ir/ir.h"

namespace tilejit::ir::flow {

enum class Part { fill, send, acquire, release };

/// One use of a channel in one turn.
struct Node {
    const Role* role = nullptr;
    ChannelId channel = -1;
    Part part = Part::fill;
    Acquire::Use use = Acquire::Use::read;
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
    explicit Graph(const Kernel& kernel);

    const std::vector<Node>& nodes() const { return nodes_; }
    const Node& node(int id) const { return nodes_[static_cast<std::size_t>(id)]; }
    const std::vector<Edge>& from(int node) const { return edges_[static_cast<std::size_t>(node)]; }

private:
    void collect(const std::vector<Stmt>& body, Node node, std::map<VarId, std::int64_t>& counters);
    void add(int from, int to, std::int64_t turns, Knows who = Knows::one);
    void in_order(const Role& role, int first, int last);
    std::vector<int> of(ChannelId channel, Part part) const;
    void connect(ChannelId id);
    void connect_ring(ChannelId id);
    void refill(int release, const std::vector<int>& fills, int stages);

    const Kernel& kernel_;
    std::vector<Node> nodes_;
    std::vector<std::vector<Edge>> edges_;
};

}  // namespace tilejit::ir::flow
