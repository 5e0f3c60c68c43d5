#include "app/viewer/remote/told_values.h"

#include "app/viewer/panels/scene_words.h"
#include "app/viewer/remote/answer.h"
#include "core/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <variant>

namespace haloscope::app::viewer {

namespace {

using nlohmann::json;

const char* word_of(session::SelectionKind kind) {
  using Kind = session::SelectionKind;
  switch (kind) {
    case Kind::None:
      return "none";
    case Kind::Box:
      return "box";
    case Kind::Sphere:
      return "sphere";
    case Kind::Piece:
      return "piece";
    case Kind::Value:
    case Kind::FoundValue:
      return "value";
    case Kind::Branch:
      return "branch";
    case Kind::Outline:
      return "outline";
    case Kind::Pieces:
      return "pieces";
  }
  return "none";
}

json number_or_null(double value) {
  return std::isfinite(value) ? json(value) : json();
}

// As the catalog has it: whole numbers to the last digit, and several of one row as a list.
json cell_of(const CatalogColumn& column, std::size_t row) {
  const auto several = std::size_t(column.components);
  return std::visit(
      [&](const auto& values) -> json {
        const auto one = [](auto value) -> json {
          if constexpr (std::is_floating_point_v<decltype(value)>)
            return number_or_null(value);
          else
            return value;
        };
        if (several == 1) return one(values[row]);
        json list = json::array();
        for (std::size_t c = 0; c < several; ++c) list.push_back(one(values[row * several + c]));
        return list;
      },
      column.values);
}

// All columns of the catalog that rows of pieces have.
json row_of_catalog(const analysis::Finding& found, std::size_t row) {
  json columns = json::object();
  if (found.catalog.tables.empty() || found.catalog.tables.front().count != found.pieces)
    return columns;
  for (const CatalogColumn& column : found.catalog.tables.front().columns) {
    json& told = columns[column.name];
    told["value"] = cell_of(column, row);
    if (!column.unit.empty()) told["unit"] = column.unit;
  }
  return columns;
}

}  // namespace

json told_snapshot(const SceneModel& model, const session::State& state) {
  json particles = json::object();
  for (std::size_t k = 0; k < model.types.size(); ++k) particles[model.names[k]] = model.counts[k];
  json told{{"snapshot", model.path},       {"number", state.current},
            {"of", state.snapshots.size()}, {"format", model.info.format},
            {"time", model.info.time},      {"particles", particles},
            {"low", model.bounds.low},      {"high", model.bounds.high}};
  if (model.info.box_size > 0) told["box_size"] = model.info.box_size;
  if (const auto redshift = model.info.cosmology.redshift) told["redshift"] = *redshift;
  if (const auto unit = length_unit(model); !unit.empty()) told["length_unit"] = unit;
  return told;
}

json told_camera(const session::Camera& camera, int width, int height) {
  json told{{"center", camera.center},
            {"eye", session::eye_of(camera)},
            {"right", session::right_of(camera)},
            {"up", session::up_of(camera)},
            {"distance", camera.distance},
            {"projection", camera.perspective ? "perspective" : "orthographic"},
            {"width_at_center", session::width_at(camera, camera.distance)},
            {"pixels", {width, height}}};
  if (camera.perspective) told["fov"] = camera.fov_degrees;
  return told;
}

json told_value(const std::optional<MapValue>& value) {
  if (!value) return {{"value", nullptr}};
  return {{"quantity", value->quantity}, {"value", value->value}, {"unit", value->unit}};
}

json told_structures(const analysis::Finding& found, const session::State& state) {
  json columns = json::array(), fields = json::array(), plots = json::array();
  for (const auto& column : found.columns) columns.push_back(column.title);
  for (const auto& [name, field] : found.fields) fields.push_back(name);
  for (const auto& plot : found.plots) plots.push_back(plot.name);
  json told{{"finder", found.finder}, {"count", found.pieces}, {"summary", found.summary},
            {"columns", columns},     {"fields", fields},      {"plots", plots}};
  if (const auto selected = state.finding(found.finder).selected) told["selected"] = *selected;
  return told;
}

json told_piece(const analysis::Finding& found, std::uint64_t number) {
  if (number >= found.pieces)
    throw Error(fmt::format("there is no number {}: {} were found", number, found.pieces),
                "tell piece " + found.finder, "numbers begin with 0");
  const auto k = std::size_t(number);
  json told{{"finder", found.finder}, {"number", number}};
  if (k < found.places.size()) {
    told["center"] = found.places[k].center;
    told["radius"] = number_or_null(found.places[k].radius);
  }
  json properties = json::object();
  for (const auto& column : found.columns) {
    if (k >= column.values.size()) continue;
    json property{{"value", number_or_null(column.values[k])}};
    if (column.whole && std::isfinite(column.values[k]))
      property["value"] = std::llround(column.values[k]);
    if (!column.unit.empty()) property["unit"] = column.unit;
    properties[column.title] = property;
  }
  told["properties"] = properties;
  if (const auto row = row_of_catalog(found, k); !row.empty()) told["catalog"] = row;
  return told;
}

json told_selection(const session::SelectionState& selection,
                    const analysis::SelectionCount& count) {
  json particles = json::object();
  for (const auto& type : count.types) particles[type.name] = type.selected;
  json told{
      {"kind", word_of(selection.kind)}, {"count", count.selected()}, {"particles", particles}};
  if (const auto mass = count.mass()) {
    told["mass"] = *mass;
    told["mass_unit"] = count.mass_unit;
  }
  if (count.sought) {
    told["ids_sought"] = *count.sought;
    told["ids_found"] = count.found;
  }
  return told;
}

json told_picture(const std::string& png, int width, int height) {
  return {{"width", width}, {"height", height}, {"format", "png"}, {"base64", as_base64(png)}};
}

}  // namespace haloscope::app::viewer
