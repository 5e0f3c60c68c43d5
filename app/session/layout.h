#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

// Which parts of the window are open beside the picture, as plain data: so recordings, states and
// stills of the window know it.
namespace haloscope::app::session {

enum class InspectorPage { Look, Camera, Find, Select, Film, Output };
enum class ShelfTab { Table, Plots, Time, Log };

// As commands and states say them.
constexpr std::array<std::pair<const char*, InspectorPage>, 6> kInspectorPages{
    {{"look", InspectorPage::Look},
     {"camera", InspectorPage::Camera},
     {"find", InspectorPage::Find},
     {"select", InspectorPage::Select},
     {"film", InspectorPage::Film},
     {"output", InspectorPage::Output}}};
constexpr std::array<std::pair<const char*, ShelfTab>, 4> kShelfTabs{{{"table", ShelfTab::Table},
                                                                      {"plots", ShelfTab::Plots},
                                                                      {"time", ShelfTab::Time},
                                                                      {"log", ShelfTab::Log}}};

// Of the height between top bar and status line.
constexpr double kLowestShelf = 0.15, kHighestShelf = 0.6;
constexpr std::array<double, 3> kShelfSteps{0.25, 0.4, 0.6};

// A new one is what states of before it showed: the panels at the right, nothing below.
struct Layout {
  bool bars = true;   // top bar and status line
  bool sides = true;  // inspector and shelf, those that are open
  bool inspector_open = true;
  InspectorPage page = InspectorPage::Look;
  std::optional<InspectorPage> pinned;  // a second page, above the first
  bool shelf_open = false;
  ShelfTab tab = ShelfTab::Table;
  double shelf_height = kShelfSteps[0];
  // That the page Plots shows first, by its name; empty, or of what is not listed: the first there
  // is.
  std::string plot = {};

  bool shows_inspector() const { return sides && inspector_open; }
  bool shows_shelf() const { return sides && shelf_open; }
  bool operator==(const Layout&) const = default;
};

void show_page(Layout& layout, InspectorPage page);
// As a second page; one that is it already goes.
void pin_page(Layout& layout, InspectorPage page);
void show_tab(Layout& layout, ShelfTab tab);
// Inspector and shelf together, as they were.
void toggle_sides(Layout& layout);
void toggle_inspector(Layout& layout);
void toggle_shelf(Layout& layout);

}  // namespace haloscope::app::session
