#pragma once

#include "io/snapshot_reader.h"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace haloscope::io {

// What a Splotch parameter file says of one kind of particles (its keys end in the kind's number).
struct SplotchType {
  int ptype = 0;  // Gadget type number

  // Radius: size_label · size_fac, or size_fix where that is not 0. Splotch's Gadget readers start
  // from size_fix = 1, so a size_label has no effect unless the file also says size_fix = 0.
  std::string size_label;
  double size_fac = 1;
  double size_fix = 1;

  std::string color_label;
  bool color_is_vector = false;
  bool color_log = false;
  bool color_asinh = false;
  double color_fac = 1;
  std::optional<double> color_min, color_max;  // in transformed units (3.5 means 10^3.5)

  std::string intensity_label;
  bool intensity_log = false;
  std::optional<double> intensity_min, intensity_max;  // in transformed units

  std::string palette;
  double brightness = 1;
  double smooth_factor = 1;
};

enum class SplotchInput { RawTable = 0, GadgetBinary = 2, GadgetHdf5 = 8 };  // simtype
enum class SplotchPicture { Tga = 0, Ppm = 2, TgaRunLength = 3 };            // pictype
enum class SplotchSort { None = 0, Depth = 1, RedDescending = 2, RedAscending = 3, Radius = 4 };

// A Splotch parameter file as plain data; every member starts with Splotch 6's default.
struct SplotchParameters {
  std::string file;             // the parameter file itself
  std::set<std::string> given;  // keys that the file (or a scene's row) sets

  // Input.
  SplotchInput simtype = SplotchInput::RawTable;
  std::string infile, datadir, snapdir;
  int numfiles = 1;
  bool swap_endian = false;  // resolved: simtype 0 starts from T, the Gadget readers from F
  bool periodic = true;
  double fidx = 0;           // fractional snapshot number
  int snapshot_spacing = 1;  // between numbered snapshots
  std::optional<int> snapshot_base1;

  // Raw table (simtype 0): 1-based columns of `num_blocks` per row; 0: absent. Without r every
  // radius is table_smooth_factor, without I every intensity 0.5, without C1 every color 1; C2 and
  // C3 count only together, and are 0 otherwise.
  int num_blocks = 0;
  int x = 0, y = 0, z = 0, r = 0, I = 0, C1 = 0, C2 = 0, C3 = 0;
  double table_smooth_factor = 1;  // `smooth_factor` without a type number: scales the column r

  // The first `ptypes` entries of `types` are drawn; the file may describe more.
  int ptypes = 1;
  std::vector<SplotchType> types = std::vector<SplotchType>(1);

  // Camera. center: the middle between the eyes of a stereo pair; none: the camera itself.
  std::array<double, 3> camera{}, lookat{}, sky{0, 0, 1};
  std::optional<std::array<double, 3>> center;
  double fov = 45;         // horizontal, degrees
  bool projection = true;  // perspective; F: orthographic
  double zmin = 0, zmax = 1e23;

  // Rendering.
  int xres = 800, yres = 800;
  double minrad_pix = 1;
  bool a_eq_e = true;
  double gray_absorption = 0.2;
  SplotchSort sort_type = SplotchSort::Depth;

  // Picture.
  double pic_gamma = 1, pic_brightness = 0, pic_contrast = 1;
  bool colorbar = false;
  SplotchPicture pictype = SplotchPicture::Tga;
  std::string outfile;

  // Animation (splotch_scene.h).
  std::string scene_file;
  int scene_start = 0, scene_incr = 1, last_scene = 1000000;

  bool has(const std::string& key) const { return given.contains(key); }
};

// Reads a Splotch parameter file: `key=value` lines, `#` starts a comment, blanks and CRLF are
// tolerated, a later line wins over an earlier one of the same key (with a warning).
//
// Warns of a key that Splotch does not know either (naming file, line and the nearest key it does
// know). Throws Error naming file, line, key and value where a value is malformed or out of range,
// and where a key would change the picture in a way that is not supported yet. Keys that Splotch
// requires are checked per frame (splotch_scene.h), since a scene file may bring them.
SplotchParameters read_splotch_parameters(const std::string& path);

// Sets one parameter as a line `key=value` would. `where` ("demo.par:12") goes into messages; warns
// and throws as read_splotch_parameters.
void apply_splotch_parameter(SplotchParameters& parameters, const std::string& key,
                             const std::string& value, const std::string& where);

// Splotch takes relative names from the working folder; where nothing lies there, we look beside
// the parameter file, so that a scene renders from anywhere. Returns `name` unchanged if neither
// exists.
std::string find_splotch_file(const SplotchParameters& parameters, const std::string& name);

// The snapshot that a frame draws: `infile` for a raw table; for Gadget files
// [datadir/][snapdirNNN/]infileNNN[.0][.hdf5], NNN from fidx, snapshot_spacing and snapshot_base1,
// .0 where numfiles > 1. (Splotch's own HDF5 reader takes 000 whatever fidx says; we follow fidx,
// as its binary reader does.)
std::string splotch_snapshot_path(const SplotchParameters& parameters);

// The columns of a raw table, for open_snapshot.
OpenOptions::RawTable splotch_raw_table(const SplotchParameters& parameters);

}  // namespace haloscope::io
