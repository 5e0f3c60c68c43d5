#include "io/splotch/splotch_keys.h"

#include <array>

namespace haloscope::io {

namespace {

using P = SplotchParameters;
using T = SplotchType;
using V = SplotchValue;
using enum SplotchKeyStatus;

constexpr int kMaxInt = 1 << 30;
constexpr int kMaxColumns = 4096;

constexpr SplotchKey plain(std::string_view name, void (*set)(P&, const V&),
                           SplotchKeyStatus status = Supported) {
  return {.name = name, .status = status, .set = set};
}
constexpr SplotchKey typed(std::string_view name, void (*set)(T&, const V&),
                           SplotchKeyStatus status = Supported) {
  return {.name = name, .per_type = true, .status = status, .set_type = set};
}
constexpr SplotchKey ignored(std::string_view name, bool per_type = false) {
  return {.name = name, .per_type = per_type, .status = Ignored};
}
constexpr SplotchKey unsupported(std::string_view name, std::string_view harmless,
                                 std::string_view meaning) {
  return {.name = name, .status = Unsupported, .harmless = harmless, .meaning = meaning};
}

std::array<double, 3>& center(P& p) {
  if (!p.center) p.center.emplace();
  return *p.center;
}
int column(const V& v) {
  return v.integer(-1, kMaxColumns) > 0 ? v.integer(-1, kMaxColumns) : 0;
}

// Every key, by room of Splotch. Facts from its public sources and wiki (Parameter File
// Description).
constexpr std::array kKeys{
    // Input.
    plain("simtype",
          [](P& p, const V& v) {
            p.simtype = SplotchInput(
                v.one_of({0, 2, 8}, "0 (raw float table), 2 (Gadget binary) or 8 (Gadget HDF5)"));
          }),
    plain("infile", [](P& p, const V& v) { p.infile = v.text(); }),
    plain("datadir", [](P& p, const V& v) { p.datadir = v.text(); }),
    plain("snapdir", [](P& p, const V& v) { p.snapdir = v.text(); }),
    plain("numfiles", [](P& p, const V& v) { p.numfiles = v.integer(1, kMaxInt); }),
    plain("swap_endian", [](P& p, const V& v) { p.swap_endian = v.boolean(); }),
    plain("periodic", [](P& p, const V& v) { p.periodic = v.boolean(); }),
    plain("fidx", [](P& p, const V& v) { p.fidx = v.number(); }),
    plain("snapshot_spacing", [](P& p, const V& v) { p.snapshot_spacing = v.integer(1, kMaxInt); }),
    plain("snapshot_base1", [](P& p, const V& v) { p.snapshot_base1 = v.integer(0, kMaxInt); }),
    plain("num_blocks", [](P& p, const V& v) { p.num_blocks = v.integer(1, kMaxColumns); }),
    plain("x", [](P& p, const V& v) { p.x = column(v); }),
    plain("y", [](P& p, const V& v) { p.y = column(v); }),
    plain("z", [](P& p, const V& v) { p.z = column(v); }),
    plain("r", [](P& p, const V& v) { p.r = column(v); }),
    plain("I", [](P& p, const V& v) { p.I = column(v); }),
    plain("C1", [](P& p, const V& v) { p.C1 = column(v); }),
    plain("C2", [](P& p, const V& v) { p.C2 = column(v); }),
    plain("C3", [](P& p, const V& v) { p.C3 = column(v); }),
    plain("smooth_factor", [](P& p, const V& v) { p.table_smooth_factor = v.number_above(0); }),

    // Particles, per type.
    plain(
        "ptypes", [](P& p, const V& v) { p.ptypes = v.integer(1, kMaxSplotchType + 1); },
        FixedInScenes),
    typed("ptype", [](T& t, const V& v) { t.ptype = v.integer(0, 63); }),
    typed("size_label", [](T& t, const V& v) { t.size_label = v.text(); }),
    typed("size_fac", [](T& t, const V& v) { t.size_fac = v.number(); }),
    typed("size_fix", [](T& t, const V& v) { t.size_fix = v.number(); }),
    typed("color_label", [](T& t, const V& v) { t.color_label = v.text(); }),
    typed(
        "color_is_vector", [](T& t, const V& v) { t.color_is_vector = v.boolean(); },
        FixedInScenes),
    typed("color_log", [](T& t, const V& v) { t.color_log = v.boolean(); }),
    typed("color_asinh", [](T& t, const V& v) { t.color_asinh = v.boolean(); }),
    typed("color_fac", [](T& t, const V& v) { t.color_fac = v.number(); }),
    typed("color_min", [](T& t, const V& v) { t.color_min = v.number(); }),
    typed("color_max", [](T& t, const V& v) { t.color_max = v.number(); }),
    typed("intensity_label", [](T& t, const V& v) { t.intensity_label = v.text(); }),
    typed("intensity_log", [](T& t, const V& v) { t.intensity_log = v.boolean(); }),
    typed("intensity_min", [](T& t, const V& v) { t.intensity_min = v.number(); }),
    typed("intensity_max", [](T& t, const V& v) { t.intensity_max = v.number(); }),
    typed(
        "palette", [](T& t, const V& v) { t.palette = v.text(); }, FixedInScenes),
    typed("brightness", [](T& t, const V& v) { t.brightness = v.number(); }),
    typed("smooth_factor", [](T& t, const V& v) { t.smooth_factor = v.number_above(0); }),

    // Camera.
    plain("camera_x", [](P& p, const V& v) { p.camera[0] = v.number(); }),
    plain("camera_y", [](P& p, const V& v) { p.camera[1] = v.number(); }),
    plain("camera_z", [](P& p, const V& v) { p.camera[2] = v.number(); }),
    plain("lookat_x", [](P& p, const V& v) { p.lookat[0] = v.number(); }),
    plain("lookat_y", [](P& p, const V& v) { p.lookat[1] = v.number(); }),
    plain("lookat_z", [](P& p, const V& v) { p.lookat[2] = v.number(); }),
    plain("sky_x", [](P& p, const V& v) { p.sky[0] = v.number(); }),
    plain("sky_y", [](P& p, const V& v) { p.sky[1] = v.number(); }),
    plain("sky_z", [](P& p, const V& v) { p.sky[2] = v.number(); }),
    plain("center_x", [](P& p, const V& v) { center(p)[0] = v.number(); }),
    plain("center_y", [](P& p, const V& v) { center(p)[1] = v.number(); }),
    plain("center_z", [](P& p, const V& v) { center(p)[2] = v.number(); }),
    plain("fov",
          [](P& p, const V& v) {
            p.fov = v.number_above(0);
            if (p.fov >= 180) v.fail("an angle between 0 and 180 degrees");
          }),
    plain("projection", [](P& p, const V& v) { p.projection = v.boolean(); }),
    plain("zmin", [](P& p, const V& v) { p.zmin = v.number(); }),
    plain("zmax", [](P& p, const V& v) { p.zmax = v.number(); }),

    // Rendering and picture.
    plain("xres", [](P& p, const V& v) { p.xres = v.integer(1, 1 << 20); }),
    plain("yres", [](P& p, const V& v) { p.yres = v.integer(1, 1 << 20); }),
    plain("minrad_pix",
          [](P& p, const V& v) {
            p.minrad_pix = v.number();
            if (p.minrad_pix < 0) v.fail("a radius in pixels, 0 or more");
          }),
    plain("a_eq_e", [](P& p, const V& v) { p.a_eq_e = v.boolean(); }),
    plain("gray_absorption", [](P& p, const V& v) { p.gray_absorption = v.number(); }),
    plain("sort_type",
          [](P& p, const V& v) {
            p.sort_type = SplotchSort(v.one_of(
                {0, 1, 2, 3, 4},
                "0 (none), 1 (depth), 2 (red falling), 3 (red rising) or 4 (radius falling)"));
          }),
    plain("pic_gamma", [](P& p, const V& v) { p.pic_gamma = v.number(); }),
    plain("pic_brightness", [](P& p, const V& v) { p.pic_brightness = v.number(); }),
    plain("pic_contrast", [](P& p, const V& v) { p.pic_contrast = v.number(); }),
    plain("colorbar", [](P& p, const V& v) { p.colorbar = v.boolean(); }),
    plain("pictype",
          [](P& p, const V& v) {
            p.pictype = SplotchPicture(
                v.one_of({0, 2, 3}, "0 (TGA), 2 (PPM) or 3 (TGA, run-length encoded)"));
          }),
    plain(
        "outfile", [](P& p, const V& v) { p.outfile = v.text(); }, FixedInScenes),

    // Animation.
    plain(
        "scene_file", [](P& p, const V& v) { p.scene_file = v.text(); }, FixedInScenes),
    plain(
        "scene_start", [](P& p, const V& v) { p.scene_start = v.integer(0, kMaxInt); },
        FixedInScenes),
    plain(
        "scene_incr", [](P& p, const V& v) { p.scene_incr = v.integer(1, kMaxInt); },
        FixedInScenes),
    plain(
        "last_scene", [](P& p, const V& v) { p.last_scene = v.integer(0, kMaxInt); },
        FixedInScenes),

    // Would change the picture, and is not done yet.
    unsupported("interpolation_mode", "0", "interpolates particles between two snapshots"),
    unsupported("EyeSeparation", "0", "renders a stereo pair"),
    unsupported("panorama", "F", "renders six faces of a cube"),
    unsupported("dome", "F", "renders a 180 degree fisheye"),
    unsupported("boost", "F", "draws a subsample, brightened"),
    unsupported("sample_factor", "1", "draws a subsample"),
    unsupported("AnalyzeSimulationOnly", "F", "describes the snapshot and draws nothing"),
    unsupported("geometry_file", "",
                "is the animation file of old versions, now called scene_file"),

    // Only with interpolation, boost or stereo, which are refused above.
    ignored("frac"),
    ignored("snapshot_base2"),
    ignored("id_label"),
    ignored("hubble"),
    ignored("omega"),
    ignored("lambda"),
    ignored("l_unit"),
    ignored("v_unit"),
    ignored("quality_factor"),

    // Where the work runs, what is printed, what Splotch writes into its own logs.
    ignored("readparallel"),
    ignored("print_logfile"),
    ignored("verbosity"),
    ignored("server"),
    ignored("gpu_number"),
    ignored("gpu_info"),
    ignored("cores_number"),
    ignored("particle_mem_factor"),
    ignored("tile_boundary_width"),
    ignored("tile_x-side"),
    ignored("tile_y-side"),
    ignored("tile_size"),
    ignored("n_thread_groups"),
    ignored("n_threads_per_group"),
    ignored("use_host_as_thread"),
    ignored("new_renderer"),
    ignored("cuda_doLogs"),
    ignored("time"),
    ignored("redshift"),
    ignored("range_min", true),
    ignored("range_max", true),
    ignored("clamp_min", true),
    ignored("clamp_max", true),

    // Documented, but without effect on the inputs we read: which types have a block (readers
    // know),
    // the background image (Splotch 6 leaves it out), columns its readers never look at.
    ignored("size_present", true),
    ignored("color_present", true),
    ignored("intensity_present", true),
    ignored("background"),
    ignored("num_columns"),
    ignored("type"),
    ignored("cube_begin"),
    ignored("cube_end"),
};

}  // namespace

std::span<const SplotchKey> splotch_keys() {
  return kKeys;
}

}  // namespace haloscope::io
