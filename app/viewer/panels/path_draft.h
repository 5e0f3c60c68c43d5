#pragma once

#include <array>
#include <string>

namespace haloscope::app::viewer {

// A path as it is typed: a folder, and the beginning of a name in it.
struct PathDraft {
  std::array<char, 1024> typed{};
  bool was_set = false;  // a field that has the keys keeps a text of its own, which follows

  std::string text() const { return typed.data(); }
  void set(const std::string& text);
  // With / at its end, and the home folder for ~.
  std::string folder() const { return folder_of(text()); }
  std::string leaf() const { return leaf_of(text()); }
  // What is meant, without / at its end.
  std::string path() const;

  static std::string folder_of(const std::string& text);
  static std::string leaf_of(const std::string& text);
};

}  // namespace haloscope::app::viewer
