#include "analysis/finder.h"
#include "analysis/measuring/phase_search.h"
#include "analysis/measuring/profile_search.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/snapshot_interval.h"
#include "app/session/command_groups.h"
#include "app/session/command_text.h"
#include "app/session/option_arguments.h"
#include "core/vector_math.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

// Profiles and phase diagrams of the snapshot that is shown.
namespace haloscope::app::session {

namespace {

constexpr const char* kOff = "off";
constexpr const char* kAt = "at";

std::vector<std::string> words_in_call(const Call& call) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < call.values.size(); ++k)
    if (!text_at(call, k).empty()) words.push_back(text_at(call, k));
  return words;
}

bool is_option(const std::string& word) {
  return word.find('=') != std::string::npos;
}

std::vector<std::string> words_from(const std::vector<std::string>& words, std::size_t begin) {
  return {words.begin() + std::ptrdiff_t(begin), words.end()};
}

std::optional<std::uint64_t> whole_number(const std::string& word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return {};
  return number;
}

// The length that a word says, of a command whose first argument may be a word.
double length_of_word(const Call& call, const std::string& word, const SceneFacts& scene) {
  const auto length = read_length(word);
  require(call, length.has_value(), fmt::format("'{}' is not a length such as 2.5 or 10%", word));
  return in_code_units(*length, scene);
}

// "at X Y Z": the center as the option says it.
std::string center_at(const Call& call, const std::vector<std::string>& words,
                      const SceneFacts& scene) {
  require(call, words.size() >= 4, "`at` is followed by three lengths: at X Y Z");
  std::string center;
  for (std::size_t k = 1; k <= 3; ++k) {
    center += fmt::format("{}{}", k > 1 ? "," : "", length_of_word(call, words[k], scene));
  }
  return center;
}

// The piece that a profile is about: of `words` their number, else the selected one. Returns how
// many words it has taken.
std::size_t choose_piece(const Call& call, const std::vector<std::string>& words,
                         const State& state, const SessionActions& actions, ProfileState& profile) {
  std::size_t taken = 0;
  const bool named = !words.empty() && analysis::finder_named(words[0]);
  profile.finder = named ? words[taken++] : state.shown_finder;
  const analysis::FinderWords& finder = analysis::require_finder(profile.finder).words();
  require(call, finder.has_pieces(),
          fmt::format("{} finds no structures: give the center by `at X Y Z`", finder.name));
  std::optional<std::uint64_t> number = state.finding(profile.finder).selected;
  if (named && words.size() > 1 && !is_option(words[1])) {
    number = whole_number(words[taken++]);
    require(call, number.has_value(),
            fmt::format("'{}' is no number of a {}", words[1], finder.piece));
  }
  require(call, number.has_value(),
          fmt::format("it is not said what the profile is about: select a {}, or write `{} N` or "
                      "`at X Y Z`",
                      finder.piece, finder.name));
  require_piece(call, state, actions, profile.finder, *number);
  profile.piece = *number;
  return taken;
}

void read_profile(const Call& call, const std::vector<std::string>& words, const State& state,
                  const SessionActions& actions, ProfileState& profile) {
  const SceneFacts scene = require_scene(call, actions);
  std::vector<std::string> rest = words;
  if (!words.empty() && words[0] == kAt) {
    rest = words_from(words, 4 <= words.size() ? 4 : words.size());
    rest.insert(rest.begin(), "center=" + center_at(call, words, scene));
  } else if (!words.empty() && !is_option(words[0])) {
    require(call, analysis::finder_named(words[0]) != nullptr,
            fmt::format("'{}' is neither `at`, nor one of {}, nor KEY=VALUE", words[0],
                        fmt::join(analysis::finder_names(), ", ")));
    rest = words_from(words, choose_piece(call, words, state, actions, profile));
  }
  const auto read = read_option_arguments(rest, analysis::ProfileOptions{}, longest_side(scene));
  profile.options = read.options.as<analysis::ProfileOptions>();
  const bool row = profile.options.structure || !profile.options.catalog.empty();
  require(call, !row || profile.options.structure,
          "a catalog needs the number of a structure: give structure=N too");
  require(call, !row || profile.finder.empty(),
          "what the profile is about is said twice: leave out structure and catalog, or the words "
          "before them");
  const bool placed = !profile.options.center.empty() || profile.options.structure;
  if (profile.finder.empty() && !placed) choose_piece(call, {}, state, actions, profile);
  analysis::check_options(about_row(profile));
  std::vector<std::string> said;
  if (scene.info) analysis::profile_request(*scene.info, profile.options, nullptr, said);
}

void profile(const Call& call, State& state, SessionActions& actions) {
  const std::vector<std::string> words = words_in_call(call);
  if (words == std::vector<std::string>{kOff}) return state.profile.reset();
  ProfileState asked;
  try {
    read_profile(call, words, state, actions, asked);
  } catch (const analysis::OptionError& error) {
    throw Error(analysis::with_words(error.what()), call.command->name);
  }
  state.profile = asked;
  actions.measure_again();
}

void phase(const Call& call, State& state, SessionActions& actions) {
  std::vector<std::string> words = words_in_call(call);
  if (words == std::vector<std::string>{kOff}) return state.phase.reset();
  const SceneFacts scene = require_scene(call, actions);
  constexpr const char* kAxes[] = {"x=", "y="};
  for (std::size_t k = 0; k < std::min<std::size_t>(2, words.size()); ++k) {
    if (is_option(words[k])) break;
    words[k] = kAxes[k] + words[k];
  }
  try {
    const auto read = read_option_arguments(words, analysis::PhaseOptions{}, longest_side(scene));
    PhaseState asked{read.options.as<analysis::PhaseOptions>()};
    // "mass" may be said by the word for what is left out.
    if (asked.options.weight.empty()) asked.options.weight = analysis::PhaseOptions{}.weight;
    analysis::check_options(asked.options);
    if (scene.info) analysis::plan_phase(*scene.info, asked.options);
    state.phase = asked;
    actions.measure_again();
  } catch (const analysis::OptionError& error) {
    throw Error(analysis::with_words(error.what()), call.command->name);
  }
}

void ruler(const Call& call, State& state, SessionActions& actions) {
  const std::string& first = text_at(call, 0);
  if (first == kOff) {
    require(call, !given(call, 1), "`off` takes no points");
    return state.ruler.reset();
  }
  const SceneFacts scene = require_scene(call, actions);
  require(call, given(call, 5), "a ruler needs two points: X0 Y0 Z0 X1 Y1 Z1");
  Ruler ruler;
  ruler.from[0] = length_of_word(call, first, scene);
  for (std::size_t k = 1; k < 3; ++k) ruler.from[k] = length_at(call, k, actions);
  for (std::size_t k = 0; k < 3; ++k) ruler.to[k] = length_at(call, k + 3, actions);
  require(call, way_of(ruler, scene.periodic, scene.box_size) != Vec{0, 0, 0},
          "both ends of the ruler are at the same point: give two different ones");
  require(call, std::isfinite(haloscope::length(way_of(ruler, scene.periodic, scene.box_size))),
          "the ruler is longer than numbers can tell");
  state.ruler = ruler;
  if (scene.info)
    actions.say("ruler: " +
                ruler_in_words(ruler, *scene.info, analysis::epoch_of(*scene.info).scale_factor));
}

void slab(const Call& call, State& state, SessionActions& actions) {
  const std::string& first = text_at(call, 0);
  if (first == kOff) {
    require(call, !given(call, 1), "`off` takes no planes");
    state.slab = {};
    return;
  }
  const SceneFacts scene = require_scene(call, actions);
  render::SlabChoice slab;
  const bool planes = first.size() == 1 && first[0] >= 'x' && first[0] <= 'z';
  require(call, planes || !given(call, 1),
          fmt::format("'{}' is no axis: x, y or z stands before two planes, and a thickness is one "
                      "length",
                      first));
  if (planes) {
    require(call, given(call, 1) && given(call, 2), "two planes across an axis are two lengths");
    slab.axis = std::size_t(first[0] - 'x');
    slab.low = length_at(call, 1, actions);
    slab.high = length_at(call, 2, actions);
    require(call, slab.low < slab.high || (scene.periodic && slab.low > slab.high),
            "nothing lies between these planes: LOW must be smaller than HIGH");
    if (scene.periodic && scene.box_size > 0) {
      const double begin = std::min(0., scene.bounds.low[*slab.axis]);
      const double end = std::max(scene.box_size, scene.bounds.high[*slab.axis]);
      for (const double plane : {slab.low, slab.high})
        require(call, plane >= begin && plane <= end,
                fmt::format("{:g} lies beside the periodic box, which reaches from {:g} to {:g}; a "
                            "slab over its edge has LOW above HIGH",
                            plane, begin, end));
    }
  } else {
    slab.thickness = length_of_word(call, first, scene);
    require(call, *slab.thickness > 0, "THICKNESS must be greater than 0");
  }
  state.slab = slab;
}

Argument many_words(Named what, std::string name, std::vector<std::string> begin) {
  Argument words = name_of(what, std::move(name), "", std::move(begin));
  words.many = true;
  return words;
}

}  // namespace

bool is_measured_plot(const std::string& plot) {
  return is_compared_plot(plot) || plot.starts_with("profile_") || plot == "phase" ||
         plot == "histogram";
}

std::string how_to_measure(const std::string& plot) {
  if (is_compared_plot(plot)) return "`compare` makes it";
  if (plot == "phase") return "`phase` makes it";
  return plot == "histogram" ? "`phase FIELD` makes it" : "`profile` makes it";
}

analysis::ProfileOptions about_row(const ProfileState& profile) {
  analysis::ProfileOptions options = profile.options;
  if (profile.finder.empty()) return options;
  options.structure = profile.piece;
  options.catalog = profile.finder;
  return options;
}

std::string profile_line(const ProfileState& profile) {
  const std::string about =
      profile.finder.empty() ? "" : fmt::format(" {} {}", profile.finder, profile.piece);
  return "profile" + about + words_of_options(profile.options, true);
}

std::string phase_line(const PhaseState& phase) {
  return "phase" + words_of_options(phase.options, true);
}

std::vector<Command> measuring_commands() {
  std::vector<Command> all{
      {"profile",
       "Measure",
       "Measure a radial profile about a structure (its finder's name and number), a point (at X Y "
       "Z) or the selected structure, with the options of `haloscope profile`; off: none",
       {many_words(Named::Option, "off|at X Y Z|WHAT N|KEY=VALUE", {kOff, kAt})},
       {},
       false,
       profile},
      {"phase",
       "Measure",
       "Sum the particles in bins of two fields, or of one, with the options of `haloscope phase`; "
       "without fields density and temperature of the gas; off: no more",
       {many_words(Named::Option, "off|FIELD|KEY=VALUE", {kOff})},
       {},
       false,
       phase},
      {"ruler",
       "Measure",
       "Measure from one point to another, in a periodic box the short way; off: no ruler",
       {name_of(Named::Nothing, "X0|off", {}, {kOff}), length("Y0", ""), length("Z0", ""),
        length("X1", ""), length("Y1", ""), length("Z1", "")},
       {{"Ctrl+left drag", "", "Measure between the points that are seen at its ends", true}},
       false,
       ruler},
      {"slab",
       "Measure",
       "Draw only what lies in a slab: so thick about the camera's center, across the line of "
       "sight, "
       "or between two planes across an axis; off: all",
       {name_of(Named::Nothing, "THICKNESS|x|y|z|off", {}, {"x", "y", "z", kOff}),
        length("LOW", ""), length("HIGH", "")},
       {},
       false,
       slab},
  };
  all[0].recorded = [](const Call&, const State& state) {
    return state.profile ? profile_line(*state.profile) : std::string("profile off");
  };
  all[1].recorded = [](const Call&, const State& state) {
    return state.phase ? phase_line(*state.phase) : std::string("phase off");
  };
  return all;
}

}  // namespace haloscope::app::session
