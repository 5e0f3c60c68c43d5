#pragma once

#include "app/run_context.h"
#include "core/snapshot_info.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace haloscope::app {

// Memory that `haloscope render` would need for all types with their default colors at 1920x1080,
// the picture included: on the host when the CPU draws, and on a GPU when that does.
struct RenderMemory {
  std::uint64_t host_bytes = 0;
  std::uint64_t device_bytes = 0;
};
RenderMemory estimate_render_memory(const SnapshotInfo& info, const std::string& position_field);

// Keys: format, files, box_size (0 where there is no box), periodic, redshift (null where unknown),
// time, types (object by type number: name, count, uniform_mass, fields), assumed, units,
// cosmology, render_memory {host_bytes, device_bytes}.
nlohmann::json info_json(const SnapshotInfo& info, const RenderMemory& memory);

// The same for people.
std::string info_text(const SnapshotInfo& info, const RenderMemory& memory);

// Adds `info` to the command line; `run` is set when the user chose it.
void add_info_command(CLI::App& app, RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app
