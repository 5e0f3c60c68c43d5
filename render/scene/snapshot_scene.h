#pragma once

#include "analysis/run_context.h"
#include "analysis/snapshot/resident_points.h"
#include "analysis/snapshot/row_parts.h"
#include "analysis/snapshot/statistics.h"
#include "compute/exec/device.h"
#include "compute/splotch/renderer.h"
#include "core/particles.h"
#include "io/snapshot_reader.h"
#include "render/camera.h"
#include "render/scene/choose_looks.h"
#include "render/scene/color_limits.h"
#include "render/scene/drawn_radii.h"
#include "render/scene/lengths_over_ranks.h"
#include "render/scene/loaded_particles.h"
#include "render/scene/mesh_cells.h"
#include "render/scene/particle_coloring.h"
#include "render/scene/render_request.h"
#include "render/scene/scene_description.h"
#include "render/scene/scene_looks.h"
#include "render/scene/shown_sets.h"
#include "render/scene/slice_picture.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::render {

// A snapshot made ready to be drawn: opened, read, its missing smoothing lengths found, copied to
// the device; then any number of pictures of it. `haloscope render`, films and the window draw
// through it, so that one view gives the same pixels everywhere.
//
// It owns the parts and brings them together: what was loaded (LoadedParticles), how it looks
// (SceneLooks), the limits of its colors (color_limits.h), what particles have in place of their
// own colors (ParticleColoring), and the words about all this (scene_description.h).
//
// Where the context has ranks, each reads its part of the rows and draws it; all of them call the
// same functions, and the first gets the pictures. What hangs on all particles (colors, lengths,
// what is shown) is that of one process.
//
// Of the request it takes the snapshot, what to read of it, how it looks and how to compute; size,
// camera and outputs are the caller's.
class SnapshotScene {
 public:
  // Opens the snapshot and decides what to read, and where to compute. Throws Error for names that
  // it does not have, for a device that cannot be had, and for what ranks cannot draw; no particle
  // has been read then.
  SnapshotScene(const RenderRequest& request, analysis::RunContext& context);

  // Call before load() where histograms() are wanted.
  void want_histograms() { wants_histograms_ = true; }
  // Reads, finds lengths and copies to the device; searches first for the colors that particles are
  // to have. Throws Error and Cancelled.
  void load();
  // Per type, the values of its color as they were read; empty for one color and for RGB.
  const std::vector<analysis::FieldHistograms>& histograms() const { return loaded_.histograms(); }
  // After that, other particles of the same types and fields, which some other way was read or made
  // (cleaned by render::clean_columns); limits of the colors stay as they are. `radii`: per type,
  // smoothing lengths in place of those that it lacks, or null: the renderer estimates them.
  void show(const ParticleSet& particles, const std::vector<const float*>& radii,
            Progress& progress);

  const SnapshotInfo& info() const { return info_; }
  const io::LoadRequest& load_request() const { return plan_.load; }
  // Host memory that load() takes at once for the whole snapshot, whose parts ranks have. 0: of a
  // region, which is not known yet.
  std::uint64_t loading_memory() const;
  // How lengths that the file lacks are come by.
  analysis::LengthsChoice lengths_choice() const {
    return render::lengths_choice(request_, device_);
  }
  // With the fields' names as the snapshot writes them.
  const RenderRequest& request() const { return request_; }
  const std::vector<int>& types() const { return loaded_.types(); }
  compute::Device device() const { return device_; }
  compute::splotch::Renderer& renderer() { return *renderer_; }
  // How each type of types() looks; who changes the appearances changes the next picture.
  const std::vector<TypeLook>& looks() const { return looks_.looks; }
  std::vector<compute::splotch::Appearance>& appearances() { return looks_.appearances; }
  const std::vector<compute::splotch::Appearance>& appearances() const {
    return looks_.appearances;
  }

  // What a first picture shows (first_bounds); of a map of a set without a box, with all kernels.
  const Bounds& shown() const { return shown_; }
  // Where the positions are that load() has read; null: not all of the snapshot's particles of the
  // types that are drawn, or others are shown.
  std::shared_ptr<const analysis::ResidentPoints> resident_points() const { return resident_; }
  // Gives the particles the colors of a finding from now on, or their own colors again; it must be
  // one of the scene's snapshot. Not of maps. Throws as ParticleColoring::set.
  void color_by(ParticleColors colors);

  // Those that particles have in place of their own.
  const ParticleColors& colors() const { return coloring_.colors(); }

  // Shows sets of the scene's snapshot from now on, or none. Not of maps and classic pictures,
  // which have no tints. Throws as SetColoring::set.
  void show_sets(ShownSets sets);
  // The same of particles that were shown (show()), by their labels.
  void show_sets(ShownSets sets, const SetLabels& labels);
  const ShownSets& sets() const { return sets_.sets(); }

  // What lies over pictures, if the request wants it: who writes them draws it (with_slice()).
  const ShownSlice& slice() const { return slice_; }

  // A camera of that size that sees shown(), unless `choice` says otherwise.
  compute::splotch::View view(const CameraChoice& choice, PixelSize size) const;

  // Linear light, optical depths or a map, by the request's mode; nothing on other ranks than the
  // first; `sample`: of one out of so many particles; `keep_on_device`: left on the GPU where one
  // draws, maps apart.
  compute::splotch::Frame draw(const compute::splotch::View& view, Progress& progress,
                               int sample = 1, bool keep_on_device = false);
  // Draws what lies in it from now on.
  void set_slab(const SlabChoice& slab) { request_.slab = slab; }
  // Draws that map from now on, or light. Its field must be the color of its type (looks()).
  void set_map(const MapLook& map) { request_.map = map; }
  // The same bits in every run from now on, or the fastest way.
  void set_deterministic(bool on) { request_.compute.deterministic = on; }
  // What loading and all drawing since cost; peaks of memory up to now.
  const analysis::Statistics& statistics();

  // The color whose limits can be set (color_limits.h). Whether there is one is known before
  // load().
  bool has_color_range() const { return render::has_color_range(request_, looks_.looks); }
  std::optional<std::array<double, 2>> color_range() const {
    return render::color_range(request_, looks_);
  }
  void set_color_range(const std::array<double, 2>& limits) {
    render::set_color_range(request_, limits, looks_);
  }
  double transformed_limit(double limit) const {
    return render::transformed_limit(request_, looks_, limit);
  }

  // Writes smoothing lengths that were searched for and are worth keeping beside the snapshot.
  void keep_lengths();

  // Everything that decides the pixels of a picture but its exposure's zero point.
  nlohmann::json describe(const compute::splotch::View& view) const;
  // What was drawn, assumed and chosen, a sentence each.
  std::vector<std::string> sentences() const;
  // Adds one to those.
  void note(const std::string& sentence) { notes_.push_back(sentence); }

 private:
  // The scene was loaded as a map.
  bool is_map() const { return request_.mode == compute::splotch::Mode::Map; }
  bool several() const;  // ranks
  compute::Ranks& ranks() const;
  DescribedScene described() const { return {request_, info_, loaded_, looks_}; }
  void read();
  void find_lengths();
  void upload();
  void find_sets();
  void note_resident(const Domain& domain);
  void keep_cells();
  bool draws_cells(const compute::splotch::View& view, int sample);
  const std::vector<double>& largest_radii();
  double largest_radius();
  double widest(const std::vector<compute::splotch::Appearance>& appearances);

  RenderRequest request_;
  compute::Device device_;
  analysis::RunContext& context_;
  std::unique_ptr<io::SnapshotReader> reader_;
  std::optional<analysis::RowParts> parts_;  // of several ranks
  LengthsOverRanks of_ranks_;
  SnapshotInfo info_;
  LookPlan plan_;
  LoadedParticles loaded_;
  SceneLooks looks_;
  ParticleColoring coloring_;
  SetColoring sets_;
  ShownSlice slice_;
  Bounds shown_;
  std::optional<MeshCells> cells_;  // where a map by cells was asked for
  double extent_ = 0;               // longest side of what a first picture shows
  std::unique_ptr<compute::splotch::Renderer> renderer_;
  std::vector<double> largest_radii_;  // of each type's particles; empty: not looked for yet
  std::vector<std::string> files_;     // behind the snapshot
  analysis::FileStamps stamps_;        // of them, before they were read
  std::shared_ptr<const analysis::ResidentPoints> resident_;
  bool wants_histograms_ = false;
  std::vector<std::string> notes_;  // sentences
  analysis::Statistics statistics_;
};

}  // namespace haloscope::render
