#pragma once

#include "analysis/halos/halo_colors.h"
#include "analysis/run_context.h"
#include "analysis/snapshot/field_histogram.h"
#include "analysis/snapshot/smoothing_lengths.h"
#include "analysis/snapshot/statistics.h"
#include "compute/splotch/renderer.h"
#include "core/particles.h"
#include "io/snapshot_reader.h"
#include "render/camera.h"
#include "render/scene/choose_looks.h"
#include "render/scene/render_request.h"
#include "render/scene/scene.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::render {

// A snapshot made ready to be drawn: opened, read, its missing smoothing lengths found, copied to
// the device; then any number of pictures of it. `haloscope render`, films and the window draw
// through it, so that one view gives the same pixels everywhere.
//
// Of the request it takes the snapshot, what to read of it, how it looks and how to compute; size,
// camera and outputs are the caller's.
class SnapshotScene {
 public:
  // Opens the snapshot and decides what to read. Throws Error for names that it does not have; no
  // particle has been read then.
  SnapshotScene(const RenderRequest& request, analysis::RunContext& context);

  // Call before load() where histograms() are wanted.
  void want_histograms() { wants_histograms_ = true; }
  // Reads, finds lengths and copies to the device; finds halos first where particles are to have
  // their colors. Throws Error and Cancelled.
  void load();
  // Per type, the values of its color as they were read; empty for one color and for RGB.
  const std::vector<analysis::FieldHistograms>& histograms() const { return histograms_; }
  // After that, other particles of the same types and fields, which some other way was read or made
  // (cleaned by render::clean_columns); limits of the colors stay as they are. `radii`: per type,
  // smoothing lengths in place of those that it lacks, or null: the renderer estimates them.
  void show(const ParticleSet& particles, const std::vector<const float*>& radii,
            Progress& progress);

  const SnapshotInfo& info() const { return info_; }
  const io::LoadRequest& load_request() const { return plan_.load; }
  // How lengths that the file lacks are come by.
  analysis::LengthsChoice lengths_choice() const;
  // With the fields' names as the snapshot writes them.
  const RenderRequest& request() const { return request_; }
  const std::vector<int>& types() const { return types_; }
  compute::splotch::Renderer& renderer() { return *renderer_; }
  // How each type of types() looks; who changes the appearances changes the next picture.
  const std::vector<TypeLook>& looks() const { return plan_.looks; }
  std::vector<compute::splotch::Appearance>& appearances() { return appearances_; }
  const std::vector<compute::splotch::Appearance>& appearances() const { return appearances_; }

  // What a first picture shows: the box, the region that was selected or, of a zoom simulation, is
  // of high resolution, or where the particles are; of a map of a set without a box, with all
  // kernels.
  const Bounds& shown() const { return shown_; }
  // Colors the particles by their halo from now on, or by their own colors again (null); the
  // halos must be those of the scene's snapshot. Not of maps. Throws Error; particles have their
  // own colors then, and the same halos, asked for again and again, change nothing and throw no
  // more until others or none were asked for.
  void color_by_halo(std::shared_ptr<const analysis::HaloColors> colors);

  // A camera of that size that sees shown(), unless `choice` says otherwise.
  compute::splotch::View view(const CameraChoice& choice, PixelSize size) const;

  // Linear light, optical depths or a map, by the request's mode; `sample`: of one out of so many
  // particles; `keep_on_device`: left on the GPU where one draws, maps apart.
  compute::splotch::Frame draw(const compute::splotch::View& view, Progress& progress,
                               int sample = 1, bool keep_on_device = false);
  // The same bits in every run from now on, or the fastest way.
  void set_deterministic(bool on) { request_.compute.deterministic = on; }
  // What loading and all drawing since cost; peaks of memory up to now.
  const analysis::Statistics& statistics();

  // Whether limits can be set: there is a color that --color names, or only one. Known before
  // load().
  bool has_color_range() const;
  // Limits of the color that --color names, or of the only color that there is, in transformed
  // units (3.5 of a logarithmic color means 10^3.5); nothing where there is no such color.
  std::optional<std::array<double, 2>> color_range() const;
  void set_color_range(const std::array<double, 2>& transformed);
  // A limit in the field's own units in transformed ones. Throws Error where the color is
  // logarithmic and the limit not positive.
  double transformed_limit(double limit) const;

  // Writes smoothing lengths that were searched for and are worth keeping beside the snapshot.
  void keep_lengths();

  // Everything that decides the pixels of a picture but its exposure's zero point.
  nlohmann::json describe(const compute::splotch::View& view) const;
  // What was drawn, assumed and chosen, a sentence each.
  std::vector<std::string> sentences() const;
  // Adds one to those.
  void note(const std::string& sentence) { plan_.said.push_back(sentence); }

 private:
  Bounds box() const;
  std::optional<Bounds> selected_region() const;
  std::optional<Bounds> high_resolution_region() const;
  Bounds first_bounds();
  double largest_radius() const;
  void match_names();
  void prepare(ParticleSet particles);
  void find_lengths();
  bool needs_cap(const ParticleColumns& columns) const;
  std::vector<const float*> missing_radii(const ParticleSet& particles,
                                          const std::vector<const float*>& found,
                                          std::vector<std::vector<float>>& capped);
  std::vector<std::vector<float>> estimate_compact(const ParticleSet& particles,
                                                   const std::vector<const float*>& found);
  void upload();
  void set_density_colors(const Scene& scene);
  void count_colors(const Scene& scene);
  void apply_choices();
  void frame_bounds();
  bool has_box() const { return info_.periodic && info_.box_size > 0; }
  bool is_whole_box(const compute::splotch::View& view) const;
  void tell_outside(const ImageF& image, const compute::splotch::View& view, bool margin_too_small);
  bool is_ranged(std::size_t k) const;
  double in_field_units(std::size_t k, double limit) const;
  void search_halos_to_color();
  void recolor(const analysis::HaloColors& colors);
  std::vector<compute::splotch::Appearance> drawn_appearances() const;
  nlohmann::json describe_colors() const;
  void describe_halos(nlohmann::json& scene) const;
  void describe_light(nlohmann::json& scene) const;
  void describe_choices(nlohmann::json& scene) const;
  std::vector<std::string> length_sentences() const;

  RenderRequest request_;
  analysis::RunContext& context_;
  bool map_;
  std::unique_ptr<io::SnapshotReader> reader_;
  SnapshotInfo info_;
  LookPlan plan_;
  Bounds shown_;
  double mass_ = 0;    // of all particles that are drawn
  double extent_ = 0;  // longest side of what a first picture shows
  std::unique_ptr<compute::splotch::Renderer> renderer_;
  ParticleSet particles_;
  std::vector<compute::splotch::Appearance> appearances_;
  bool wants_histograms_ = false;
  std::vector<analysis::FieldHistograms> histograms_;
  std::vector<int> types_;
  std::vector<std::string> names_;
  std::vector<std::size_t> asked_index_;  // place of each type in the order of --types
  std::vector<std::uint64_t> counts_, estimated_;
  // Per type, rows of the file that are not among counts_.
  std::vector<std::vector<std::uint64_t>> rejected_rows_;
  // Of a search of its own, and those that particles have now.
  std::shared_ptr<const analysis::HaloColors> found_colors_, halo_colors_;
  std::weak_ptr<const analysis::HaloColors>
      failed_halo_colors_;  // asked for last, could not be had
  analysis::SmoothingLengths lengths_{analysis::LengthsChoice{}};
  analysis::Statistics statistics_;
};

}  // namespace haloscope::render
