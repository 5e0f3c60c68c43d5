#include "analysis/halos/halo_options.h"
#include "analysis/loaded_halos/loaded_halos_options.h"
#include "app/session/command_groups.h"
#include "app/session/find_command.h"

#include <algorithm>

// Halos of a catalog, and the names that commands had while halos were all that could be found:
// recordings hold them.
namespace haloscope::app::session {

namespace {

constexpr const char* kHalos = "halos";
constexpr const char* kLoadedHalos = "loaded_halos";

// As it was before there were more options: of these alone, with nothing attached.
void find_halos(const Call& call, State& state, SessionActions& actions) {
  require_scene(call, actions);
  const auto& former = state.finding(kHalos).options.as<analysis::HaloOptions>();
  analysis::HaloOptions options;
  options.spacings = given(call, 0) ? number_at(call, 0) : former.spacings;
  options.min_members = given(call, 1) ? std::uint64_t(number_at(call, 1)) : former.min_members;
  options.min_points = given(call, 2) ? int(std::min(number_at(call, 2), 1e9)) : former.min_points;
  if (given(call, 3)) options.epsilon = length_at(call, 3, actions);
  begin_search(call, kHalos, options, state, actions,
               {{"linking_length", "SPACINGS"},
                {"min_members", "MEMBERS"},
                {"min_points", "POINTS"},
                {"epsilon", "EPSILON"}});
}

void load_halos(const Call& call, State& state, SessionActions& actions) {
  require_scene(call, actions);
  analysis::LoadedHalosOptions options =
      state.finding(kLoadedHalos).options.as<analysis::LoadedHalosOptions>();
  options.file = text_at(call, 0);
  // Tables of another catalog have other names.
  options.table = text_at(call, 1);
  // Nor is another one incomplete.
  options.incomplete = false;
  begin_search(call, kLoadedHalos, options, state, actions, {{"file", "FILE"}, {"table", "TABLE"}});
}

}  // namespace

std::vector<Command> halo_commands() {
  return {
      {"load_halos",
       "Find",
       "Show the halos of a catalog of anyone's; without FILE of the one beside the snapshot",
       {file_name(""), text("TABLE", "")},
       {},
       false,
       load_halos},
      {"find_halos",
       "Halos",
       "Search for halos of dark matter alone: linking length in mean spacings, or EPSILON as a "
       "length in its place",
       {number("SPACINGS", ""), whole("MEMBERS", ""), whole("POINTS", ""), length("EPSILON", "")},
       {},
       false,
       find_halos},
      {"select_halo",
       "Halos",
       "Select a halo (0: the largest); without a number none",
       {number_of(Named::Piece, "HALO", "")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         select_piece(call, 0, kHalos, state, actions);
       }},
      {"fly_to_halo",
       "Halos",
       "Bring a halo to the middle; without a number the selected one",
       {number_of(Named::Piece, "HALO", "")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         fly_to_piece(call, 0, kHalos, state, actions);
       }},
      {"color_by_halo",
       "Halos",
       "Color the particles by their halo, those in none gray",
       {on_off()},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         const bool on = switched(call, 0, state.finding(kHalos).color_particles);
         for (auto& [name, finding] : state.findings)
           if (on || name == kHalos) finding.color_particles = on && name == kHalos;
         state.finding(kHalos).color_field.clear();
       }},
      {"export_halos",
       "Halos",
       "Write the catalog: .hdf5 or .csv",
       {file_name()},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         require_searched(call, kHalos, state);
         actions.export_finding(kHalos, text_at(call, 0), call.overwrite);
       },
       true},
  };
}

}  // namespace haloscope::app::session
