#pragma once

#include "analysis/color_choice.h"
#include "compute/splotch/settings.h"
#include "core/snapshot_info.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::render {

// A map in place of light: what each line of sight holds, in colors that a bar tells. As a choice
// of what to show, plain data.
struct MapLook {
  bool shown = false;
  std::optional<int> type;      // whose mass, by number; none: that of all particles
  std::string field;            // whose mean, weighted by mass; empty: the surface density
  bool cells = false;           // of gas: by the cells of its mesh, in place of kernels
  analysis::ColorChoice color;  // scale and limits that are left out are chosen from the picture
  bool operator==(const MapLook&) const = default;
};

// The color map where nobody chose one.
inline constexpr const char* kMapPalette = "viridis";
std::string palette_of(const MapLook& look);

// Throws Error where the snapshot lacks its type or its field, and where a mean is of no type.
void require_map(const SnapshotInfo& info, const MapLook& look);

// The gas, which may be a mesh of cells.
inline constexpr int kCellType = 0;

// Throws Error where a map by cells is asked for of others than gas, or of gas that has none.
void require_cells(const SnapshotInfo& info, const std::vector<int>& types);

// Appearances that draw the map of particles whose light looks like that; `types`: their numbers.
std::vector<compute::splotch::Appearance> map_appearances(
    std::vector<compute::splotch::Appearance> appearances, const std::vector<int>& types,
    const MapLook& look);

// "(1e10 Msun/h)/(kpc/h)^2" of a surface density, "K" of the mean of a field of one of `types`;
// empty where the field has no unit, or none that is known.
std::string map_unit(const SnapshotInfo& info, const std::vector<int>& types,
                     const std::string& field);

// "kpc/h"
std::string map_length_unit(const SnapshotInfo& info);

// "surface density of gas", "mean Temperature of gas", with the unit in brackets. `types`: that
// were read; of all types of the snapshot none is named.
std::string map_title(const SnapshotInfo& info, const std::vector<int>& types, const MapLook& look);

}  // namespace haloscope::render
