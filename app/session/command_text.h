#pragma once

#include "app/session/command_table.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::session {

struct Word {
  std::string text;
  bool quoted = false;
  std::size_t begin = 0, end = 0;  // its place in the line, quotes included
};

// A line's words: between blanks, or in quotes with \" and \\ and \u00XX inside. '#' at a word's
// beginning ends the line. Throws Error for quotes without an end.
std::vector<Word> split_words(const std::string& line);

// The same of a line that is still being typed, where quotes may lack their end.
std::vector<Word> split_unfinished(const std::string& line);

// Text as one word of a line, in quotes where it needs them.
std::string as_word(const std::string& text);

// "2.5" or "10%"; nothing: it is no length.
std::optional<Length> read_length(const std::string& word);

// What particle types and switches are called.
const std::vector<std::string>& type_words();
const std::vector<std::string>& switch_words();
// Types and finders.
std::vector<std::string> colored_words();
// The names of finders, and what an argument takes beside them.
std::vector<std::string> finder_words(const Argument& argument);
// Of these, those that make sense here: the others are refused by a sentence that tells why.
std::vector<std::string> offered_finders(const Argument& argument);

}  // namespace haloscope::app::session
