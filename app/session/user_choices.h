#pragma once

#include "io/loading/kept_lengths.h"

#include <array>
#include <optional>
#include <string>

namespace haloscope::app::session {

// What the user wants of every session, whatever is open in it: kept from one start of the window
// to the next, and no part of a state.
struct UserChoices {
  double ui_scale = 1;  // beside the system's content scale
  io::KeepLengths keep_lengths = io::KeepLengths::Beside;
  // Of the window when it opens, pixels; none: as it was left.
  std::optional<std::array<int, 2>> start_size = {{1280, 800}};

  bool operator==(const UserChoices&) const = default;
};

// As the command `keep_lengths` and the file of settings call it.
std::string word_for(io::KeepLengths keep);
std::optional<io::KeepLengths> keep_lengths_called(const std::string& word);

// "1600x1000", "last"; nothing: it is none.
std::string start_size_text(const UserChoices& choices);
// Returns whether the text is one.
bool read_start_size(const std::string& text, UserChoices& choices);

}  // namespace haloscope::app::session
