#include "analysis/snapshot/field_choice.h"
#include "app/cli/add_option.h"
#include "app/cli/render.h"
#include "app/cli/snapshot_flags.h"
#include "compute/spatial/neighbors.h"
#include "core/error.h"
#include "core/text_values.h"
#include "render/colors/palette.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>

namespace haloscope::app::cli {

namespace {

using compute::splotch::LargeOn;
using compute::splotch::Mode;
using compute::splotch::Strategy;

// A map is asked for by --map.
const std::map<std::string, Mode> kModes{{"default", Mode::Default}, {"classic", Mode::Classic}};
const std::map<std::string, Strategy> kStrategies{{"auto", Strategy::Auto},
                                                  {"paper", Strategy::Paper}};
const std::map<std::string, LargeOn> kLarge{
    {"auto", LargeOn::Auto}, {"cpu", LargeOn::Cpu}, {"gpu", LargeOn::Gpu}};

void set_map(render::RenderRequest& request, const std::string& text) {
  request.mode = Mode::Map;
  if (text == "surface-density") return;
  if (!text.starts_with("mean:") || text.size() == 5)
    throw Error("'" + text + "' is not a map", "--map", "use surface-density or mean:FIELD");
  request.mean_field = text.substr(5);
}

// Help works without the program's own files too.
std::string palettes_in_words() {
  try {
    return fmt::format("{}", fmt::join(render::palette_names(), ", "));
  } catch (const Error&) {
    return "viridis, …";
  }
}

void add_look_options(CLI::App& command, render::RenderRequest& r) {
  add_text(command, "--types", "gas,dm,…|0,1,…",
           "Particle types; default: all but a zoom simulation's dark matter of low resolution",
           [&r](const auto& t) { r.types = parse_list("--types", t); });
  add_text(command, "--color", "FIELD[:log|lin|asinh]",
           "Color by a field of the file, Temperature, Speed, LocalDensity or TreePotential; three "
           "components give "
           "RGB. Default: gas by temperature, dark matter by local density, stars white",
           [&r](const auto& t) { r.color = analysis::parse_field("--color", t); });
  add_text(command, "--range", "LO,HI",
           "Limits of the color in the field's own units; default: its 0.5 and 99.5 % quantiles "
           "(classic: minimum and maximum)",
           [&r](const auto& t) { r.range = parse_range("--range", t); });
  const std::string palettes = palettes_in_words();
  add_text(command, "--palette", "NAME|FILE",
           "Color map: " + palettes + " (each also reversed: NAME_r), or a Splotch .pal file",
           [&r](const auto& t) { r.palette = t; });
  add_text(command, "--brightness", "B|B1,B2,…",
           "Factor on the light of all types, or one per type in the order of --types",
           [&r](const auto& t) {
             r.brightness.clear();
             for (const auto& word : parse_list("--brightness", t))
               if (r.brightness.emplace_back(parse_number("--brightness", word)) < 0)
                 throw Error("'" + word + "' is negative", "--brightness");
           });
  add_text(command, "--state", "FILE",
           "Camera and looks of a state that the window saved; other options go before it",
           [&r](const auto& t) { r.state = t; });
  add_text(command, "--ground", "dark|white",
           "White for print: the lightness of light is turned over and its hue kept; maps stand on "
           "white",
           [&r](const auto& t) {
             if (t != "dark" && t != "white")
               throw Error("'" + t + "' is no ground", "--ground", "use dark or white");
             r.white_ground = t == "white";
           });
  add_text(command, "--exposure", "EV", "Brighter by 2^EV after the automatic exposure",
           [&r](const auto& t) { r.exposure_ev = parse_number("--exposure", t); });
  add_text(command, "--gamma", "POWER",
           "Display values to this power: above 1 darker; .exr files are not changed",
           [&r](const auto& t) {
             r.gamma = parse_number("--gamma", t);
             if (!(*r.gamma >= 0.01 && *r.gamma <= 100))
               throw Error("'" + t + "' does not lie between 0.01 and 100", "--gamma");
           });
}

void add_length_options(CLI::App& command, render::RenderRequest& r) {
  add_text(command, "--smooth", "FACTOR", "Factor on all smoothing lengths", [&r](const auto& t) {
    r.smooth = parse_number("--smooth", t);
    if (!(r.smooth > 0)) throw Error("'" + t + "' is not a positive number", "--smooth");
  });
  add_count(command, "--neighbors", "K",
            "Particles of a type without smoothing lengths inside each one's; default 32, 0: a "
            "quick estimate from the order of space",
            r.neighbors, 0, compute::spatial::Neighbors::kMostNeighbors);
  add_no_cache_option(command, r);
}

void add_camera_options(CLI::App& command, render::CameraChoice& camera) {
  add_text(command, "--eye", "x,y,z", "Camera, in the snapshot's length unit",
           [&](const auto& t) { camera.eye = parse_vector("--eye", t); });
  add_text(command, "--target", "x,y,z", "Point in the middle of the picture",
           [&](const auto& t) { camera.target = parse_vector("--target", t); });
  add_text(command, "--up", "x,y,z", "Direction that is up in the picture; default: z",
           [&](const auto& t) { camera.up = parse_vector("--up", t); });
  add_text(command, "--fov", "DEGREES", "Horizontal field of view of a perspective; default: 40",
           [&](const auto& t) { camera.fov_degrees = parse_number("--fov", t); });
  add_text(command, "--ortho", "WIDTH", "Orthographic view of that width instead",
           [&](const auto& t) { camera.ortho_width = parse_number("--ortho", t); });
}

}  // namespace

void add_no_cache_option(CLI::App& command, render::RenderRequest& r) {
  command.add_flag_callback(
      "--no-cache", [&r] { r.keep_lengths = io::KeepLengths::Nowhere; },
      "Neither read nor write SNAPSHOT.haloscope-lengths, which keeps smoothing lengths");
}

void add_picture_options(CLI::App& command, render::RenderRequest& request) {
  add_selection_options(command, request.selection);
  add_snapshot_options(command, request.said);
  add_look_options(command, request);
  add_length_options(command, request);
}

void add_mode_option(CLI::App& command, Mode& mode) {
  add_choice(command, "--mode", kModes, "default: flux-conserving, exposed; classic: as Splotch",
             mode);
}

void add_compute_options(CLI::App& command, render::ComputeRequest& request,
                         analysis::SnapshotOptions* said) {
  add_device_option(command, request.device, said);
  add_choice(command, "--strategy", kStrategies,
             "auto: what measured fastest; paper: Rivi et al. 2014", request.strategy);
  add_choice(command, "--large", kLarge, "Where large splats are drawn", request.large);
  command.add_flag("--deterministic", request.deterministic, "The same bytes in every run");
  command.add_flag("--exact", request.exact, "Each splat pixel by pixel and in full precision");
  add_text(command, "--gpu-memory", "SIZE", "GPU memory to use, e.g. 8G; more is done in chunks",
           [&](const auto& t) { request.gpu_memory_bytes = parse_bytes("--gpu-memory", t); });
}

void add_render_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<render::RenderRequest>();
  render::RenderRequest& r = *request;
  CLI::App* command = app.add_subcommand("render", "A picture or a map of a snapshot");
  command->footer(
      "Classic mode is what Splotch 6 computes (size_fac 0.5); its pictures are mirrored as "
      "Splotch's are: up points down in the file. Without --brightness it is chosen so that the "
      "picture is neither black nor white, and said.\n"
      "Maps look along -z at the whole box unless a camera is given; a periodic box is closed at "
      "its edges. A map as .png is drawn with a logarithmic color scale.");
  command->add_option("SNAPSHOT", r.snapshot, "A file, one of several, or their folder")
      ->required();
  command
      ->add_option("-o,--output", r.output,
                   ".png, .ppm, .tga or .exr (linear light); maps: .hdf5, .exr or .png")
      ->required();
  add_text(*command, "--size", "WxH", "Pixels; default 1920x1080, maps 1024x1024",
           [&r](const auto& t) { r.size = parse_size("--size", t); });
  add_picture_options(*command, r);
  add_camera_options(*command, r.camera);
  auto mode = std::make_shared<Mode>(Mode::Default);
  add_mode_option(*command, *mode);
  auto map = std::make_shared<std::string>();
  command->add_option("--map", *map, "A map to measure in, instead of a picture")
      ->type_name("surface-density|mean:FIELD");
  add_text(*command, "--cells", "kernels|voronoi",
           "Maps of a moving mesh's gas: by smoothing kernels, or by the cells themselves (nearest "
           "generator along each line of sight; computed by the processor)",
           [&r](const auto& t) {
             if (t != "kernels" && t != "voronoi")
               throw Error("'" + t + "' is no kind of cells", "--cells", "use kernels or voronoi");
             r.map.cells = t == "voronoi";
           });
  add_text(
      *command, "--overlays", "usual|NAME,NAME…",
      "Draw over the picture what the window draws over its stills: color_bar, scale_bar, "
      "physical_scale_bar, time, box, axes, pieces, labels, selection, path; usual: as --state has "
      "them, else color bar, scale bar and redshift; usual,axes: one more",
      [&r](const auto& t) { r.overlays = parse_list("--overlays", t); });
  add_text(*command, "--letters", "FACTOR",
           "Factor on the letters and lines of --overlays; 1: as large beside the picture as in a "
           "window of 1280 pixels, at least 9 pixels high, smaller in wide and low pictures",
           [&r](const auto& t) {
             r.letter_size = parse_number("--letters", t);
             if (!(*r.letter_size >= 0.25 && *r.letter_size <= 8))
               throw Error("'" + t + "' does not lie between 0.25 and 8", "--letters");
           });
  add_compute_options(*command, r.compute);
  add_gpus_option(*command, r.compute.gpus);
  add_count(*command, "--repeat", "N", "Draw N times; times are medians", r.repeat, 1, 1000000);
  command->add_option("--stats", r.stats, "Write counts, times and memory as JSON")
      ->type_name("FILE.json");
  add_overwrite_option(*command, r.overwrite);
  command->add_flag("--quiet", r.quiet, "Print warnings and errors only");
  command->callback([request, mode, map, &context, &run] {
    request->mode = *mode;
    if (!map->empty()) {
      if (*mode == Mode::Classic)
        throw Error("a map is no picture in classic mode", "--map", "leave --mode out");
      set_map(*request, *map);
    } else if (request->map.cells) {
      throw Error("cells are those of a map", "--cells", "add --map surface-density");
    }
    run = [request, &context] { run_render(*request, context); };
  });
}

}  // namespace haloscope::app::cli
