#include "app/viewer/frame/frame_parts.h"

#include "tests/catch.h"

#include <array>
#include <vector>

// Where the parts of the window lie, by arithmetic alone.

namespace haloscope::app::viewer {

namespace {

using session::Layout;

float size_of(const Area& area) {
  return area.width * area.height;
}

bool overlap(const Area& a, const Area& b) {
  return !a.empty() && !b.empty() && a.x < b.x + b.width && b.x < a.x + a.width &&
         a.y < b.y + b.height && b.y < a.y + a.height;
}

Layout with_shelf(double height) {
  Layout layout;
  layout.shelf_open = true;
  layout.shelf_height = height;
  return layout;
}

std::vector<Layout> layouts() {
  std::vector<Layout> all{Layout{}, with_shelf(0.25), with_shelf(0.6)};
  Layout closed;
  closed.inspector_open = false;
  Layout hidden = with_shelf(0.4);
  hidden.sides = false;
  Layout alone = hidden;
  alone.bars = false;
  all.insert(all.end(), {closed, hidden, alone});
  return all;
}

}  // namespace

TEST_CASE("the parts fill the window and do not lie on each other") {
  for (const Layout& layout : layouts())
    for (const auto& [width, height, scale] :
         {std::array{1280.f, 720.f, 1.f}, std::array{1280.f, 800.f, 1.f},
          std::array{1920.f, 1080.f, 1.f}, std::array{3840.f, 2160.f, 2.f},
          std::array{1999.f, 1333.f, 1.3f}}) {
      INFO(width << " " << height << " " << scale);
      const FrameParts parts = arrange(layout, width, height, scale);
      const std::array all{parts.top,       parts.picture, parts.words,
                           parts.inspector, parts.shelf,   parts.status};
      float filled = 0;
      for (std::size_t k = 0; k < all.size(); ++k) {
        filled += size_of(all[k]);
        for (std::size_t other = 0; other < k; ++other) CHECK_FALSE(overlap(all[k], all[other]));
      }
      CHECK(filled == width * height);
      CHECK_FALSE(parts.inspector_covers);
    }
}

TEST_CASE("the picture is at least half of the window") {
  for (const auto& [width, height, scale] :
       {std::array{1280.f, 720.f, 1.f}, std::array{1280.f, 800.f, 1.f},
        std::array{1920.f, 1080.f, 1.f}, std::array{3840.f, 2160.f, 2.f}})
    for (const Layout& layout : {Layout{}, with_shelf(0.25)}) {
      INFO(width << " x " << height << ", shelf " << layout.shelf_open);
      CHECK(2 * size_of(arrange(layout, width, height, scale).picture) >= width * height);
    }
}

TEST_CASE("in a small window the inspector lies over the picture") {
  for (const auto& [width, height, scale] :
       {std::array{1279.f, 800.f, 1.f}, std::array{1280.f, 719.f, 1.f},
        std::array{1920.f, 1080.f, 2.f}}) {
    const FrameParts parts = arrange({}, width, height, scale);
    CHECK(parts.inspector_covers);
    CHECK(overlap(parts.inspector, parts.picture));
    CHECK(2 * size_of(parts.picture) >= width * height);
  }
}

TEST_CASE("in a small window shelf and inspector do not lie on each other") {
  for (const auto& [width, height] :
       {std::array{1024.f, 600.f}, std::array{1279.f, 719.f}, std::array{640.f, 480.f}})
    for (const double part : {0.25, 0.4, 0.6}) {
      INFO(width << " x " << height << ", shelf " << part);
      const FrameParts parts = arrange(with_shelf(part), width, height, 1);
      CHECK_FALSE(overlap(parts.shelf, parts.inspector));
      CHECK_FALSE(overlap(parts.shelf, parts.words));
      CHECK_FALSE(overlap(parts.shelf, parts.picture));
      CHECK(parts.shelf.width >= 480);
      CHECK(parts.inspector.height > 100);
    }
}

TEST_CASE("a picture alone is the window, and the smallest window has a picture") {
  Layout alone;
  alone.bars = alone.sides = false;
  CHECK(arrange(alone, 640, 480, 3).picture == Area{0, 0, 640, 480});
  for (const Layout& layout : layouts())
    for (const float side : {1.f, 2.f, 17.f, 60.f}) {
      const FrameParts parts = arrange(layout, side, side, 2);
      CHECK(parts.picture.width >= 1);
      CHECK(parts.picture.height >= 1);
      CHECK(parts.picture.x + parts.picture.width <= side);
      CHECK(parts.picture.y + parts.picture.height <= side);
    }
}

TEST_CASE("the shelf's edge is where the mouse holds it, within its limits") {
  const FrameParts parts = arrange(with_shelf(0.4), 1280, 800, 1);
  CHECK(shelf_height_at(parts, parts.shelf.y) == Approx(0.4).margin(0.002));
  CHECK(shelf_height_at(parts, 0) == session::kHighestShelf);
  CHECK(shelf_height_at(parts, 800) == session::kLowestShelf);
}

}  // namespace haloscope::app::viewer
