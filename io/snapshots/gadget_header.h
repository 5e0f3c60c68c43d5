#pragma once

#include "core/snapshot_info.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace haloscope::io {

// What one file of a Gadget-style snapshot says of itself, whether it is binary or HDF5.
struct GadgetHeader {
  std::vector<std::uint64_t> this_file;  // particles per type in this file; any length
  std::vector<std::uint64_t> total;      // over all files, high words combined; may be empty
  bool counts_given = false;             // false: counted from the datasets
  std::vector<double> mass_table;
  std::uint64_t file_count = 1;
  std::vector<double> box;  // one or three sides; empty: none
  std::optional<double> time, redshift;
  std::optional<double> scale_factor;  // where Time is something else
  std::optional<double> hubble_param, omega_matter, omega_lambda;
  std::optional<double> length_cm, mass_g, velocity_cm_per_s;
  std::optional<bool> comoving_integration;  // GADGET-4 and AREPO store their parameter file
  bool illustris_fields = false;             // of particles: GFM_…
  std::optional<bool> per_h;                 // default: as comoving
  std::optional<bool> periodic;              // known where the file lists its compile options

  std::uint64_t count(int type) const {
    return std::size_t(type) < this_file.size() ? this_file[std::size_t(type)] : 0;
  }
  std::uint64_t total_count(int type) const {
    return std::size_t(type) < total.size() ? total[std::size_t(type)] : 0;
  }
};

// Fills box, time, cosmology and units of `info`, and says in info.assumed what was not in the
// file.
void describe_cosmology(const GadgetHeader& header, SnapshotInfo& info);

}  // namespace haloscope::io
