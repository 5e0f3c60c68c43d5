#pragma once

#include "compute/exec/device.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"
#include "compute/exec/resident_labels.h"
#include "compute/spatial/points.h"
#include "compute/splotch/device_image.h"
#include "compute/splotch/settings.h"
#include "core/domain.h"
#include "core/image.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::compute::splotch {

// One drawn picture, before any tone curve. Three channels:
// - classic: optical depth τ per color, or with absorption the light L itself;
// - default: linear light, flux per pixel (weight per world area times color);
// - map: channel 0 Σ weight per world area, channel 1 Σ weight · color[0] per world area.
// Row 0 is the first row of the file: classic images have +up pointing down (as Splotch's), others
// are right way up.
struct Frame {
  ImageF image;
  // The picture where Options.keep_on_device was obeyed; `image` is empty then.
  std::shared_ptr<const DeviceImage> on_device;
  Counts counts;  // of the particles that were drawn
  // Of how many particles one was drawn: Options.sample, or a coarser one where only that is on the
  // device, or 1 where no sample is.
  int sample = 1;
  // What a moving camera may be drawn of (samples_for_motion), of the first rank's part.
  std::vector<int> motion_samples;
  // Milliseconds of this frame: project, sort, small, medium, large, levels, composite, total;
  // "draw" is all of it but bringing the image to the host. A strategy that fuses phases reports
  // them under one name. Of several ranks: "wait" for the slowest, "composite" the sums over them,
  // "gather" the picture's way to the first one's host memory.
  Timings timings;
  // What this rank sent to the others for it.
  std::uint64_t sent_bytes = 0;
};

// Labels of one type's particles, which stand side by side in file order.
struct LabeledType {
  const ResidentLabels* labels = nullptr;  // null: none of them has one
  std::uint32_t first = 0, count = 0;      // those of the type among them
  // A particle's value is 0 without a label, else 1 + label modulo this.
  std::uint32_t colors = 1;
};

// Holds particles on one device and draws them. Not thread-safe: one job at a time.
class Renderer {
 public:
  virtual ~Renderer() = default;

  // Copies the particles to the device in Morton order, one entry per type, and fills in radii that
  // are missing from the local spacing. Throws Error where they fit neither on the device nor in
  // host memory.
  virtual void set_particles(const Domain& domain, const std::vector<TypeInput>& types,
                             Progress& progress) = 0;

  // Draws all types; `appearances` has one entry per type.
  virtual Frame render(const View& view, const std::vector<Appearance>& appearances,
                       const Options& options, Progress& progress) = 0;

  // "cpu" or the GPU's name, of others than the first with the word for it.
  virtual std::string device_name() const = 0;
  // The most device memory held at once, bytes; 0 on the CPU.
  virtual std::uint64_t peak_device_memory() const = 0;
  // Per type, how many particles had no radius of their own and got an estimated one.
  virtual std::vector<std::uint64_t> estimated_radii() const = 0;
  // An evenly spaced sample of a type's radii as used, at most `at_most`, in no particular order.
  virtual std::vector<float> radius_sample(std::size_t type, std::size_t at_most) const = 0;
  // Radii in file order, as used (given or estimated), world lengths.
  virtual std::vector<float> radii(std::size_t type) const = 0;

  // A type's positions, which stay where they are as long as anybody keeps them: on this renderer's
  // device, or on the processor where not all types fit there. Not before set_particles().
  virtual std::shared_ptr<const spatial::PointSet> points(std::size_t type) const = 0;

  // Colors particles by other values than their own: per type one value per particle in file order,
  // ranged and looked up as a color column, or null for the type's own colors. An empty list gives
  // all their own again. Holds until the next call or set_particles(). Throws Error where the
  // values fit neither on the device nor in host memory: some types may have them then, so call it
  // with an empty list, which needs no memory that particles cannot do without.
  virtual void recolor(const std::vector<const float*>& values) = 0;
  // The same by labels that are on this renderer's device, of all types, where they go nowhere
  // else. Returns false, and changes nothing, where it cannot: on another device, or where not all
  // particles are in its memory.
  virtual bool recolor_by(const std::vector<LabeledType>&) { return false; }

  // Gives every particle a label below kTints, by which Appearance.tints change its light: per type
  // one per particle in file order, or null for 0. An empty list takes the labels away, and gives
  // back their memory. Holds until the next call or set_particles(). Throws Error where they fit
  // neither on the device nor in host memory; no particle has a label then.
  virtual void label(const std::vector<const std::uint8_t*>& labels) = 0;
};

// `ranks`: each has a renderer with its part of the particles, and they are all made by one of the
// functions below. Ranks make them together, and call render() together, with the same arguments;
// the first gets the picture of all particles, and the others an empty one. Counts are those of
// all. With missing radii filled in from the own part alone: give all of them. Not for pictures
// with absorption or by the paper's scheme, nor for deterministic classic ones; none is kept on a
// device. Null: this process alone. They must outlive the renderer.
std::unique_ptr<Renderer> make_cpu_renderer(Ranks* ranks = nullptr);

// Throws Error where that GPU cannot be used (or this build has no CUDA), saying why.
// `memory_budget`: bytes of particles to keep on the GPU, 0: what it has free. `wire`: how pictures
// go from GPU to GPU. `drawn_at_once`: particles of a type that are drawn at most at once, where
// all are kept on the GPU; 0: as many as there is room for.
std::unique_ptr<Renderer> make_cuda_renderer(Device device, std::uint64_t memory_budget = 0,
                                             Ranks* ranks = nullptr, Wire wire = Wire::Auto,
                                             std::uint64_t drawn_at_once = 0);

inline std::unique_ptr<Renderer> make_renderer(Device device, std::uint64_t memory_budget = 0,
                                               Ranks* ranks = nullptr) {
  return device.is_gpu() ? make_cuda_renderer(device, memory_budget, ranks)
                         : make_cpu_renderer(ranks);
}

}  // namespace haloscope::compute::splotch
