#pragma once

#include "analysis/option_parsing/option_about.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// Which halo catalog is shown over a snapshot.
struct LoadedHalosOptions {
  std::string file;                // empty: the one beside the snapshot
  std::string table;               // of its tables; empty: the first that has halos
  std::vector<std::string> types;  // whose particles are members; empty: all
  bool incomplete = false;         // whether files of the catalog may be missing
  bool operator==(const LoadedHalosOptions&) const = default;
};

template <class V>
void visit(V& v, LoadedHalosOptions& o) {
  v.text("file", o.file,
         {.value = "CATALOG",
          .help = "A catalog of GADGET-4, AREPO, Rockstar, AHF, CSV or haloscope's own; default: "
                  "the one beside the snapshot",
          .label = "Catalog",
          .empty = "beside",
          .hint = "beside the snapshot",
          .usual = 1});
  v.text("table", o.table,
         {.value = "NAME",
          .help = "Of its tables, as Subhalo; default: the first that has halos",
          .label = "Table",
          .empty = "first",
          .hint = "first",
          .usual = 2});
  v.types("types", o.types,
          {.value = "dm,…|1,…",
           .help = "Particles that may be members; default: all",
           .label = "Types",
           .empty = "all"});
  v.flag(
      "incomplete", o.incomplete,
      {.help = "Take a catalog of which files are missing, without their halos (of the snapshot: "
               "--allow-missing)",
       .label = "Files may be missing"});
}

}  // namespace haloscope::analysis
