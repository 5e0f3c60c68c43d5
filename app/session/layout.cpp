#include "app/session/layout.h"

namespace haloscope::app::session {

namespace {

// Of sides that were hidden, only what is asked for comes back.
void bring_sides(Layout& layout) {
  if (layout.sides) return;
  layout.sides = layout.bars = true;
  layout.inspector_open = layout.shelf_open = false;
}

}  // namespace

void show_page(Layout& layout, InspectorPage page) {
  bring_sides(layout);
  layout.inspector_open = true;
  layout.page = page;
  if (layout.pinned == page) layout.pinned.reset();
}

void pin_page(Layout& layout, InspectorPage page) {
  if (!layout.shows_inspector()) return show_page(layout, page);
  if (layout.pinned == page)
    layout.pinned.reset();
  else if (layout.page != page)
    layout.pinned = page;
}

void show_tab(Layout& layout, ShelfTab tab) {
  bring_sides(layout);
  layout.shelf_open = true;
  layout.tab = tab;
}

void toggle_sides(Layout& layout) {
  layout.sides = !layout.sides;
  if (!layout.sides) return;
  layout.bars = true;
  if (!layout.shelf_open) layout.inspector_open = true;
}

void toggle_inspector(Layout& layout) {
  if (layout.shows_inspector())
    layout.inspector_open = false;
  else
    show_page(layout, layout.page);
}

void toggle_shelf(Layout& layout) {
  if (layout.shows_shelf())
    layout.shelf_open = false;
  else
    show_tab(layout, layout.tab);
}

}  // namespace haloscope::app::session
