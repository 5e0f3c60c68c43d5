#pragma once

#include "app/session/layout.h"
#include "app/viewer/frame/area.h"

namespace haloscope::app::viewer {

// Where everything in the window lies. What is not shown is empty.
struct FrameParts {
  Area top, picture, words, inspector, shelf, status;
  bool inspector_covers = false;  // it lies over the picture and not beside it
};

// Of a window of that size, pixels; `scale`: pixels per point. The picture has whole pixels, and at
// least one.
FrameParts arrange(const session::Layout& layout, float width, float height, float scale);

// Where the edge between picture and shelf stands, the part of the room that the shelf has.
double shelf_height_at(const FrameParts& parts, float y);

}  // namespace haloscope::app::viewer
