#pragma once

#include "core/snapshot_info.h"
#include "io/hdf5_dialect.h"

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// What one file of a Gadget-style set says of itself. Codes keep the same facts in /Header (Gadget,
// AREPO, GIZMO) or /Parameters (GADGET-4); either is taken, /Header first.
struct GadgetHeader {
  std::vector<std::uint64_t> this_file;  // particles per type in this file; any length
  std::vector<std::uint64_t> total;      // over all files, high words combined; may be empty
  bool counts_given = false;             // false: counted from the datasets
  std::vector<double> mass_table;
  std::uint64_t file_count = 1;
  std::vector<double> box;  // one or three sides; empty: none
  std::optional<double> time, redshift;
  std::optional<double> hubble_param, omega_matter, omega_lambda;
  std::optional<double> length_cm, mass_g, velocity_cm_per_s;
  std::optional<bool> comoving_integration;  // GADGET-4 and AREPO store their parameter file
  std::optional<bool> periodic;              // known where the file lists its compile options

  std::uint64_t count(int type) const {
    return std::size_t(type) < this_file.size() ? this_file[std::size_t(type)] : 0;
  }
  std::uint64_t total_count(int type) const {
    return std::size_t(type) < total.size() ? total[std::size_t(type)] : 0;
  }
};

// Throws BadFile where numbers make no sense (a box of negative or infinite size).
GadgetHeader read_gadget_header(hid_t file, const std::string& path, Hdf5Dialect dialect);

// Fills box, time, cosmology and units of `info`, and says in info.assumed what was not in the
// file.
void describe_cosmology(const GadgetHeader& header, SnapshotInfo& info);

}  // namespace haloscope::io
