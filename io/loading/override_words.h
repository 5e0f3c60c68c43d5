#pragma once

#include "io/snapshot_reader.h"

#include <string>
#include <vector>

namespace haloscope::io {

// One fact that the user may know better than the file: its word on the command line (without the
// dashes) and in a sidecar file.
struct OverrideWord {
  const char* word;
  const char* value;  // "LENGTH", "yes|no"
  const char* help;
  // Throws Error where the text is no such value; `where` names the option or the line.
  void (*set)(Overrides& overrides, const std::string& text, const std::string& where);
};
const std::vector<OverrideWord>& override_words();

// Null where there is no such word.
const OverrideWord* find_override_word(const std::string& word);

}  // namespace haloscope::io
