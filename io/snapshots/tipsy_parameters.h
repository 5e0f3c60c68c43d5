#pragma once

#include "core/snapshot_info.h"

#include <map>
#include <optional>
#include <string>

namespace haloscope::io {

// In which the parameter files count.
constexpr double kCmPerKpc = 3.0856776e21;

// The parameter file of a run of Gasoline, ChaNGa or PKDGRAV ("key = value # comment"), which holds
// what Tipsy files lack: units, box, cosmology, precision.
struct TipsyParameters {
  std::string path;
  std::map<std::string, std::string> values;

  std::optional<double> number(const std::string& key) const;
  bool flag(const std::string& key) const { return number(key).value_or(0) != 0; }
};

// The file that belongs to a snapshot: <snapshot>.param, the same without the output's number
// (tiny.param for tiny.000640), or the only .param file in the folder. Nothing when there is none,
// or when several leave the choice open.
std::optional<TipsyParameters> find_tipsy_parameters(const std::string& snapshot);

// Fills units, box, time and cosmology of `info` and says what was not told. Velocities are in the
// unit that makes the gravitational constant 1, sqrt(G M / L). Returns whether units are known.
bool describe_tipsy(const std::optional<TipsyParameters>& parameters, double time,
                    SnapshotInfo& info);

}  // namespace haloscope::io
