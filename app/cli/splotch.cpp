#include "app/cli/splotch.h"

#include "analysis/snapshot/output_guard.h"
#include "app/cli/add_option.h"
#include "app/cli/render.h"
#include "compute/splotch/renderer.h"
#include "core/error.h"
#include "core/input_file.h"
#include "core/log.h"
#include "io/splotch/splotch_scene.h"
#include "render/colors/classic_image.h"
#include "render/files/image_file.h"
#include "render/film/splotch_frames.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

namespace haloscope::app::cli {

namespace {

namespace splotch = compute::splotch;
using io::SplotchParameters;

splotch::Options options_of(const SplotchParameters& p, const render::ComputeRequest& compute) {
  splotch::Options options;
  options.mode = splotch::Mode::Classic;
  options.absorption = !p.a_eq_e;
  options.gray_absorption = float(p.gray_absorption);
  options.absorption_order = splotch::AbsorptionOrder(int(p.sort_type));
  options.min_radius_pixels = float(p.minrad_pix);
  options.strategy = compute.strategy;
  options.large = compute.large;
  options.deterministic = compute.deterministic;
  options.exact = compute.exact;
  return options;
}

void write_frame(const SplotchParameters& p, const splotch::Frame& frame,
                 const render::SplotchScene& scene, const std::string& path) {
  const render::ClassicTone tone{p.pic_gamma, p.pic_brightness, p.pic_contrast};
  Image8 image = render::classic_image(frame.image, !p.a_eq_e, tone);
  if (p.colorbar) render::draw_classic_color_bars(image, scene.color_bars);
  render::write_image8(path, image);
}

std::string place(const SplotchRequest& request, const std::string& picture) {
  const std::filesystem::path path(picture);
  if (request.output_folder.empty() || path.is_absolute()) return picture;
  return (std::filesystem::path(request.output_folder) / path).string();
}

// A picture or a snapshot in the parameter file's place would make a warning of each of its lines.
void require_text(const std::string& path) {
  std::ifstream file = open_input(path, "Splotch parameter file");
  char start[4096];
  file.read(start, sizeof start);
  for (std::streamsize i = 0; i < file.gcount(); ++i) {
    const unsigned char c = static_cast<unsigned char>(start[i]);
    if (c < 9 || (c > 13 && c < 32 && c != 26))  // 26 ends text files of DOS
      throw Error("this is not a text file", path, "give a Splotch parameter file (key=value)");
  }
}

// A snapshot's further files are checked when it is opened.
std::vector<std::string> inputs_of(const SplotchParameters& parameters,
                                   const std::vector<io::SplotchFrame>& frames) {
  std::set<std::string> names{parameters.file};
  if (!parameters.scene_file.empty())
    names.insert(io::find_splotch_file(parameters, parameters.scene_file));
  for (const auto& frame : frames) {
    const SplotchParameters& p = frame.parameters;
    names.insert(io::find_splotch_file(p, io::splotch_snapshot_path(p)));
    for (const auto& type : p.types)
      if (!type.palette.empty()) names.insert(io::find_splotch_file(p, type.palette));
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> run_splotch(const SplotchRequest& request, analysis::RunContext& context) {
  require_text(request.parameter_file);
  const SplotchParameters parameters = io::read_splotch_parameters(request.parameter_file);
  const auto frames = io::read_splotch_frames(parameters);
  std::vector<std::string> outputs;
  for (const auto& frame : frames) {
    outputs.push_back(place(request, frame.picture));
    analysis::require_target(outputs.back(), analysis::OutputFormat::Picture, {request.overwrite});
  }
  const auto inputs = inputs_of(parameters, frames);
  for (const auto& output : outputs) analysis::refuse_overwriting({output}, inputs);
  if (parameters.pictype == io::SplotchPicture::TgaRunLength && !request.quiet)
    context.print(
        "pictype=3: the .tga files are written without run-length encoding; they show "
        "the same pixels.");

  const auto renderer =
      splotch::make_renderer(request.compute.choose(), request.compute.gpu_memory_bytes);
  ParticleSet particles;
  render::SplotchScene scene;
  std::string on_device;
  std::vector<std::string> written;
  for (const auto& frame : frames) {
    const SplotchParameters& p = frame.parameters;
    const std::string key = render::splotch_columns_key(p);
    context.progress.report("frames", double(written.size()) / double(frames.size()));
    if (key != on_device) {
      particles = render::load_splotch_particles(p, outputs, context.progress);
      if (!request.quiet)
        for (const auto& sentence : particles.assumed) context.print("assumed: " + sentence);
    }
    scene = render::make_splotch_scene(particles, p);
    if (key != on_device) renderer->set_particles(particles.domain, scene.inputs, context.progress);
    on_device = key;
    const splotch::Frame drawn = renderer->render(render::splotch_view(p), scene.appearances,
                                                  options_of(p, request.compute), context.progress);
    const auto& counts = drawn.counts;
    const std::string path = place(request, frame.picture);
    if (counts.small + counts.medium + counts.large == 0)
      log::warn("the picture is empty: no particle is in view", path);
    write_frame(p, drawn, scene, path);
    written.push_back(path);
    if (!request.quiet)
      context.print(fmt::format("wrote {} ({} of {} particles in view, {:.1f} ms on {})", path,
                                counts.small + counts.medium + counts.large, counts.particles,
                                drawn.timings.median("total"), renderer->device_name()));
  }
  return written;
}

void add_splotch_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<SplotchRequest>();
  CLI::App* command =
      app.add_subcommand("splotch", "What Splotch would draw, from its own parameter file");
  command->add_option("FILE.par", request->parameter_file, "Splotch parameter file")->required();
  command
      ->add_option("--output-folder", request->output_folder,
                   "Where relative outfile names lie; default: the working folder")
      ->type_name("DIR");
  add_compute_options(*command, request->compute);
  add_overwrite_option(*command, request->overwrite);
  command->add_flag("--quiet", request->quiet, "Print warnings and errors only");
  command->callback(
      [request, &context, &run] { run = [request, &context] { run_splotch(*request, context); }; });
}

}  // namespace haloscope::app::cli
