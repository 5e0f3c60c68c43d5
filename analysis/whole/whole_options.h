#pragma once

#include "analysis/option_parsing/option_about.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// What belongs to the whole snapshot.
struct WholeOptions {
  std::vector<std::string> types;  // empty: all
  bool operator==(const WholeOptions&) const = default;
};

template <class V>
void visit(V& v, WholeOptions& o) {
  v.types("types", o.types,
          {.value = "dm,…|1,…",
           .help = "Particles that are members; default: all",
           .label = "Types",
           .empty = "all",
           .usual = 1});
}

}  // namespace haloscope::analysis
