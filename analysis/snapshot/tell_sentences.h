#pragma once

#include "analysis/run_context.h"
#include "io/snapshot_reader.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// What a snapshot's reader says, for the user: that of its assumptions which was assumed, and what
// merely came out, such as how many particles were selected.
struct Sentences {
  std::vector<std::string> assumed, told;
};
Sentences sentences_of_reader(const io::SnapshotReader& reader);

// Prints what was assumed, marked so, and what came out as it is. Options stand as flags. To be
// quiet is to print warnings only, which both then are.
void tell_sentences(const Sentences& sentences, bool quiet, const RunContext& context);

}  // namespace haloscope::analysis
