#pragma once

#include <utility>
#include <vector>

namespace haloscope::analysis {

// What is said of an option beside its name, its kind and where its value stands. Each visitor
// takes what it needs.
struct OptionAbout {
  const char* value = "N";      // what stands behind it on the command line
  const char* help = "";        // one line
  const char* label = "";       // in the window
  const char* instead_of = "";  // the option that says the same in another way
  const char* empty = "";       // of a list or text: the word for one of nothing
  const char* hint = "";        // of these, and of counts: what an empty field of the window shows
  const char* zero = "";        // of an optional count: a word that may be said, held as 0
  int usual = 0;                // place among those that the window always shows; 0: folded
  const char* state_name = "";  // in saved states; empty: its own
  const char* catalog_name = "";  // in a catalog's provenance; empty: told there in another way
};

// The words of a choice; the first is the default.
template <class T>
using OptionWords = std::vector<std::pair<const char*, T>>;

}  // namespace haloscope::analysis
