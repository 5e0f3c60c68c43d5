#include "analysis/halos/halo_colors.h"
#include "analysis/halos/halo_search.h"
#include "analysis/options/option_values.h"
#include "core/array.h"
#include "render/scene/snapshot_scene.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <variant>

namespace haloscope::render {

namespace {

// A value in file order, the renderer's copy of it, and the same in its own order.
constexpr std::uint64_t kBytesToRecolor = 3 * sizeof(float);

}  // namespace

// Before the particles that are drawn are read: a search has its own, and gives them up again.
void SnapshotScene::search_halos_to_color() {
  if (!request_.color_by_halo) return;
  if (map_ || request_.selection.any()) {
    plan_.said.push_back(
        map_ ? "A map has no colors of halos."
             : "Halos are those of all particles, of which a part is drawn: particles keep "
               "their own colors.");
    return;
  }
  const analysis::HaloOptions& options = *request_.color_by_halo;
  const ScopedTimer timer(statistics_.timings, "halos");
  const analysis::HaloSearchRequest asked{options, request_.compute.device, false};
  found_colors_ = std::make_shared<analysis::HaloColors>(
      analysis::halo_colors(analysis::search_halos(*reader_, asked, context_.progress), options));
  if (found_colors_->halos == 0) found_colors_.reset();
  plan_.said.push_back(
      found_colors_
          ? fmt::format("Particles have the colors of their halos: {} halos of {} members or "
                        "more, linking length {:.6g}.",
                        found_colors_->halos, options.min_members, found_colors_->linking_length)
          : fmt::format("No halo has {} members or more: particles keep their own colors.",
                        options.min_members));
}

void SnapshotScene::color_by_halo(std::shared_ptr<const analysis::HaloColors> colors) {
  // Asked for with every picture: what failed was told then, and trying again would cost each time.
  if (colors && colors == failed_halo_colors_.lock()) return;
  failed_halo_colors_.reset();
  if (colors == halo_colors_) return;
  try {
    if (colors)
      recolor(*colors);
    else
      renderer_->recolor({});
  } catch (...) {
    // Some types may have other values already, or those of the halos before.
    halo_colors_.reset();
    failed_halo_colors_ = colors;
    renderer_->recolor({});
    throw;
  }
  halo_colors_ = std::move(colors);
}

void SnapshotScene::recolor(const analysis::HaloColors& colors) {
  std::uint64_t particles = 0;
  for (const std::uint64_t count : counts_) particles += count;
  require_host_memory(particles * kBytesToRecolor, "colors of halos");
  std::vector<std::vector<float>> values;
  std::vector<const float*> columns;
  for (std::size_t k = 0; k < types_.size(); ++k) {
    values.push_back(analysis::color_values(colors, types_[k], counts_[k], rejected_rows_[k]));
    columns.push_back(values.back().data());
  }
  renderer_->recolor(columns);
}

std::vector<compute::splotch::Appearance> SnapshotScene::drawn_appearances() const {
  auto drawn = appearances_;
  if (halo_colors_)
    for (auto& appearance : drawn) analysis::look_like_halos(appearance);
  return drawn;
}

void SnapshotScene::describe_halos(nlohmann::json& scene) const {
  if (!halo_colors_) return;
  nlohmann::json& said = scene["color_by_halo"];
  said["halos"] = halo_colors_->halos;
  for (const analysis::OptionValue& one : analysis::values_of(halo_colors_->options))
    if (!one.standard)
      std::visit([&](const auto& value) { said[one.state_name()] = value; }, one.value);
}

}  // namespace haloscope::render
