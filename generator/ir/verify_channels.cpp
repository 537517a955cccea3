#include <fmt/format.h>

#include <algorithm>

#include "generator/ir/verify.h"

namespace tilejit::ir {
namespace {

using Kind = Channel::Kind;
using Use = Acquire::Use;

/// One use of a channel: by which role, where, and how often.
struct Site {
    const Role* role = nullptr;
    Location at;
    bool tiles = false;      ///< inside the loop over tiles
    bool owned = false;      ///< inside the loop over the tiles that the block owns
    std::int64_t count = 1;  ///< turns of the other loops around it
};

struct Sites {
    std::vector<Site> fills;
    std::vector<Site> sends;
    std::vector<Site> acquires;
    std::vector<Use> uses;  ///< of `acquires`
};

class Channels {
public:
    explicit Channels(const Kernel& kernel) : kernel_(kernel), sites_(kernel.channels.size()) {}

    void run() {
        for (const Role& role : kernel_.roles) {
            Site site;
            site.role = &role;
            collect(role.body, site);
        }
        for (std::size_t i = 0; i < sites_.size(); ++i) {
            const Channel& channel = kernel_.channels[i];
            if (!kernel_.buffers[static_cast<std::size_t>(channel.buffer)].strides.empty()) {
                continue;  // lowered
            }
            channel.kind == Kind::ring ? ring(channel, sites_[i]) : exchange(channel, sites_[i]);
        }
    }

private:
    [[noreturn]] static void fail(const Location& at, const std::string& what) {
        throw GenerateError(fmt::format("{}:{}: {}", at.file, at.line, what));
    }

    void collect(const std::vector<Stmt>& body, const Site& around) {
        for (const Stmt& stmt : body) {
            Site site = around;
            site.at = stmt.at;
            if (const auto* fill = std::get_if<Fill>(&stmt.op)) {
                sites_[static_cast<std::size_t>(fill->channel)].fills.push_back(site);
            } else if (const auto* send = std::get_if<Send>(&stmt.op)) {
                sites_[static_cast<std::size_t>(send->channel)].sends.push_back(site);
            } else if (const auto* acquire = std::get_if<Acquire>(&stmt.op)) {
                Sites& sites = sites_[static_cast<std::size_t>(acquire->channel)];
                sites.acquires.push_back(site);
                sites.uses.push_back(acquire->use);
            } else if (const auto* loop = std::get_if<For>(&stmt.op)) {
                site.count *= loop->count;
                collect(loop->body, site);
            } else if (const auto* tiles = std::get_if<TileLoop>(&stmt.op)) {
                site.tiles = true;
                site.owned = tiles->owned;
                collect(tiles->body, site);
            }
        }
    }

    static void once_a_role(const Channel& channel, const std::vector<Site>& sites, const char* what) {
        for (const Site& site : sites) {
            const auto same = [&](const Site& other) { return other.role == site.role; };
            if (std::count_if(sites.begin(), sites.end(), same) > 1) {
                fail(site.at, fmt::format("role '{}' {} channel '{}' in several places; it can in one, in a loop",
                                          site.role->name, what, channel.name));
            }
        }
    }

    static void as_often(const Channel& channel, const Site& first, const Site& other) {
        if (first.tiles != other.tiles || first.count != other.count) {
            fail(other.at, fmt::format("role '{}' uses channel '{}' {} times {}, role '{}' {} times {}",
                                       other.role->name, channel.name, other.count, other.tiles ? "a tile" : "in all",
                                       first.role->name, first.count, first.tiles ? "a tile" : "in all"));
        }
    }

    void ring(const Channel& channel, const Sites& sites) const {
        once_a_role(channel, sites.acquires, "asks for the tile of");
        if (sites.fills.size() != 1 || sites.acquires.empty()) {
            fail(channel.at,
                 fmt::format("ring '{}' needs one place that fills it and a role that reads it, came {} and "
                             "{}",
                             channel.name, sites.fills.size(), sites.acquires.size()));
        }
        const Site& fill = sites.fills.front();
        for (const Site& site : sites.acquires) {
            as_often(channel, fill, site);
            if (site.role == fill.role) {
                fail(site.at, fmt::format("role '{}' both fills ring '{}' and reads it; split it into two roles",
                                          site.role->name, channel.name));
            }
            if (site.owned || fill.owned) {
                fail(site.at, fmt::format("ring '{}' is used in the loop over the tiles that a block owns; use it in "
                                          "tiles()",
                                          channel.name));
            }
        }
        const auto count = [&](Use use) { return std::count(sites.uses.begin(), sites.uses.end(), use); };
        if (count(Use::update) > 1 || (count(Use::updated) > 0 && count(Use::update) == 0)) {
            fail(channel.at, fmt::format("the tile of ring '{}' is taken by one role at most, and by one where another "
                                         "waits for the update; came {} and {}",
                                         channel.name, count(Use::update), count(Use::updated)));
        }
    }

    void exchange(const Channel& channel, const Sites& sites) const {
        const bool reduce = channel.kind == Kind::reduce_scatter;
        once_a_role(channel, sites.acquires, "asks for the tile of");
        if (kernel_.cluster == 1) {
            fail(channel.at,
                 fmt::format("channel '{}' is between the blocks of a cluster; make one with cluster()", channel.name));
        }
        if (sites.sends.empty() || sites.acquires.size() != 1 || !sites.fills.empty()) {
            fail(channel.at, fmt::format("channel '{}' needs a role that sends and one that receives, came {} places "
                                         "and {}",
                                         channel.name, sites.sends.size(), sites.acquires.size()));
        }
        const Site& receive = sites.acquires.front();
        for (const Site& send : sites.sends) {
            as_often(channel, receive, send);
            if (send.role != sites.sends.front().role) {
                fail(send.at, fmt::format("roles '{}' and '{}' both send through channel '{}'",
                                          sites.sends.front().role->name, send.role->name, channel.name));
            }
            const Site& owners = reduce ? receive : send;
            const Site& others = reduce ? send : receive;
            if (!owners.owned || !others.tiles || others.owned || owners.count != 1) {
                fail(owners.at, fmt::format("channel '{}' is {} by a tile's owner, in owned_tiles(), and {} by all "
                                            "blocks, in tiles(), once a tile",
                                            channel.name, reduce ? "received" : "sent", reduce ? "sent" : "received"));
            }
        }
    }

    const Kernel& kernel_;
    std::vector<Sites> sites_;
};

}  // namespace

void verify_channels(const Kernel& kernel) { Channels(kernel).run(); }

}  // namespace tilejit::ir
