#include "analysis/option_parsing/option_error.h"
#include "app/session/find_command.h"
#include "app/viewer/panels/scene_words.h"
#include "app/viewer/viewer.h"
#include "core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

// What was found in a session: searched for, kept, shown again, written.
namespace haloscope::app::viewer {

using session::State;

void Viewer::find(const State& state, const std::string& finder) {
  memory_.piece_order.forget();
  live_.frame_log().asked_for_pieces(now_);
  if (findings_.of(state_.shown_finder)) listed_before_ = {state_.snapshot(), state_.shown_finder};
  auto points = opener_.has_open(state.snapshot()) ? opener_.model()->points : nullptr;
  auto kept = findings_.find({state.snapshot(), base_.said, finder, state.finding(finder).options,
                              base_.compute, std::move(points)});
  if (kept) show_finding(std::move(kept));
}

void Viewer::take_findings() {
  // While a cut is dragged, what comes is of one before; the newest follows.
  if (auto pieces = findings_.receive_unmeasured()) {
    const std::string& finder = pieces->finder;
    const session::FindingState& state = state_.finding(finder);
    if (state.searched && findings_.seeks(finder, state.options)) show_pieces_of(std::move(pieces));
  }
  auto found = findings_.receive();
  if (!found) return;
  // The search may have been undone meanwhile.
  const session::FindingState& state = state_.finding(found->finder);
  if (state.searched && state.options == found->options)
    show_finding(std::move(found));
  else
    findings_.withdraw(state_.snapshot(), found->finder, found->options);
}

// Takes what was found from what is kept; false: nothing is kept that it could be taken from.
bool Viewer::find_again(const State& state, const std::string& finder) {
  if (!findings_.can_take(state.snapshot(), finder, state.finding(finder).options)) return false;
  try {
    find(state, finder);
    return true;
  } catch (const analysis::OptionError&) {  // of another tree now
    return false;
  }
}

// Shows what was found according to the state, where it is still known; nothing is searched for. A
// search that is under way goes on, and is shown if the state asks for it.
void Viewer::show_kept(const State& before, State& state) {
  memory_.piece_order.forget();
  findings_.forget_changed(state.snapshot());
  for (auto& [finder, finding] : state.findings) {
    const session::FindingState& former = before.finding(finder);
    if (finding.searched == former.searched && finding.options == former.options) continue;
    findings_.hide(finder);
    findings_.forget_unmeasured(finder);
    if (former.searched) findings_.withdraw(state.snapshot(), finder, former.options);
    if (!finding.searched) continue;
    if (auto kept = findings_.kept(state.snapshot(), finder, finding.options)) {
      show_finding(std::move(kept));
    } else if (!findings_.seeks(finder, finding.options) && !find_again(state, finder)) {
      finding.searched = false;
      tell(false, fmt::format("what that search found is not kept any more: find {} shows it again",
                              finder));
    }
  }
}

// Of pieces that are not measured yet.
void Viewer::show_pieces_of(OpenFindings::Found finding) {
  pieces_shown_at_ = now_;
  memory_.piece_order.forget();
  findings_.show(std::move(finding));
}

void Viewer::show_finding(OpenFindings::Found finding) {
  memory_.piece_order.forget();
  // What was zoomed into is of another search, but for another cut of the same tree.
  const auto former = findings_.of(finding->finder);
  if (!former || !analysis::share_tree(*former, *finding))
    memory_.finders[finding->finder].plots.clear();
  for (const auto& sentence : finding->notes) tell(false, analysis::with_words(sentence));
  const analysis::FinderWords& words = analysis::require_finder(finding->finder).words();
  const bool counted = words.has_pieces() && (finding->pieces > 0 || finding->fields.empty());
  tell(false, counted ? fmt::format("{} {}", grouped(finding->pieces),
                                    analysis::piece_word(*finding, words, finding->pieces))
                      : finding->summary);
  findings_.show(std::move(finding));
}

// Shows what was found before in the snapshot that was just opened: by the options of the state, or
// else by the last search.
void Viewer::bring_back_findings() {
  for (auto& [finder, finding] : state_.findings) {
    if (findings_.of(finder) || finding.searched) continue;
    auto kept = findings_.coming_back(opener_.model()->path, finder, finding.options);
    if (!kept) continue;
    finding.options = kept->options;
    finding.searched = true;
    show_finding(std::move(kept));
  }
}

OpenFindings::Found Viewer::require_found(const std::string& finder,
                                          const std::string& command) const {
  const auto found = findings_.of(finder);
  if (found && found->measured) return found;
  const analysis::FinderWords& words = analysis::require_finder(finder).words();
  const std::string what =
      words.has_pieces() ? fmt::format("the {} have", words.pieces) : finder + " has";
  const session::FindingState& asked = state_.finding(finder);
  if (asked.searched && findings_.seeks(finder, asked.options))
    throw Error(what + " not been found yet", command, "wait until the search ends");
  throw Error(what + " not been found here", command, fmt::format("{} first", words.way()));
}

void Viewer::export_finding(const std::string& finder, const std::string& path, bool overwrite) {
  const auto found = require_found(finder, "export " + finder);
  const analysis::Finder& writer = analysis::require_finder(finder);
  writer.require_output(path, found->options, analysis::overwriting_by_word(overwrite));
  exporter_.file(path, [path, found, &writer](Progress& progress) {
    writer.write(path, *found,
                 "haloscope view: " + session::find_line(found->finder, found->options), progress);
  });
}

// Of what was found and what was measured.
std::vector<std::string> Viewer::names_of_plots(const analysis::Finding& found) const {
  std::vector<std::string> names;
  for (const analysis::Plot& plot : found.plots) names.push_back(plot.name);
  for (const auto& made : measured())
    for (const analysis::Plot& plot : made->plots) names.push_back(plot.name);
  return names;
}

void Viewer::export_plot(const std::string& finder, const std::string& name,
                         const std::string& path, bool overwrite) {
  if (export_measured_plot(name, path, overwrite)) return;
  const std::string command = "export_plot " + name;
  if (session::is_measured_plot(name))
    throw Error(fmt::format("nothing of that name is measured: {}", session::how_to_measure(name)),
                command);
  const auto found = require_found(finder, command);
  if (!analysis::find_plot(*found, name))
    throw Error(fmt::format("there is no plot '{}'", name), command,
                fmt::format("use {}", fmt::join(names_of_plots(*found), ", ")));
  auto plot = std::make_shared<analysis::Plot>(analysis::require_plot(*found, name, command));
  plot->notes.push_back("haloscope view: " + session::find_line(finder, found->options));
  exporter_.plot(std::move(plot), path, overwrite);
}

analysis::ParticleColors Viewer::wanted_colors() const {
  const std::string* const finder = state_.colored_by();
  if (!finder || base_.selection.any()) return {};
  auto found = findings_.of(*finder);
  const session::FindingState& state = state_.finding(*finder);
  if (!found || !analysis::has_colors(*found, state.color_field)) return {};
  return {std::move(found), state.color_field, state.look};
}

ShownFindings Viewer::shown_in(const State& state) const {
  ShownFindings shown{findings_.of(state.shown_finder),
                      wanted_colors(),
                      slice(),
                      shown_sets(state),
                      {},
                      compared()};
  // Who is in them may still be looked for: then the picture's own thread does it.
  if (state.show_sets != analysis::ShowSets::Off && !base_.selection.any() && !sets_.is_known())
    shown.sought = sets_request(state);
  return shown;
}

std::shared_ptr<const analysis::Finding> Viewer::gridded() const {
  const std::string& finder = session::finder_with_grid();
  if (finder.empty() || !state_.finding(finder).searched) return nullptr;
  return findings_.of(finder);
}

render::ShownSlice Viewer::slice() const {
  return slices_.of(gridded(), state_.slice);
}

// Why particles have not the colors of a finding that they should have; empty: they have them, or
// will have when a job is done.
std::string Viewer::why_not_colored() const {
  const std::string* const finder = state_.colored_by();
  if (!finder || !opener_.model() || opener_.opening() || findings_.busy()) return {};
  if (wanted_colors()) return {};
  const analysis::FinderWords& words = analysis::require_finder(*finder).words();
  const auto found = findings_.of(*finder);
  const std::string& field = state_.finding(*finder).color_field;
  if (!found && !(field.empty() && words.has_pieces()))
    return fmt::format(
        "Particles will have the colors of what {0} finds once it is found (find {0}).", *finder);
  if (!found)
    return fmt::format("Particles will have the colors of their {0} once {0} are found (find {1}).",
                       words.pieces, *finder);
  if (!field.empty() && !found->fields.count(field))
    return fmt::format("{} found no field '{}': particles keep their own colors.", *finder, field);
  if (!field.empty() && !analysis::has_colors(*found, field))
    return fmt::format("No particle has a value of {}: particles keep their own colors.", field);
  if (field.empty() && found->pieces == 0 && !found->fields.empty())
    return fmt::format("{0} finds fields and no pieces: color_by {0} {1} colors the particles.",
                       *finder, found->fields.begin()->first);
  if (field.empty() && !words.has_pieces())
    return fmt::format(
        "{} finds nothing that particles could be colored by: they keep their own "
        "colors.",
        *finder);
  if (field.empty() && found->pieces == 0)
    return fmt::format("No {} was found: particles keep their own colors.", words.piece);
  if (!base_.selection.any())
    return fmt::format("{} have no such color: particles keep their own.",
                       analysis::capitalized(words.pieces));
  return fmt::format(
      "{} are those of all particles, of which a part is shown: particles keep their own "
      "colors. Open the snapshot without --region, --every and --max-particles.",
      analysis::capitalized(analysis::coloring_in_words(*finder, field)));
}

void Viewer::tell_colors() {
  const std::string why = why_not_colored();
  if (!why.empty() && why != told_colors_) tell(false, why);
  // It is told once, not for each snapshot of a series that plays or after each search.
  if (!why.empty() || !state_.colored_by()) told_colors_ = why;
  const std::string no_sets = why_no_sets();
  if (!no_sets.empty() && no_sets != told_sets_) tell(false, no_sets);
  told_sets_ = no_sets;
}

}  // namespace haloscope::app::viewer
