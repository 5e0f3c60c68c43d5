#include "app/viewer/cursor_values.h"
#include "app/viewer/viewer.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

// What is told of the place under the cursor.
namespace haloscope::app::viewer {

std::string Viewer::structure_in_words(const Vec& point) {
  const auto found = findings_.of(state_.shown_finder);
  if (!found || !found->measured) return {};
  const auto piece = under_cursor_.at(found, opener_.model()->info, point);
  if (!piece) return {};
  const auto& words = analysis::require_finder(found->finder).words();
  return fmt::format("{} {}", analysis::piece_word(*found, words, 1), *piece);
}

// That of the map's pixel there; none: there is no map, or no value.
std::optional<MapValue> Viewer::map_value(session::PicturePoint at) const {
  const auto& shown = live_.shown();
  if (!shown || !shown->map || !state_.map.shown) return {};
  const ImageF& values = shown->map->values;
  const int x = int(std::floor((at.x + 0.5) * values.width));
  const int y = int(std::floor(0.5 * values.height - at.y * values.width));
  if (x < 0 || y < 0 || x >= values.width || y >= values.height) return {};
  const float value = *values.at(x, y);
  const render::MapLook& look = shown->map_look;
  const SceneModel& model = *opener_.model();
  if (std::isnan(value) || (look.type && !model.info.types.count(*look.type))) return {};
  const std::vector<int> types = look.type ? std::vector<int>{*look.type} : model.types;
  return MapValue{look.field.empty() ? "surface density" : "mean " + look.field,
                  render::map_unit(model.info, types, look.field), double(value)};
}

std::string Viewer::map_in_words(session::PicturePoint at) const {
  const auto of_map = map_value(at);
  return of_map ? fmt::format("{} {:.6g}{}{}", of_map->quantity, of_map->value,
                              of_map->unit.empty() ? "" : " ", of_map->unit)
                : std::string();
}

// A slice lies over all else, and where it is needs no search.
std::string Viewer::under_cursor(session::PicturePoint at) {
  const SceneModel* const model = opener_.model();
  if (!model || !state_.camera || !live_.shown()) return {};
  if (!cursor_.has_picture()) return {};
  if (const render::ShownSlice shown = slice()) {
    const auto view = session::to_view(*state_.camera, picture_width_, picture_height_);
    const double x = (at.x + 0.5) * picture_width_ - 0.5;
    const double y = 0.5 * picture_height_ - at.y * picture_width_ - 0.5;
    if (const auto cell = render::slice_under(shown, view, x, y))
      return cursor_in_words(model->info, cell->point, value_in_words(*shown.plane, cell->cell),
                             structure_in_words(cell->point));
  }
  const auto point = cursor_.point(at, [&](PointProbe& probe) { look_at(at, probe); });
  if (!point) return map_in_words(at);
  return cursor_in_words(model->info, *point, map_in_words(at), structure_in_words(*point));
}

// The picture in full that is on screen, by the camera that is looked from.
void Viewer::show_cursor_picture() {
  const bool moves =
      seen_.previewing() || (live_.shown() && live_.shown()->camera != state_.camera);
  cursor_.show(moves || exporter_.busy() ? std::nullopt : live_.complete());
}

}  // namespace haloscope::app::viewer
