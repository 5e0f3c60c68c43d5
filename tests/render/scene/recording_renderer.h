#pragma once

#include "compute/splotch/renderer.h"
#include "core/error.h"

#include <string>
#include <vector>

namespace haloscope::test {

// Draws nothing and remembers how it was asked to color; on demand it refuses to.
class RecordingRenderer : public compute::splotch::Renderer {
 public:
  std::vector<std::vector<float>> values;  // of the last recolor(), by type
  std::vector<std::uint64_t> counts;       // of particles, by type
  int recolored = 0;
  bool refuses = false;

  void recolor(const std::vector<const float*>& columns) override {
    ++recolored;
    if (refuses && !columns.empty()) throw Error("no memory", "device");
    values.clear();
    for (std::size_t k = 0; k < columns.size(); ++k)
      values.emplace_back(columns[k], columns[k] + counts[k]);
  }

  std::vector<std::vector<std::uint8_t>> labels;  // of the last label(), by type
  int labeled = 0;
  bool refuses_labels = false;

  void label(const std::vector<const std::uint8_t*>& columns) override {
    ++labeled;
    labels.clear();
    if (refuses_labels && !columns.empty()) throw Error("no memory", "device");
    for (std::size_t k = 0; k < columns.size(); ++k)
      labels.emplace_back(columns[k] ? std::vector<std::uint8_t>(columns[k], columns[k] + counts[k])
                                     : std::vector<std::uint8_t>(counts[k], 0));
  }

  void set_particles(const Domain&, const std::vector<compute::splotch::TypeInput>&,
                     Progress&) override {}
  compute::splotch::Frame render(const compute::splotch::View&,
                                 const std::vector<compute::splotch::Appearance>&,
                                 const compute::splotch::Options&, Progress&) override {
    return {};
  }
  std::string device_name() const override { return "none"; }
  std::uint64_t peak_device_memory() const override { return 0; }
  std::vector<std::uint64_t> estimated_radii() const override { return {}; }
  std::vector<float> radius_sample(std::size_t, std::size_t) const override { return {}; }
  std::shared_ptr<const compute::spatial::PointSet> points(std::size_t) const override {
    return nullptr;
  }
  std::vector<float> radii(std::size_t) const override { return {}; }
};

}  // namespace haloscope::test
