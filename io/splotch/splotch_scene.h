#pragma once

#include "io/splotch/splotch_parameters.h"

#include <string>
#include <vector>

namespace haloscope::io {

// One picture of a Splotch run.
struct SplotchFrame {
  SplotchParameters parameters;
  int number = 0;       // NNNN in the picture's name
  std::string picture;  // <outfile>NNNN with .tga or .ppm
  // Same snapshot as the frame before: the particles need not be read again.
  bool same_snapshot = false;
};

// The frames of a parameter file: one numbered 0000, or with `scene_file` one per line of that
// file. Its first line names the columns (any parameter, and fidx, the fractional snapshot number);
// ten bare numbers instead mean the old format (camera, lookat, sky, fidx). scene_start, scene_incr
// and last_scene choose lines and number the pictures as Splotch does.
//
// Throws Error naming file and line where a row does not fit the columns or a value is malformed,
// and naming the key where Splotch requires one that is missing (camera_*, lookat_*, infile,
// outfile, simtype; the columns of a raw table; a palette for scalar colors).
std::vector<SplotchFrame> read_splotch_frames(const SplotchParameters& parameters);

}  // namespace haloscope::io
