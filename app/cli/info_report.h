#pragma once

#include "core/particles.h"
#include "core/snapshot_info.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace haloscope::app::cli {

// Memory that `haloscope render` would need for all types with their default colors at 1920x1080,
// the picture included: on the host when the CPU draws, and on a GPU when that does.
struct RenderMemory {
  std::uint64_t host_bytes = 0;
  std::uint64_t device_bytes = 0;
};
RenderMemory estimate_render_memory(const SnapshotInfo& info);

// By type; empty where positions were not read.
using CountsByType = std::map<int, LoadCounts>;

// Keys: format, files, box_size (0 where there is no box), periodic, redshift (null where unknown),
// time, types (object by type number: name, count, uniform_mass, fields, low_resolution (true, or
// not there), and where positions were read, counts with mean_position), assumed, units, cosmology,
// render_memory {host_bytes, device_bytes}.
nlohmann::json info_json(const SnapshotInfo& info, const RenderMemory& memory,
                         const CountsByType& counts = {});

// Keys: in_file, read, shown, wrapped, rejected, not_finite, too_far, wind.
nlohmann::json counts_json(const LoadCounts& counts);

// The same for people.
std::string info_text(const SnapshotInfo& info, const RenderMemory& memory,
                      const CountsByType& counts = {});

}  // namespace haloscope::app::cli
