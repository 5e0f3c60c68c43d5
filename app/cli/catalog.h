#pragma once

#include "analysis/run_context.h"

#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// `haloscope catalog` as plain data.
struct CatalogRequest {
  std::string file;
  std::string table;                 // empty: the first that has halos
  std::string columns;               // with commas between; empty: those with a role
  std::string sort;                  // empty: the main mass
  std::optional<std::uint64_t> top;  // nothing: 10
  std::string output;                // CSV of all rows, or with `compare` of the pairs; empty: none
  std::string compare;               // another catalog; empty: none
  double within = 1;                 // radii
  bool said_within = false;
  std::optional<double> distance;
  bool json = false;
  bool allow_missing_files = false;
  bool overwrite = false;  // replaces also files of others
};

// Tells what a halo catalog holds and its largest halos, writes it as CSV, or compares it with
// another. Throws Error in the user's words.
void run_catalog(const CatalogRequest& request, analysis::RunContext& context);

// Adds `catalog` to the command line; `run` is set when the user chose it.
void add_catalog_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
