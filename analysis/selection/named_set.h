#pragma once

#include "analysis/selection/selection_choice.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

inline constexpr std::size_t kMostSets = 12;

enum class SetOperation { None, Union, Intersection, Difference };

// Particles that a set is made of: those of another set, or what was selected when it was made.
struct SetOperand {
  std::string set;            // its name; empty: the selection
  SelectionChoice selection;  // of kind None where `set` is given

  bool operator==(const SetOperand&) const = default;
};

// Particles that the user keeps under a name, as a formula, and how they look.
struct NamedSet {
  std::string name;
  SetOperand first = {};
  SetOperation operation = SetOperation::None;  // None: the first operand alone
  SetOperand second = {};
  std::optional<std::array<double, 3>> color = {};  // display value; none: particles' own
  bool shown = true;

  // Whatever they look like.
  bool same_particles(const NamedSet& other) const {
    return name == other.name && first == other.first && operation == other.operation &&
           second == other.second;
  }
  bool operator==(const NamedSet&) const = default;
};

// How pictures show sets: not at all; in their colors among the rest, which they outshine; over a
// rest at a tenth of its light; alone.
enum class ShowSets { Off, Highlight, Dim, Only };
inline constexpr float kDimmed = 0.1f;

// Its place; nothing: there is none of that name.
std::optional<std::size_t> find_set(const std::vector<NamedSet>& sets, const std::string& name);

// Throws Error where there are too many sets, names are empty, too long or given twice, a set is
// made of one that is not there, or of itself.
void check_sets(const std::vector<NamedSet>& sets);

// Whether a word of the commands for sets cannot be told from a set of this name: a color, `own`,
// an operation. Older states may have such sets.
bool is_word_of_sets(const std::string& name);

// Calls f with each selection that the sets are made of.
template <class F>
void each_selection(const std::vector<NamedSet>& sets, const F& f) {
  for (const NamedSet& set : sets) {
    if (set.first.set.empty()) f(set.first.selection);
    if (set.operation != SetOperation::None && set.second.set.empty()) f(set.second.selection);
  }
}

// The sets that are made of this one, by name.
std::vector<std::string> made_of(const std::vector<NamedSet>& sets, const std::string& name);

// Colors that readers of all common kinds of color vision tell apart, by name.
struct SetColor {
  const char* name;
  std::array<double, 3> display;
};
const std::vector<SetColor>& set_colors();
// One of them that no set has yet, or that the fewest have: first those that differ most from the
// color maps of types.
std::array<double, 3> next_color(const std::vector<NamedSet>& sets);
// "#ff8800", also without #, or a name of set_colors(); nothing where it is neither.
std::optional<std::array<double, 3>> parse_color(const std::string& text);
// What parse_color() reads: the name where there is one.
std::string color_text(const std::array<double, 3>& color);

}  // namespace haloscope::analysis
