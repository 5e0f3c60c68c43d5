#include "app/cli/movie.h"

#include "app/cli/add_option.h"
#include "app/cli/render.h"
#include "app/cli/run_on_devices.h"
#include "app/session/path_exchange.h"
#include "app/session/state_file.h"
#include "render/film/film.h"

#include <memory>

namespace haloscope::app::cli {

namespace {

constexpr std::uint64_t kMostFrames = 1000000000;

render::PathFile path_of_state(const std::string& state) {
  if (state.empty())
    throw Error("the camera's path is missing", "movie", "give --path FILE, or a state with keys");
  const auto keys = session::load_state(state).state.path;
  if (keys.empty())
    throw Error("the state has no keys of a path", state, "give --path FILE, or add_key first");
  render::PathFile file = session::to_path_file(keys);
  file.path = state;
  return file;
}

// With what a saved state says of looks, tone and the path, where the options leave it open.
render::FilmRequest with_state(render::FilmRequest request) {
  const std::string& state = request.picture.state;
  if (!state.empty()) session::apply_state_file(state, request.picture);
  if (request.path.empty()) request.keys = path_of_state(state);
  return request;
}

render::ToneCurve parse_tone(const std::string& text) {
  const auto values = parse_numbers("--tone", text, 2);
  if (!(values[0] > 0) || !(values[1] > 0))
    throw Error("'" + text + "' are no positive numbers", "--tone",
                "take those that a film prints");
  render::ToneCurve curve;
  curve.white = values[0];
  curve.softening = values[1];
  return curve;
}

}  // namespace

void run_movie_on(const std::vector<compute::Device>& devices, const render::FilmRequest& request,
                  analysis::RunContext& context) {
  const render::FilmRequest film = with_state(request);
  if (devices.empty()) {
    render::run_movie(film, context);
    return;
  }
  run_on_devices(devices, context, [&](analysis::RunContext& own, compute::Device device) {
    render::FilmRequest its = film;
    its.picture.compute.chosen = device;
    its.picture.said.device = device.word();
    render::run_movie(its, own);
  });
}

void add_movie_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<render::FilmRequest>();
  render::FilmRequest& r = *request;
  CLI::App* command =
      app.add_subcommand("movie", "A film of one or more snapshots along a camera path");
  command->footer(
      "Between snapshots particles are followed by ID; the path tells when which is shown "
      "(snapshot = 2.5), else they pass evenly. Limits of colors are chosen once, from the latest "
      "snapshot, and the exposure from the first frame that shows it; the path may change them "
      "(range, exposure). Frames that are there already "
      "are kept where they show the same, so that an interrupted film goes on by the same "
      "command.");
  command
      ->add_option("SNAPSHOT", r.snapshots,
                   "A file, one of several, or their folder; several are shown in the order of "
                   "time")
      ->required();
  command
      ->add_option("--path", r.path,
                   "PATH.toml, a Splotch scene, or a .par file with one; default: the path of the "
                   "--state")
      ->type_name("FILE");
  command
      ->add_option("-o,--output", r.picture.output,
                   "frames/%05d.png (or .exr, .ppm, .tga), or film.mp4 (.mkv, .mov) by ffmpeg")
      ->required();
  const std::map<std::string, render::InterpolationChoice> interpolations{
      {"linear", render::InterpolationChoice::Linear},
      {"cubic", render::InterpolationChoice::Cubic},
      {"none", render::InterpolationChoice::None}};
  add_choice(*command, "--interpolate", interpolations,
             "Between snapshots: cubic (by positions and velocities), linear, or none (the nearest "
             "one); default: cubic where there are velocities",
             r.interpolation);
  const std::map<std::string, render::FilmSplit> splits{
      {"auto", render::FilmSplit::Auto},
      {"frames", render::FilmSplit::Frames},
      {"particles", render::FilmSplit::Particles}};
  add_choice(*command, "--split", splits,
             "Of several ranks or GPUs each draws some of the frames, with all particles, or its "
             "part of the particles in all frames; auto: frames, where they have the memory",
             r.split);
  add_text(*command, "--fps", "N", "Frames per second; default: the path's, else 30",
           [&r](const auto& t) {
             r.fps = parse_number("--fps", t);
             if (!(*r.fps > 0 && *r.fps <= 1000))
               throw Error("'" + t + "' is no number of frames per second", "--fps");
           });
  add_text(*command, "--size", "WxH", "Pixels; default 1920x1080",
           [&r](const auto& t) { r.picture.size = parse_size("--size", t); });
  add_count(*command, "--from", "N", "First frame, counted from 0; default 0", r.from, 0,
            kMostFrames);
  add_count(*command, "--to", "N", "Last frame; default: the path's last", r.to, 0, kMostFrames);
  add_text(*command, "--tone", "WHITE,SOFTENING",
           "Exposure of another film in place of what suits one frame",
           [&r](const auto& t) { r.tone = parse_tone(t); });
  command->add_flag("--overwrite", r.overwrite,
                    "Replace frames of other parameters, and files that another program wrote");
  command
      ->add_option("--write-path", r.write_path,
                   "Also write the path: .toml, or as a Splotch scene under any other name")
      ->type_name("FILE");
  add_picture_options(*command, r.picture);
  add_mode_option(*command, r.picture.mode);
  add_compute_options(*command, r.picture.compute, &r.picture.said);
  add_gpus_option(*command, r.picture.compute.gpus);
  command->add_flag("--quiet", r.picture.quiet, "Print warnings and errors only");
  command->callback([request, &context, &run] {
    run = [request, &context] {
      const render::ComputeRequest& how = request->picture.compute;
      run_movie_on(devices_of_gpus(how.gpus, how.device, context), *request, context);
    };
  });
}

}  // namespace haloscope::app::cli
