#include "app/session/command_groups.h"
#include "app/session/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

// What is open in the window beside the picture.
namespace haloscope::app::session {

namespace {

template <class Names>
std::vector<std::string> words_of(const Names& names, std::vector<std::string> others) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : names) words.emplace_back(word);
  words.insert(words.end(), others.begin(), others.end());
  return words;
}

// Of a word that is one of them.
template <class Names>
auto meaning_of(const Names& names, const std::string& word) {
  auto found = names.front().second;
  for (const auto& [name, meaning] : names)
    if (name == word) found = meaning;
  return found;
}

void lay_out(const Call& call, State& state, SessionActions& actions) {
  Layout& layout = state.layout;
  const std::string& name = text_at(call, 0);
  layout.bars = layout.sides = name != "present";
  layout.pinned.reset();
  if (name == "present") return actions.announce("F10 brings inspector and bars back");
  layout.inspector_open = true;
  layout.shelf_open = name == "analyse";
}

void inspect(const Call& call, State& state, SessionActions&) {
  Layout& layout = state.layout;
  const std::string& name = text_at(call, 0);
  if (name == "off") {
    layout.inspector_open = false;
  } else if (name == "toggle") {
    toggle_inspector(layout);
  } else if (given(call, 1)) {
    pin_page(layout, meaning_of(kInspectorPages, name));
  } else {
    show_page(layout, meaning_of(kInspectorPages, name));
  }
}

// A plot of what is listed now; while nothing is found yet, any name is taken.
void choose_plot(const Call& call, State& state, SessionActions& actions) {
  require(call, text_at(call, 0) == "plots", "only the page plots has a PLOT");
  const std::string& plot = text_at(call, 1);
  const std::vector<std::string> plots = actions.scene().plots;
  std::string names;
  for (const std::string& known : plots) names += (names.empty() ? "" : ", ") + known;
  require(call,
          plots.empty() || is_measured_plot(plot) ||
              std::find(plots.begin(), plots.end(), plot) != plots.end(),
          fmt::format("there is no plot '{}': use {}", plot, names));
  state.layout.plot = plot;
}

void open_shelf(const Call& call, State& state, SessionActions& actions) {
  const std::string& name = text_at(call, 0);
  if (!text_at(call, 1).empty()) choose_plot(call, state, actions);
  if (name == "off")
    state.layout.shelf_open = false;
  else if (name == "toggle")
    toggle_shelf(state.layout);
  else
    show_tab(state.layout, meaning_of(kShelfTabs, name));
}

// What holds now what former programs kept in panels of their own.
void open_panel(const Call& call, State& state, SessionActions& actions) {
  static const std::map<std::string, InspectorPage> kPages{
      {"particles", InspectorPage::Look}, {"camera", InspectorPage::Camera},
      {"halos", InspectorPage::Find},     {"selection", InspectorPage::Select},
      {"path", InspectorPage::Film},      {"export", InspectorPage::Output}};
  static const std::map<std::string, ShelfTab> kTabs{{"mass_function", ShelfTab::Plots},
                                                     {"log", ShelfTab::Log}};
  const std::string& name = text_at(call, 0);
  if (name == "all") return toggle_sides(state.layout);
  if (const auto page = kPages.find(name); page != kPages.end())
    return show_page(state.layout, page->second);
  if (const auto tab = kTabs.find(name); tab != kTabs.end())
    return show_tab(state.layout, tab->second);
  actions.toggle_panel(name);
}

}  // namespace

std::vector<Command> layout_commands() {
  return {
      {"layout",
       "Window",
       "The picture with the inspector, with inspector and shelf, or alone",
       {choice("NAME", {"explore", "analyse", "present"})},
       {{"F11", "present", "The picture alone; F10 ends it", false}},
       false,
       lay_out},
      {"inspector",
       "Window",
       "Open a page at the right of the picture; pin: beside the one that is open, or no longer",
       {choice("NAME", words_of(kInspectorPages, {"off", "toggle"})), choice("HOW", {"pin"}, "")},
       {{"Ctrl+click", "", "On a page's name: open it as a second page", true}},
       false,
       inspect},
      {"shelf",
       "Window",
       "Open a page below the picture. PLOT: what the page plots shows first",
       {choice("NAME", words_of(kShelfTabs, {"off", "toggle"})), name_of(Named::Plot, "PLOT", "")},
       {{"F9", "toggle", "Show or hide the shelf below the picture", false}},
       false,
       open_shelf},
      {"shelf_height",
       "Window",
       "Height of the shelf as a part of the room between the bars",
       {number("FRACTION")},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         const double height = number_at(call, 0);
         require(call, height >= kLowestShelf && height <= kHighestShelf,
                 fmt::format("FRACTION must lie between {} and {}", kLowestShelf, kHighestShelf));
         state.layout.shelf_height = height;
       }},
      {"panel",
       "Window",
       "Open what holds a panel, or show and hide inspector and shelf, the file's facts, the sheet "
       "of keys, the settings, the line for commands",
       {choice("NAME", {"all", "file", "particles", "camera", "halos", "mass_function", "selection",
                        "path", "export", "log", "keys", "settings", "commands"})},
       {{"F10", "all", "Show or hide inspector and shelf", false},
        {"F1", "keys", "This sheet", false},
        {"?", "keys", "This sheet", false},
        {"F2", "settings", "Settings", false},
        {"`", "commands", "Type a command", false}},
       false,
       open_panel},
  };
}

}  // namespace haloscope::app::session
