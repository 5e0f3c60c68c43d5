#pragma once

#include "app/session/option_fields.h"
#include "app/session/state.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Names and limits of everything in a state, said once for the writer and the reader: `visit` calls
// the visitor with each.
namespace haloscope::app::session {

template <class V>
void visit(V& v, Camera& camera) {
  v.choice("projection", camera.perspective, {{"perspective", true}, {"orthographic", false}});
  v.numbers("center", camera.center);
  v.positive("distance", camera.distance);
  v.rotation("rotation", camera.rotation);
  v.within("fov", camera.fov_degrees, 1e-6, 179);
  v.positive("ortho_width", camera.ortho_width);
}

template <class V>
void visit_color(V& v, ColorChoice& color) {
  v.text("color_map", color.color_map);
  v.optional_choice(
      "scale", color.scale,
      {{"linear", Transform::Linear}, {"log", Transform::Log}, {"asinh", Transform::Asinh}});
  v.limits("limits", color.limits);
}

template <class V>
void visit(V& v, render::SlabChoice& slab) {
  v.positive("thickness", slab.thickness);
  v.optional_choice("axis", slab.axis,
                    {{"x", std::size_t(0)}, {"y", std::size_t(1)}, {"z", std::size_t(2)}});
  v.number("low", slab.low);
  v.number("high", slab.high);
}

template <class V>
void visit(V& v, render::SliceChoice& slice) {
  v.optional_choice("axis", slice.axis,
                    {{"x", std::size_t(0)}, {"y", std::size_t(1)}, {"z", std::size_t(2)}});
  v.number("position", slice.position);
  v.within("opacity", slice.opacity, 0, 1);
  visit_color(v, slice.look);
}

template <class V>
void visit(V& v, TypeState& type) {
  v.flag("shown", type.shown);
  v.within("brightness", type.brightness, 0, 1e30);
  v.positive("smoothing", type.smoothing);
  v.text("field", type.field);
  visit_color(v, type);
}

template <class V>
void visit(V& v, render::MapLook& map) {
  v.flag("shown", map.shown);
  std::optional<std::uint64_t> type;
  if (map.type) type = std::uint64_t(*map.type);
  v.count("type", type);
  if (type) map.type = int(std::min<std::uint64_t>(*type, 1000));
  v.text_if_any("field", map.field);
  std::optional<bool> cells;  // left out where there are none, so that older programs read it
  if (map.cells) cells = true;
  v.flag("cells", cells);
  map.cells = cells.value_or(false);
  visit_color(v, map.color);
}

// Left out where there is none, so that older programs read the state.
template <class V>
void visit_map(V& v, render::MapLook& map) {
  std::optional<render::MapLook> chosen;
  if (map != render::MapLook{}) chosen = map;
  v.section("map", chosen);
  if (chosen) map = *chosen;
}

template <class V>
void visit(V& v, Tone& tone) {
  v.within("exposure", tone.exposure_ev, -100, 100);
  v.positive("softening", tone.softening);
  v.positive("white", tone.white);
  v.within("gamma", tone.gamma, 0.01, 100);
  std::optional<bool> white;  // left out where it is dark
  if (tone.white_ground) white = true;
  v.flag("white_ground", white);
  tone.white_ground = white.value_or(false);
}

template <class V>
void visit(V& v, Overlays& overlays) {
  v.flag("color_bar", overlays.color_bar);
  v.choice(
      "scale_bar", overlays.scale_bar,
      {{"off", ScaleBar::Off}, {"comoving", ScaleBar::Comoving}, {"physical", ScaleBar::Physical}});
  v.flag("time", overlays.time);
  v.flag("box", overlays.box);
  v.flag("axes", overlays.axes);
  v.flag("halos", overlays.pieces);  // its name while halos were all that could be found
  v.flag("labels", overlays.labels);
  v.flag("selection", overlays.selection);
  v.flag("path", overlays.path);
  std::optional<double> letters;  // left out where they are the usual ones
  if (overlays.letters != 1) letters = overlays.letters;
  v.positive("letters", letters);
  overlays.letters = std::clamp(letters.value_or(1), kSmallestLetters, kLargestLetters);
}

// Options of a finder have a section of their own, where their names meet no others. Those of halos
// stand among the other keys, for programs of before knew no such section.
inline bool has_flat_options(const std::string& finder) {
  return finder == "halos";
}

struct OptionsSection {
  analysis::AnyOptions& options;
};

template <class V>
void visit(V& v, OptionsSection& section) {
  visit_options(v, section.options);
}

template <class V>
void visit_section_of_options(V& v, const std::string& finder, analysis::AnyOptions& options) {
  if (has_flat_options(finder)) return;
  OptionsSection section{options};
  v.section("options", section);
}

// What a state keeps of one finder.
struct FindingSection {
  const std::string& finder;
  FindingState& finding;
};

template <class V>
void visit(V& v, FindingSection& section) {
  FindingState& finding = section.finding;
  if (has_flat_options(section.finder)) visit_options(v, finding.options);
  v.flag("searched", finding.searched);
  v.count("selected", finding.selected);
  v.limits("births", finding.births);
  v.limits("deaths", finding.deaths);
  v.flag("color_particles", finding.color_particles);
  v.text("color_field", finding.color_field);
  visit_color(v, finding.look);
  visit_section_of_options(v, section.finder, finding.options);
}

inline std::vector<std::pair<const char*, std::string>> names_of_finders() {
  std::vector<std::pair<const char*, std::string>> words;
  for (const auto& known : analysis::finders())
    words.emplace_back(known->name().c_str(), known->name());
  return words;
}

// Left out where it is the usual one. Returns whether it is another one now.
template <class V>
bool visit_finder(V& v, std::string& finder) {
  const auto words = names_of_finders();
  std::optional<std::string> unusual;
  if (finder != usual_finder()) unusual = finder;
  v.optional_choice("finder", unusual, words);
  const std::string former = std::exchange(finder, unusual.value_or(usual_finder()));
  return finder != former;
}

template <class V>
void visit(V& v, io::Outline::Corner& corner) {
  v.numbers("at", corner.at);
}

template <class V>
void visit(V& v, io::Outline& outline) {
  v.numbers("middle", outline.middle);
  v.numbers("right", outline.right);
  v.numbers("up", outline.up);
  v.positive("distance", outline.distance);
  v.positive("width", outline.width);
  v.flag("perspective", outline.perspective);
  v.list("corners", outline.corners);
}

template <class V>
void visit(V& v, SelectionState& selection) {
  if (visit_finder(v, selection.finder))
    selection.search = analysis::require_finder(selection.finder).options();
  const bool flat = has_flat_options(selection.finder);
  const char* const piece = flat ? "halo" : "piece";
  v.choice("kind", selection.kind,
           {{"none", analysis::SelectionKind::None},
            {"box", analysis::SelectionKind::Box},
            {"sphere", analysis::SelectionKind::Sphere},
            {piece, analysis::SelectionKind::Piece},
            {"value", analysis::SelectionKind::Value},
            {"found_value", analysis::SelectionKind::FoundValue},
            {"branch", analysis::SelectionKind::Branch},
            {"outline", analysis::SelectionKind::Outline},
            {"pieces", analysis::SelectionKind::Pieces}});
  v.numbers("low", selection.low);
  v.numbers("high", selection.high);
  v.numbers("center", selection.center);
  v.within("radius", selection.radius, 0, std::numeric_limits<double>::max());
  v.count(piece, selection.piece, 0);
  v.text("field", selection.field);
  v.numbers("limits", selection.limits);
  v.positive("inner", selection.inner);
  v.text_if_any("second_field", selection.second_field);
  v.limits("second_limits", selection.second_limits);
  v.text_if_any("numbers", selection.numbers);
  v.section("outline", selection.outline);
  v.flag("follow_ids", selection.follow_ids);
  v.count("made_in", selection.made_in, 0);
  if (flat) visit_options(v, selection.search);
  visit_section_of_options(v, selection.finder, selection.search);
}

template <class V>
void visit(V& v, analysis::SetOperand& operand) {
  v.text_if_any("set", operand.set);
  if (operand.set.empty()) v.section("selection", operand.selection);
}

template <class V>
void visit(V& v, analysis::NamedSet& set) {
  v.text("name", set.name);
  v.color("color", set.color);
  v.flag("shown", set.shown);
  v.choice("operation", set.operation,
           {{"none", analysis::SetOperation::None},
            {"union", analysis::SetOperation::Union},
            {"intersection", analysis::SetOperation::Intersection},
            {"difference", analysis::SetOperation::Difference}});
  v.section("first", set.first);
  if (set.operation != analysis::SetOperation::None) v.section("second", set.second);
}

template <class V>
void visit(V& v, ComparedState& compared) {
  const bool is_new = compared.finder.empty();
  if (is_new) compared.finder = usual_finder();
  if (visit_finder(v, compared.finder) || is_new)
    compared.options = analysis::require_finder(compared.finder).options();
  v.choice("show", compared.show,
           {{"both", ShownResults::Both},
            {"first", ShownResults::First},
            {"second", ShownResults::Second},
            {"differences", ShownResults::Differences}});
  OptionsSection section{compared.options};
  v.section("options", section);
}

template <class V>
void visit(V& v, ProfileState& profile) {
  std::optional<std::string> finder;
  if (!profile.finder.empty()) finder = profile.finder;
  v.optional_choice("finder", finder, names_of_finders());
  profile.finder = finder.value_or("");
  if (finder) v.count("piece", profile.piece, 0);
  visit_options(v, profile.options);
}

template <class V>
void visit(V& v, PhaseState& phase) {
  visit_options(v, phase.options);
}

template <class V>
void visit(V& v, Ruler& ruler) {
  v.numbers("from", ruler.from);
  v.numbers("to", ruler.to);
}

template <class V>
void visit(V& v, Bookmark& bookmark) {
  v.text("name", bookmark.name);
  v.section("camera", bookmark.camera);
}

template <class V>
void visit(V& v, KeyState& key) {
  v.number("time", key.seconds);
  v.within("exposure", key.exposure_ev, -100, 100);
  v.limits("limits", key.limits);
  v.within("snapshot", key.snapshot, 0, 1e9);
  v.section("camera", key.camera);
}

// What Ctrl+C takes along.
template <class V>
void visit_view(V& v, State& state) {
  v.flag("tiling", state.tiling);
  v.section("camera", state.camera);
  v.section("tone", state.tone);
  visit_map(v, state.map);
  v.numbered_sections("types", state.types);
}

template <class V>
void visit(V& v, Layout& layout) {
  v.flag("bars", layout.bars);
  v.flag("sides", layout.sides);
  v.flag("inspector_open", layout.inspector_open);
  v.choice("inspector", layout.page, {kInspectorPages.begin(), kInspectorPages.end()});
  v.optional_choice("pinned", layout.pinned, {kInspectorPages.begin(), kInspectorPages.end()});
  v.flag("shelf_open", layout.shelf_open);
  v.choice("shelf", layout.tab, {kShelfTabs.begin(), kShelfTabs.end()});
  v.within("shelf_height", layout.shelf_height, kLowestShelf, kHighestShelf);
  v.text_if_any("plot", layout.plot);
}

struct WindowFields {
  State& state;
};

template <class V>
void visit(V& v, WindowFields& window) {
  v.count("width", window.state.width, 1);
  v.count("height", window.state.height, 1);
  v.within("ui_scale", window.state.ui_scale, 0.25, 8);
}

// Plain values come before sections, as TOML wants it.
template <class V>
void visit(V& v, State& state) {
  v.texts("snapshots", state.snapshots);
  v.count("current", state.current, 0);
  v.text_if_any("follow", state.follow);
  v.choice("show_sets", state.show_sets,
           {{"off", analysis::ShowSets::Off},
            {"highlight", analysis::ShowSets::Highlight},
            {"dim", analysis::ShowSets::Dim},
            {"only", analysis::ShowSets::Only}});
  visit_finder(v, state.shown_finder);
  visit_view(v, state);
  v.section("overlays", state.overlays);
  v.section("slice", state.slice);
  v.section("slab", state.slab);
  for (const auto& finder : analysis::finders()) {
    FindingSection section{finder->name(), state.finding(finder->name())};
    v.section(finder->name().c_str(), section);
  }
  v.section("selection", state.selection);
  v.list("set", state.sets);
  v.section("compared", state.compared);
  v.section("profile", state.profile);
  v.section("phase", state.phase);
  v.section("ruler", state.ruler);
  WindowFields window{state};
  v.section("window", window);
  v.section("layout", state.layout);
  v.list("bookmark", state.bookmarks);
  v.list("key", state.path);
}

}  // namespace haloscope::app::session
