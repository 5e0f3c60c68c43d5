#include "render/film/exposure_words.h"

#include "render/scene/map_picture.h"
#include "render/scene/type_choice.h"

#include <fmt/format.h>

namespace haloscope::render {

std::string exposure_in_words(const RenderRequest& request, const Exposure& exposure,
                              std::size_t frame) {
  if (request.map.shown) {
    const auto drawn = map_color(request.map, exposure.map);
    return fmt::format("limits of frame {} for all: {:.3g} and {:.3g}", frame,
                       in_field_units(drawn.transform, double(drawn.low)),
                       in_field_units(drawn.transform, double(drawn.high)));
  }
  if (request.mode != compute::splotch::Mode::Classic)
    return fmt::format("exposure of frame {} for all: --tone {},{} gives the same", frame,
                       exposure.curve.white, exposure.curve.softening);
  if (!request.brightness.empty()) return {};
  return fmt::format("brightness of frame {} for all: --brightness {:.4g}", frame,
                     exposure.brightness);
}

}  // namespace haloscope::render
