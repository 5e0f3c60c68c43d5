#include "render/scene/map_output.h"

#include "compute/splotch/ranging.h"
#include "io/loading/derived_fields.h"
#include "io/snapshots/gadget_units.h"
#include "render/colors/palette.h"
#include "render/files/exr_file.h"
#include "render/files/image_file.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace haloscope::render {

namespace {

using namespace compute::splotch;

// The unit of a field in words, from the first type that has it.
std::string unit_of(const SnapshotInfo& info, Role field, const std::string& otherwise) {
  for (const auto& [number, type] : info.types)
    if (const FieldInfo* found = type.find(field))
      if (!found->unit.empty()) return found->unit;
  return otherwise;
}

std::string length_unit(const SnapshotInfo& info) {
  return unit_of(info, Role::Position, "code length");
}

std::string mass_unit(const SnapshotInfo& info) {
  return unit_of(info, Role::Mass, io::mass_unit(info.units));
}

std::string field_unit(const SnapshotInfo& info, const std::vector<int>& types,
                       const std::string& field) {
  for (int type : types) {
    const auto plan = io::plan_field(info, type, field);
    if (!plan.unit.empty()) return plan.unit;
  }
  return "code unit";
}

Ranging color_range(const RenderRequest& request, const io::ProjectedMap& map) {
  const Ranging log =
      quantile_range(map.values.data(), map.values.size(), Transform::Log, 0.01, 0.999);
  const Ranging linear =
      quantile_range(map.values.data(), map.values.size(), Transform::Linear, 0.01, 0.99);
  const bool positive = request.range ? (*request.range)[0] > 0 : linear.low >= 0;
  Ranging range = positive && log.high > log.low ? log : linear;
  if (request.range) {
    range.low = transformed(float((*request.range)[0]), range.transform);
    range.high = transformed(float((*request.range)[1]), range.transform);
  }
  return range;
}

Image8 colored(const RenderRequest& request, const io::ProjectedMap& map) {
  const auto palette = find_palette(request.palette.empty() ? "viridis" : request.palette);
  const Ranging range = color_range(request, map);
  const float width = range.high - range.low;
  Image8 picture(map.width, map.height, 3);
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    // No mass, and a logarithm that does not exist, get the lowest color.
    const float value = transformed(map.values[i], range.transform);
    const float t = width > 0 ? (value - range.low) / width : value >= range.high ? 1.f : 0.f;
    const auto rgb = sample(palette, std::isfinite(t) ? t : 0.f);
    for (std::size_t c = 0; c < 3; ++c)
      picture.pixels[3 * i + c] = std::uint8_t(std::lround(255 * rgb[c]));
  }
  return picture;
}

}  // namespace

io::ProjectedMap make_map(const RenderRequest& request, const SnapshotInfo& info,
                          const std::vector<int>& types, const View& view, const ImageF& image,
                          const std::map<std::string, std::string>& provenance) {
  io::ProjectedMap map;
  map.width = image.width;
  map.height = image.height;
  const std::size_t pixels = std::size_t(map.width) * std::size_t(map.height);
  map.values.resize(pixels);
  const bool mean = !request.mean_field.empty();
  for (std::size_t i = 0; i < pixels; ++i) {
    const float mass = image.pixels[3 * i];
    map.values[i] = !mean      ? mass
                    : mass > 0 ? image.pixels[3 * i + 1] / mass
                               : std::numeric_limits<float>::quiet_NaN();
  }
  map.length_unit = length_unit(info);
  map.quantity = mean ? "mean:" + request.mean_field : "surface_density";
  map.unit = mean ? field_unit(info, types, request.mean_field)
                  : fmt::format("({})/({})^2", mass_unit(info), map.length_unit);
  map.extent = map_extent(view);
  const double pixel = view.ortho_width / view.width;
  map.pixel_size = {pixel, pixel};
  map.provenance = provenance;
  return map;
}

void write_map(const RenderRequest& request, const io::ProjectedMap& map) {
  const std::string extension = lower_extension(request.output);
  if (extension == ".hdf5" || extension == ".h5") return io::write_map_hdf5(request.output, map);
  ImageText text(map.provenance.begin(), map.provenance.end());
  text["quantity"] = map.quantity;
  text["units"] = map.unit;
  text["extent"] = fmt::format("{:.17g},{:.17g},{:.17g},{:.17g}", map.extent[0], map.extent[1],
                               map.extent[2], map.extent[3]);
  text["extent_unit"] = map.length_unit;
  text["pixel_size"] = fmt::format("{:.17g},{:.17g}", map.pixel_size[0], map.pixel_size[1]);
  if (extension == ".png") return write_image8(request.output, colored(request, map), text);
  ImageF image(map.width, map.height, 1);
  image.pixels = map.values;
  write_exr(request.output, image, ExrPrecision::Float, {}, text);
}

}  // namespace haloscope::render
