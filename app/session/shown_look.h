#pragma once

#include "app/session/state.h"

#include <array>
#include <set>
#include <string>
#include <vector>

// Looks: which types of particles are shown together.
namespace haloscope::app::session {

struct ShownLook {
  const char *name, *word;  // of the command `show_look`, and on the button
  bool all;                 // those that are shown at first
  // Else these. Disk and bulge are stars in isolated galaxies; in zoom simulations the same numbers
  // are dark matter of low resolution, which is hidden at first and belongs to no look.
  std::array<int, 3> types;
};

constexpr int kNoType = -1;
constexpr std::array<ShownLook, 4> kShownLooks{
    {{"gas", "Gas", false, {0, kNoType, kNoType}},
     {"dark_matter", "Dark matter", false, {1, kNoType, kNoType}},
     {"stars", "Stars", false, {4, 2, 3}},
     {"composite", "Composite", true, {kNoType, kNoType, kNoType}}}};

// The types that a look shows of those that a snapshot has; empty: it lacks them.
std::set<int> types_in(const ShownLook& look, const std::vector<int>& types,
                       const std::set<int>& hidden_at_first);

// Those that are shown now.
std::set<int> types_shown(const State& state, const std::vector<int>& types,
                          const std::set<int>& hidden_at_first);

// Shows these types alone.
void show_alone(State& state, const std::set<int>& shown, const std::vector<int>& types,
                const std::set<int>& hidden_at_first);

}  // namespace haloscope::app::session
