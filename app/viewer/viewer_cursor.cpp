#include "app/viewer/cursor_values.h"
#include "app/viewer/viewer.h"

#include <fmt/format.h>

#include <cmath>

// What is told of the place under the cursor.
namespace haloscope::app::viewer {

namespace {

// Of the picture's width: what is seen there is the same.
constexpr double kSameView = 1e-4;

bool is_near(session::PicturePoint a, session::PicturePoint b) {
  return std::abs(a.x - b.x) < kSameView && std::abs(a.y - b.y) < kSameView;
}

}  // namespace

std::string Viewer::structure_in_words(const Vec& point) const {
  const auto found = findings_.of(state_.shown_finder);
  if (!found || !found->measured) return {};
  const auto piece = piece_around(*found, opener_.model()->info, point);
  if (!piece) return {};
  const auto& words = analysis::require_finder(found->finder).words();
  return fmt::format("{} {}", analysis::piece_word(*found, words, 1), *piece);
}

// A slice lies over all else, and where it is needs no search.
std::string Viewer::under_cursor(session::PicturePoint at) {
  const SceneModel* const model = opener_.model();
  if (!model || !state_.camera || !live_.shown()) return {};
  // The picture that is on screen is of another camera than the one that is looked from.
  if (live_.busy() || seen_.previewing() || exporter_.busy()) {
    cursor_.reset();
    return {};
  }
  if (const render::ShownSlice shown = slice()) {
    const auto view = session::to_view(*state_.camera, picture_width_, picture_height_);
    const double x = (at.x + 0.5) * picture_width_ - 0.5;
    const double y = 0.5 * picture_height_ - at.y * picture_width_ - 0.5;
    if (const auto cell = render::slice_under(shown, view, x, y))
      return cursor_in_words(model->info, cell->point, value_in_words(*shown.plane, cell->cell),
                             structure_in_words(cell->point));
  }
  if ((!cursor_ || !is_near(cursor_->at, at)) && !cursor_probe_.busy()) {
    cursor_ = SeenAt{at, false, {}};
    look_at(at, cursor_probe_);
  }
  if (!cursor_ || !cursor_->known || !cursor_->point || !is_near(cursor_->at, at)) return {};
  return cursor_in_words(model->info, *cursor_->point, {}, structure_in_words(*cursor_->point));
}

}  // namespace haloscope::app::viewer
