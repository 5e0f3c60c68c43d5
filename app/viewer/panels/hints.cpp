#include "app/viewer/panels/hints.h"

#include "analysis/finder.h"

#include <fmt/format.h>

namespace haloscope::app::viewer {

namespace {

constexpr const char* kOpenFirst =
    "Press the name at the upper left and open a snapshot: what is found in it is shown here.";

// The word beside the inspector is left out while its page is open.
std::string way_to(const PanelInput& input, session::InspectorPage page, const char* word) {
  const session::Layout& layout = input.state.layout;
  const bool open = layout.shows_inspector() && (layout.page == page || layout.pinned == page);
  return open ? "Press" : fmt::format("Press {} at the right, then", word);
}

// `here`: what the page shows then.
std::string find_first(const PanelInput& input, const std::string& here) {
  if (!input.scene) return kOpenFirst;
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  return fmt::format("{} Find {}: {}.", way_to(input, session::InspectorPage::Find, "Find"),
                     words.found(), here);
}

// Why a measurement that the state asks for is not there; empty: it is, or is not asked for.
std::string why_not_measured(const PanelInput& input) {
  const auto of = [&](bool asked, const Measurer::Outcome& outcome, session::JobKind kind,
                      const char* words) -> std::string {
    if (!asked || outcome.made) return {};
    if (!outcome.fault.empty()) return outcome.fault;
    if (input.jobs[kind].busy) return fmt::format("{} is being measured.", words);
    return fmt::format("{} was not measured.", words);
  };
  const std::string profile =
      of(input.state.profile.has_value(), input.profile, session::JobKind::Profile, "The profile");
  if (!profile.empty()) return profile;
  return of(input.state.phase.has_value(), input.phase, session::JobKind::Phase, "The diagram");
}

}  // namespace

std::string table_hint(const PanelInput& input) {
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  if (!input.finding)
    return find_first(input,
                      words.has_pieces()
                          ? "a row for each of them will stand here"
                          : "what it finds has no rows, and its plots are on the page Plots");
  if (input.finding->pieces > 0) return {};
  if (analysis::found_nothing(*input.finding)) return words.none_found;
  // Values of the particles, and no pieces.
  return input.finding->summary;
}

std::string plots_hint(const PanelInput& input) {
  if (input.profile.made || input.phase.made) return {};
  if (input.scene && !input.finding)
    if (std::string why = why_not_measured(input); !why.empty()) return why;
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  if (!input.finding)
    return find_first(
        input, fmt::format("{} plots will be drawn here", words.has_pieces() ? "their" : "its"));
  const analysis::Finding& finding = *input.finding;
  if (finding.pieces > 0 || !finding.fields.empty() || finding.cut) return {};
  return words.has_pieces() && !words.none_found.empty() ? words.none_found : finding.summary;
}

std::string time_hint(const PanelInput& input) {
  if (!input.state.path.empty()) return {};
  if (!input.scene)
    return "Press the name at the upper left and open a snapshot: the times of a camera path stand "
           "here.";
  return way_to(input, session::InspectorPage::Film, "Film") +
         " Add key, move the camera and press it again: the times of the path's keys will stand "
         "here.";
}

std::string log_hint(const PanelInput& input) {
  if (!input.log.empty()) return {};
  return "Press the name at the upper left and open a snapshot: what is read, found and written is "
         "told here.";
}

}  // namespace haloscope::app::viewer
