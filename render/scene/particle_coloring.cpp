#include "render/scene/particle_coloring.h"

#include "analysis/halos/halo_search.h"
#include "analysis/options/option_values.h"
#include "core/array.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>
#include <variant>

namespace haloscope::render {

namespace {

// A value in file order, the renderer's copy of it, and the same in its own order.
constexpr std::uint64_t kBytesToRecolor = 3 * sizeof(float);

void recolor(const analysis::HaloColors& colors, const LoadedParticles& loaded,
             compute::splotch::Renderer& renderer) {
  std::uint64_t particles = 0;
  for (const std::uint64_t count : loaded.counts()) particles += count;
  require_host_memory(particles * kBytesToRecolor, "colors of halos");
  std::vector<std::vector<float>> values;
  std::vector<const float*> columns;
  for (std::size_t k = 0; k < loaded.types().size(); ++k) {
    values.push_back(analysis::color_values(colors, loaded.types()[k], loaded.counts()[k],
                                            loaded.rejected_rows()[k]));
    columns.push_back(values.back().data());
  }
  renderer.recolor(columns);
}

}  // namespace

SearchedColors search_colors(const RenderRequest& request, const io::SnapshotReader& reader,
                             Timings& timings, Progress& progress) {
  if (!request.color_by_halo) return {};
  if (request.mode == compute::splotch::Mode::Map)
    return {nullptr, "A map has no colors of halos."};
  if (request.selection.any())
    return {nullptr,
            "Halos are those of all particles, of which a part is drawn: particles keep their own "
            "colors."};
  const analysis::HaloOptions& options = *request.color_by_halo;
  const ScopedTimer timer(timings, "halos");
  const analysis::HaloSearchRequest asked{options, request.compute.device, false};
  const auto found = std::make_shared<analysis::HaloColors>(
      analysis::halo_colors(analysis::search_halos(reader, asked, progress), options));
  if (found->halos == 0)
    return {nullptr, fmt::format("No halo has {} members or more: particles keep their own colors.",
                                 options.min_members)};
  return {found, fmt::format("Particles have the colors of their halos: {} halos of {} members or "
                             "more, linking length {:.6g}.",
                             found->halos, options.min_members, found->linking_length)};
}

void ParticleColoring::set(ParticleColors colors, const LoadedParticles& loaded,
                           compute::splotch::Renderer& renderer) {
  // Asked for with every picture: what failed was told then, and trying again would cost each time.
  if (colors && colors == failed_.lock()) return;
  failed_.reset();
  if (colors == colors_) return;
  try {
    if (colors)
      recolor(*colors, loaded, renderer);
    else
      renderer.recolor({});
  } catch (...) {
    // Some types may have other values already, or those of the halos before.
    colors_.reset();
    failed_ = colors;
    renderer.recolor({});
    throw;
  }
  colors_ = std::move(colors);
}

void ParticleColoring::adapt(std::vector<compute::splotch::Appearance>& appearances) const {
  if (!colors_) return;
  for (auto& appearance : appearances) analysis::look_like_halos(appearance);
}

void ParticleColoring::describe(nlohmann::json& scene) const {
  if (!colors_) return;
  nlohmann::json& described = scene["color_by_halo"];
  described["halos"] = colors_->halos;
  for (const analysis::OptionValue& one : analysis::values_of(colors_->options))
    if (!one.standard)
      std::visit([&](const auto& value) { described[one.state_name()] = value; }, one.value);
}

}  // namespace haloscope::render
