#include "render/scene/map_output.h"

#include "core/error.h"
#include "render/files/exr_file.h"
#include "render/files/image_file.h"

#include <fmt/format.h>

#include <utility>

namespace haloscope::render {

using compute::splotch::Mode;
using compute::splotch::Transform;
using compute::splotch::View;

MapLook map_of(const RenderRequest& request) {
  if (request.mode != Mode::Map) return request.map;
  MapLook look;
  look.shown = true;
  look.field = request.mean_field;
  look.color.color_map = request.palette;
  look.color.limits = request.range;
  if (request.range && !((*request.range)[0] > 0)) look.color.scale = Transform::Linear;
  return look;
}

bool is_map_of_numbers(const RenderRequest& request) {
  const std::string extension = lower_extension(request.output);
  return map_of(request).shown &&
         (extension == ".hdf5" || extension == ".h5" || extension == ".exr");
}

void require_parallel(const RenderRequest& request, const View& view, const std::string& remedy) {
  if (view.perspective && is_map_of_numbers(request))
    throw Error("a map of numbers is made with a parallel view, and this camera has perspective",
                request.output, remedy + ", or write a picture (.png)");
}

io::ProjectedMap make_map(const RenderRequest& request, const SnapshotInfo& info,
                          const std::vector<int>& types, const View& view, const ImageF& image,
                          const std::map<std::string, std::string>& provenance) {
  io::ProjectedMap map;
  map.width = image.width;
  map.height = image.height;
  const MapLook look = map_of(request);
  const bool mean = !look.field.empty();
  map.values = std::move(map_values(image, mean).pixels);
  map.length_unit = map_length_unit(info);
  map.quantity = mean ? "mean:" + look.field : "surface_density";
  map.unit = map_unit(info, look.type ? std::vector<int>{*look.type} : types, look.field);
  map.extent = map_extent(view);
  const double pixel = view.ortho_width / view.width;
  map.pixel_size = {pixel, pixel};
  map.provenance = provenance;
  return map;
}

void write_map(const RenderRequest& request, const io::ProjectedMap& map, const FinishMap& finish) {
  const std::string extension = lower_extension(request.output);
  if (extension == ".hdf5" || extension == ".h5") return io::write_map_hdf5(request.output, map);
  ImageText text(map.provenance.begin(), map.provenance.end());
  text["quantity"] = map.quantity;
  text["units"] = map.unit;
  text["extent"] = fmt::format("{:.17g},{:.17g},{:.17g},{:.17g}", map.extent[0], map.extent[1],
                               map.extent[2], map.extent[3]);
  text["extent_unit"] = map.length_unit;
  text["pixel_size"] = fmt::format("{:.17g},{:.17g}", map.pixel_size[0], map.pixel_size[1]);
  ImageF image(map.width, map.height, 1);
  image.pixels = map.values;
  if (extension == ".png") {
    const MapLook look = map_of(request);
    const MapPicture picture{image, map_ranging(image, !look.field.empty())};
    const Image8 colored = colored_map(picture, look, request.white_ground.value_or(false));
    return write_image8(request.output,
                        finish ? finish(colored, map_color(look, picture.automatic)) : colored,
                        text);
  }
  write_exr(request.output, image, ExrPrecision::Float, {}, text);
}

}  // namespace haloscope::render
