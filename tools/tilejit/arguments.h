/// \file Command lines whose flags depend on the op they name.
///
/// Arguments are read twice: first for the names of ops, then with the flags that their manifests ask
/// for. Which flags take no value is therefore fixed, for all commands: `--json`, `--help`,
/// `--workloads`, `--compile`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "generator/manifest/manifest.h"
#include "tools/tilejit/cli.h"

namespace tilejit::cli {

/// The arguments that are neither flags nor their values.
Arguments positionals(const Arguments& arguments);

/// The manifest of the one op that the arguments name. Throws `UsageError` when they name none or
/// several, `OpNotAvailable` for an unknown one; without any op but with `--help`, returns null.
const manifest::Manifest* named_op(const Arguments& arguments);

/// Parses; throws `UsageError` or `HelpRequested`.
void parse(CLI::App& app, const Arguments& arguments);

/// One flag per dimension.
class DimFlags {
public:
    /// Adds `--c-x` for a dimension `c_x`; names that are there already are not added again.
    void add(CLI::App& app, const manifest::Manifest& manifest);

    bool any_given() const;
    bool given(const std::string& dim) const;
    /// One value for each of the manifest's dimensions. Throws `UsageError` naming the missing flags.
    manifest::Values values(const manifest::Manifest& manifest) const;
    /// A list of values, `1,16,128`; empty when the flag was not given.
    std::vector<std::int64_t> list(const std::string& dim) const;
    /// The product of the lists of all dimensions. `open_values` stand in for the open dimension when its
    /// flag was not given. Throws `UsageError` naming a flag that is missing.
    std::vector<manifest::Values> shapes(const manifest::Manifest& manifest,
                                         const std::vector<std::int64_t>& open_values = {}) const;

private:
    std::map<std::string, std::string> texts_;  ///< nodes do not move: options point to them
    std::map<std::string, CLI::Option*> options_;
};

/// `--dtype T=bf16`, once for each of the manifest's dtype variables.
class DtypeFlags {
public:
    void add(CLI::App& app);

    bool any_given() const { return !texts_.empty(); }
    /// A dtype for each variable. Throws `UsageError` naming variables that are missing or unknown, or
    /// given a list.
    Dtypes values(const manifest::Manifest& manifest) const;
    /// The product of the lists, `T=bf16,f32`. Variables that the manifest does not have are left out.
    std::vector<Dtypes> combinations(const manifest::Manifest& manifest) const;
    /// Throws `UsageError` for a variable that none of `ops` has.
    void check_known(const std::vector<const manifest::Manifest*>& ops) const;

private:
    std::map<std::string, std::vector<DType>> lists() const;

    std::vector<std::string> texts_;
};

/// The names of the dtypes.
nlohmann::json to_json(const Dtypes& dtypes);

/// `c_x` -> `--c-x`.
std::string flag_of(const std::string& dim);

/// `what` names the flag or key in messages. Independent of the locale.
std::int64_t parse_integer(const std::string& text, const std::string& what);
double parse_number(const std::string& text, const std::string& what);
std::vector<std::string> split_list(const std::string& text);

/// `name=value` pairs; a name may come once.
std::map<std::string, std::string> split_assignments(const std::vector<std::string>& texts, const std::string& flag);
std::map<std::string, double> parse_assignments(const std::vector<std::string>& texts, const std::string& flag);

}  // namespace tilejit::cli
