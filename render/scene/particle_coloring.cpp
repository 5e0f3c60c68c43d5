#include "render/scene/particle_coloring.h"

#include "analysis/finder.h"
#include "analysis/option_parsing/option_values.h"
#include "compute/exec/named_range.h"
#include "core/array.h"
#include "render/scene/type_choice.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>
#include <variant>

namespace haloscope::render {

namespace {

// A value in file order, the renderer's copy of it, and the same in its own order.
constexpr std::uint64_t kBytesToRecolor = 3 * sizeof(float);

// Where the labels are on the device that draws, they need not come to the host.
bool recolor_there(const ParticleColors& colors, const LoadedParticles& loaded,
                   compute::splotch::Renderer& renderer) {
  const analysis::ResidentPieces& resident = colors.finding->resident;
  const auto labels = resident.labels.lock();
  if (!colors.field.empty() || !labels) return false;
  std::vector<compute::splotch::LabeledType> types;
  for (std::size_t k = 0; k < loaded.types().size(); ++k) {
    compute::splotch::LabeledType type;
    type.colors = analysis::kPieceColors;
    const auto found = resident.of.find(loaded.types()[k]);
    if (found != resident.of.end()) {
      const analysis::OwnRows& own = loaded.own_rows()[k];
      if (found->second.count != own.kept_in_total) return false;  // color_values() tells
      type.labels = labels.get();
      type.first = found->second.first + std::uint32_t(own.kept_before);
      type.count = std::uint32_t(loaded.own_counts()[k]);
    }
    types.push_back(type);
  }
  return renderer.recolor_by(types);
}

void recolor(const ParticleColors& colors, const LoadedParticles& loaded,
             compute::splotch::Renderer& renderer) {
  if (recolor_there(colors, loaded, renderer)) return;
  std::uint64_t particles = 0;
  for (const std::uint64_t count : loaded.own_counts()) particles += count;
  require_host_memory(particles * kBytesToRecolor, "colors of what was found");
  std::vector<std::vector<float>> values;
  std::vector<const float*> columns;
  for (std::size_t k = 0; k < loaded.types().size(); ++k) {
    values.push_back(analysis::color_values(colors, loaded.types()[k], loaded.own_counts()[k],
                                            loaded.rejected_rows()[k], loaded.own_rows()[k]));
    columns.push_back(values.back().data());
  }
  renderer.recolor(columns);
}

void describe_field(const ParticleColors& colors, nlohmann::json& described) {
  static const char* const kTransforms[] = {"lin", "log", "asinh"};
  const auto color = field_color(colors);
  described["field"] = colors.field;
  described["palette"] = field_palette(colors.look);
  described["transform"] = kTransforms[int(color.transform)];
  described["transformed_range"] = {color.low, color.high};
}

}  // namespace

compute::splotch::Ranging field_color(const ParticleColors& colors) {
  const auto& field = colors.finding->fields.at(colors.field);
  return chosen_color(colors.look, analysis::ranging_of(field));
}

std::string field_palette(const analysis::ColorChoice& look) {
  return look.color_map.empty() ? kFieldPalette : look.color_map;
}

SearchedColors search_colors(const RenderRequest& request, compute::Device device,
                             const io::SnapshotReader& reader, Timings& timings,
                             Progress& progress) {
  if (!request.color_by) return {};
  const ColorSearch& asked = *request.color_by;
  const std::string what = analysis::coloring_in_words(asked.finder, asked.field);
  if (request.mode == compute::splotch::Mode::Map || request.map.shown)
    return {{}, fmt::format("A map has no colors of {}.", what)};
  if (request.selection.any())
    return {{},
            fmt::format("{} are those of all particles, of which a part is drawn: particles keep "
                        "their own colors.",
                        analysis::capitalized(what))};
  const compute::TimedRange timer(timings, asked.finder.c_str());
  analysis::FindRequest search;
  search.device = device;
  search.only_labels = asked.field.empty() && !asked.measured;
  const auto found = analysis::find_in(reader, asked.finder, asked.options, search, progress);
  if (!analysis::has_colors(*found, asked.field))
    return {{}, fmt::format("{}: particles keep their own colors.", found->summary)};
  if (!asked.field.empty())
    return {{found, asked.field, asked.look},
            fmt::format("Particles have the colors of {}: {}.", asked.field, found->summary)};
  return {{found, {}},
          fmt::format("Particles have the colors of their {}: {}.", what, found->summary)};
}

void ParticleColoring::set(ParticleColors colors, const LoadedParticles& loaded,
                           compute::splotch::Renderer& renderer) {
  // Asked for with every picture: what failed was told then, and trying again would cost each time.
  if (colors && colors.finding == failed_.lock() && colors.field == failed_field_) return;
  failed_.reset();
  if (colors.same_values(colors_)) {
    // The finding too: of the one before, what is measured may have taken the place.
    colors_ = std::move(colors);
    return;
  }
  try {
    if (colors)
      recolor(colors, loaded, renderer);
    else
      renderer.recolor({});
  } catch (...) {
    // Some types may have other values already, or those of the finding before.
    colors_ = {};
    failed_ = colors.finding;
    failed_field_ = colors.field;
    renderer.recolor({});
    throw;
  }
  colors_ = std::move(colors);
  types_ = loaded.types();
}

void ParticleColoring::adapt(std::vector<compute::splotch::Appearance>& appearances) const {
  if (!colors_) return;
  if (colors_.field.empty()) {
    for (auto& appearance : appearances) analysis::look_like_pieces(appearance);
    return;
  }
  const analysis::ParticleField& field = colors_.finding->fields.at(colors_.field);
  const auto ranging = field_color(colors_);
  const auto palette = linear_nodes(field_palette(colors_.look));
  for (std::size_t k = 0; k < appearances.size(); ++k) {
    appearances[k].color = ranging;
    appearances[k].palette = palette;
    if (k < types_.size() && !field.values.count(types_[k])) analysis::look_unknown(appearances[k]);
  }
}

void ParticleColoring::describe(nlohmann::json& scene) const {
  if (!colors_) return;
  const analysis::Finding& finding = *colors_.finding;
  nlohmann::json& described = scene["color_by"];
  described["finder"] = finding.finder;
  described["pieces"] = finding.pieces;
  if (!colors_.field.empty()) describe_field(colors_, described);
  nlohmann::json& options = described["options"] = nlohmann::json::object();
  for (const analysis::OptionValue& one : analysis::values_of(finding.options))
    if (!one.standard) std::visit([&](const auto& value) { options[one.name] = value; }, one.value);
}

}  // namespace haloscope::render
