#pragma once

#include "analysis/snapshot/field_histogram.h"
#include "analysis/snapshot/resident_points.h"
#include "compute/exec/device.h"
#include "compute/splotch/settings.h"
#include "core/snapshot_info.h"
#include "render/camera.h"
#include "render/scene/type_look.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// What the window shows of a snapshot that is open: a copy, so that panels never wait for a job.
// Vectors have one entry per type that was loaded.
struct SceneModel {
  std::string path;
  SnapshotInfo info;
  std::vector<int> types;
  std::vector<std::string> names;
  std::vector<std::uint64_t> counts;  // in the file
  render::Bounds bounds;              // what the first picture shows
  std::vector<render::TypeLook> looks;
  std::vector<compute::splotch::Appearance> appearances;  // as `haloscope render` chooses them
  std::vector<analysis::FieldHistograms> histograms;      // of each one's color
  std::vector<std::string> sentences;
  // Where the positions are, for searches; null: not all of them were loaded.
  std::shared_ptr<const analysis::ResidentPoints> points;
  compute::Device device;
  std::string device_name;
  std::uint64_t host_bytes = 0, device_bytes = 0;  // peaks
  double seconds = 0;                              // of opening
};

}  // namespace haloscope::app::viewer
