#include "render/scene/choose_looks.h"

#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/match_field.h"
#include "compute/splotch/ranging.h"
#include "core/error.h"
#include "core/particles.h"
#include "io/loading/derived_fields.h"
#include "render/colors/palette.h"
#include "render/scene/default_looks.h"
#include "render/scene/prepare_particles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace haloscope::render {

namespace {

using compute::splotch::Mode;
using compute::splotch::Transform;

constexpr double kLogarithmicSpan = 30;
constexpr int kDarkMatter = 1;

bool has_scalar(const SnapshotInfo& info, int type, const std::string& field) {
  const TypeInfo& one = info.types.at(type);
  if (const FieldInfo* stored = one.find(field)) return stored->components == 1;
  for (const auto& derived : io::derived_fields(info, type))
    if (derived.name == field) return true;
  return false;
}

void choose_default_color(const SnapshotInfo& info, int type, TypeLook& look) {
  look.transform = Transform::Log;
  if (is_compact(look_of(info, type))) {
    look.color.clear();  // stars and black holes: one color
    return;
  }
  look.color = kLocalDensity;
  if (type == 0)
    for (const char* field : {"Temperature", "Temperatures", "Density", "Densities"})
      if (has_scalar(info, type, field)) {
        look.color = field;
        return;
      }
}

// The field in a form that can be a color, or the reason why it cannot.
std::optional<std::string> why_no_color(const SnapshotInfo& info, int type,
                                        const std::string& field, bool scalar_only) {
  if (field == kLocalDensity) {
    if (!scalar_only) return {};
    return std::string(kLocalDensity) +
           " is made while a picture is drawn and has no mean in a map: choose a field of the "
           "snapshot (haloscope info lists them)";
  }
  try {
    const int components = io::plan_field(info, type, field).components;
    if (components == 1 || (components == 3 && !scalar_only)) return {};
    return fmt::format("{} of {} has {} components: a color needs 1{}, for example {}[0]", field,
                       info.types.at(type).name, components, scalar_only ? "" : " or 3", field);
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<double> brightness_per_type(const RenderRequest& request, std::size_t types) {
  const auto& b = request.brightness;
  if (b.size() <= 1) return std::vector<double>(types, b.empty() ? 1 : b.front());
  if (b.size() != types)
    throw Error(fmt::format("{} values for {} particle types", b.size(), types), "--brightness",
                "give one value for all, or one per type in the order of --types");
  return b;
}

void apply_color(const SnapshotInfo& info, const RenderRequest& request,
                 const std::vector<int>& types, LookPlan& plan) {
  const bool map = request.mode == Mode::Map;
  const std::string field = map ? request.mean_field : request.color->field;
  std::vector<std::string> with, without;
  std::string first_reason;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::string& name = info.types.at(types[k]).name;
    if (const auto reason = why_no_color(info, types[k], field, map)) {
      if (first_reason.empty()) first_reason = *reason;
      without.push_back(name);
      if (!map) plan.looks[k].palette = default_look(look_of(info, types[k])).palette;
      continue;
    }
    with.push_back(name);
    TypeLook& look = plan.looks[k];
    look.color = field;
    look.range = request.range;
    look.choose_transform = !map && !request.color->transform_given;
    look.transform = map ? Transform::Linear : request.color->transform;
  }
  if (with.empty()) throw Error(first_reason);
  if (request.mode == Mode::Default) {
    plan.one_scale = field;
    plan.choose_one_transform = !request.color->transform_given;
  }
  if (!without.empty())
    plan.notes.push_back(fmt::format("{} is a field of {}; {} {}.", field, fmt::join(with, ", "),
                                     fmt::join(without, ", "),
                                     map ? "left out of the map" : "keep their own color"));
  if (map) {
    // A mean over particles that have no value makes no sense.
    for (std::size_t k = types.size(); k-- > 0;)
      if (plan.looks[k].color != field) {
        const auto at = std::ptrdiff_t(k);
        plan.looks.erase(plan.looks.begin() + at);
        plan.load.types.erase(plan.load.types.begin() + at);
      }
  }
}

// The field that the user chose for a type alone. What else was chosen is applied to the appearance
// (apply_choice in type_choice.h).
void apply_chosen_fields(const SnapshotInfo& info, const RenderRequest& request,
                         const std::vector<int>& types, LookPlan& plan) {
  for (std::size_t k = 0; k < types.size(); ++k) {
    const auto choice = request.choices.find(types[k]);
    if (choice == request.choices.end() || choice->second.field.empty()) continue;
    const std::string field = analysis::match_field(info, {types[k]}, choice->second.field);
    if (const auto reason = why_no_color(info, types[k], field, false)) throw Error(*reason);
    plan.looks[k].color = field;
    plan.looks[k].choose_transform = true;
  }
}

// The field whose mean a map shows, in place of the color of its type's light.
void apply_map_field(const SnapshotInfo& info, const RenderRequest& request,
                     const std::vector<int>& types, LookPlan& plan) {
  if (!request.map.shown) return;
  require_map(info, request.map);
  for (std::size_t k = 0; k < types.size() && !request.map.field.empty(); ++k)
    if (types[k] == *request.map.type) {
      plan.looks[k].color = request.map.field;
      plan.looks[k].choose_transform = true;
      plan.looks[k].range.reset();
    }
}

void require_range_fits(const RenderRequest& request) {
  if (request.range && request.color && request.color->transform == Transform::Log &&
      request.color->transform_given && !((*request.range)[0] > 0))
    throw Error(fmt::format("a logarithmic color cannot begin at {}", (*request.range)[0]),
                "--range", "give positive limits, or use :lin or :asinh");
}

}  // namespace

std::vector<int> drawn_types(const SnapshotInfo& info, const RenderRequest& request) {
  std::vector<int> types = analysis::choose_types(info, request.types);
  if (request.mode == Mode::Map && request.map.cells) {
    if (request.types.empty()) types = {kCellType};
    require_cells(info, types);
  }
  if (!request.types.empty() || request.mode == Mode::Map || request.map.shown ||
      request.hidden_too)
    return types;
  std::vector<int> drawn;
  std::copy_if(types.begin(), types.end(), std::back_inserter(drawn), [&](int type) {
    const auto choice = request.choices.find(type);
    const bool asked = choice != request.choices.end() && choice->second.shown == true;
    return asked || !info.types.at(type).low_resolution;
  });
  return drawn.empty() ? types : drawn;
}

int look_of(const SnapshotInfo& info, int type) {
  const TypeInfo& one = info.types.at(type);
  // What has no word of its own, as type 2 of a cosmological run, is matter and no star.
  const bool unnamed = one.name == fmt::format("type {}", type);
  return one.low_resolution || unnamed ? kDarkMatter : type;
}

void match_fields(const SnapshotInfo& info, RenderRequest& request) {
  if (request.map.shown && request.map.type && info.types.count(*request.map.type) &&
      !request.map.field.empty())
    request.map.field = analysis::match_field(info, {*request.map.type}, request.map.field);
  if (!request.color && request.mean_field.empty()) return;
  const auto types = drawn_types(info, request);
  if (request.color)
    request.color->field = analysis::match_field(info, types, request.color->field);
  if (!request.mean_field.empty())
    request.mean_field = analysis::match_field(info, types, request.mean_field);
}

LookPlan plan_looks(const SnapshotInfo& info, const RenderRequest& request) {
  if (request.map.cells && request.mode == Mode::Default) require_cells(info, {kCellType});
  if (request.map.cells && request.selection.samples())
    throw Error("a sample of the particles has not the cells of the mesh", "cells",
                "draw all of them, or a map by kernels");
  require_range_fits(request);
  const std::vector<int> types = drawn_types(info, request);
  const bool map = request.mode == Mode::Map;
  std::optional<Palette> palette;
  if (!request.palette.empty()) palette = find_palette(request.palette);
  const auto brightness = brightness_per_type(request, types.size());
  LookPlan plan;
  for (std::size_t k = 0; k < types.size(); ++k) {
    TypeLook look = default_look(look_of(info, types[k]));
    look.type = types[k];
    if (info.types.at(types[k]).low_resolution) {
      look.light_of = kDarkMatter;
      look.shown = !request.types.empty();
    }
    if (!map) choose_default_color(info, types[k], look);
    if (palette) look.palette = palette->colors;
    look.asked_brightness = brightness[k];
    look.brightness = brightness[k] * (request.mode == Mode::Classic ? 1 : look.brightness);
    look.smooth = request.smooth;
    if (request.mode == Mode::Classic && has_scalar(info, types[k], "Density"))
      look.intensity = "Density";
    // Without --color, a range is meant for the only color there is.
    if (!request.color) look.range = request.range;
    plan.looks.push_back(look);
    plan.load.types.push_back({types[k], {}, true, true});
  }
  const bool map_field = map && !request.mean_field.empty();
  if (!map) apply_chosen_fields(info, request, types, plan);
  apply_map_field(info, request, types, plan);
  if (map_field || (!map && request.color)) apply_color(info, request, types, plan);
  if (!map && request.range && !request.color && types.size() > 1)
    throw Error("a range needs to know of which field it is", "--range",
                "add --color FIELD, or choose one type with --types");
  for (TypeLook& look : plan.looks)
    if (!palette && !look.color.empty() && look.color != io::kStarColor &&
        request.mode == Mode::Default && is_compact(look_of(info, look.type)))
      look.palette = compact_palette();
  for (std::size_t k = 0; k < plan.looks.size(); ++k) {
    auto& fields = plan.load.types[k].fields;
    for (const std::string& field : {plan.looks[k].color, plan.looks[k].intensity})
      if (!field.empty() && field != kLocalDensity) fields.push_back(field);
  }
  return plan;
}

namespace {

// Where nearly all values of a scalar field lie, in its own units; nothing where it was not read.
std::optional<std::array<double, 2>> span_of(const ParticleColumns& columns,
                                             const std::string& field, compute::Ranks& ranks) {
  const auto stored = columns.fields.find(field);
  if (stored == columns.fields.end() || stored->second.size() != 1) return {};
  const auto range = compute::splotch::quantile_range(stored->second.front().data(),
                                                      compute::PartOfRows(ranks, columns.count),
                                                      Transform::Linear, 0.005, 0.995);
  return std::array<double, 2>{range.low, range.high};
}

Transform transform_for(const TypeLook& look, const std::optional<std::array<double, 2>>& span) {
  if (look.color == kLocalDensity) return Transform::Log;
  const bool positive_limits = !look.range || (*look.range)[0] > 0;
  const bool wide = span && (*span)[0] > 0 && (*span)[1] > kLogarithmicSpan * (*span)[0];
  return wide && positive_limits ? Transform::Log : Transform::Linear;
}

}  // namespace

std::vector<TypeLook> settled_looks(const ParticleSet& particles, const LookPlan& plan,
                                    compute::Ranks& ranks) {
  std::vector<TypeLook> looks;
  std::vector<std::size_t> asked;  // to show the field that was asked for, places in `looks`
  std::optional<std::array<double, 2>> together;
  for (const auto& columns : particles.types) {
    for (TypeLook look : plan.looks) {
      if (look.type != columns.type) continue;
      const auto span = span_of(columns, look.color, ranks);
      if (look.choose_transform) look.transform = transform_for(look, span);
      if (span && look.color == plan.one_scale) {
        if (!together) together = span;
        together = {std::min((*together)[0], (*span)[0]), std::max((*together)[1], (*span)[1])};
        asked.push_back(looks.size());
      }
      looks.push_back(look);
    }
  }
  // One field has one scale, or the same color would mean different values in one picture.
  if (asked.size() > 1)
    for (const std::size_t k : asked) {
      if (plan.choose_one_transform) looks[k].transform = transform_for(looks[k], together);
      const bool possible = looks[k].transform != Transform::Log || (*together)[0] > 0;
      if (!looks[k].range && possible && (*together)[0] < (*together)[1]) looks[k].range = together;
    }
  return looks;
}

}  // namespace haloscope::render
