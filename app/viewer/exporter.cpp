#include "app/viewer/exporter.h"

#include "analysis/measuring/measured_file.h"
#include "analysis/plot_csv.h"
#include "analysis/snapshot/output_guard.h"
#include "app/session/numbered_file.h"
#include "app/session/path_exchange.h"
#include "app/session/state_file.h"
#include "core/array.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/version.h"
#include "render/colors/layers.h"
#include "render/files/image_file.h"
#include "render/files/png_file.h"
#include "render/film/film.h"
#include "render/film/film_output.h"
#include "render/plots/plot_style.h"
#include "render/plots/plot_svg.h"
#include "render/scene/map_output.h"
#include "render/scene/picture_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

namespace haloscope::app::viewer {

namespace {

namespace fs = std::filesystem;
using session::StillRequest;

// While an export waits for its overlays, it looks so often whether it was cancelled.
constexpr auto kPatience = std::chrono::milliseconds(50);
constexpr int kLargestStill = 16384;

void require_still(const StillRequest& request, const session::State& state) {
  const int width = request.width, height = request.height;
  const std::string extension = render::image_extension(request.path);
  if (request.transparent && extension != ".png")
    throw Error("only .png has a transparent ground", request.path);
  if (request.transparent && state.tone.white_ground)
    throw Error("a transparent ground is not white", request.path,
                "leave the word transparent out, or choose ground dark");
  if (request.transparent && state.map.shown)
    throw Error("a map covers its ground, which cannot be transparent", request.path,
                "leave the word transparent out, or choose another look");
  if (width < 1 || height < 1 || width > kLargestStill || height > kLargestStill)
    throw Error(fmt::format("a still of {} x {} pixels cannot be made", width, height),
                request.path, fmt::format("the longest side is {}", kLargestStill));
  analysis::require_target(request.path, analysis::OutputFormat::Picture,
                           analysis::overwriting_by_word(request.overwrite));
  require_host_memory(render::picture_bytes({width, height}), "a picture of this size");
}

// Pixels of a plot per point of its size: its letters are twice as high as the window's.
constexpr int kPlotScale = 2;

analysis::OutputFormat plot_format(const std::string& path) {
  const std::string extension = render::lower_extension(path);
  if (extension == ".csv") return analysis::OutputFormat::Csv;
  if (extension == ".svg") return analysis::OutputFormat::Svg;
  if (extension == ".png") return analysis::OutputFormat::Picture;
  throw Error("a plot cannot be written as this", path, "name it .csv, .svg or .png");
}

// What made the picture, so that the file can be asked, and shown again (load_state).
render::ImageText description(const OpenScene& open, const std::string& scene,
                              const session::State& state) {
  return {{"Software", version()},
          {"Source", open.model.path},
          {"Scene", scene},
          {"State", session::state_text(state)}};
}

// The colors are as the state says; the film's path has the camera. The types that are read are
// those of the window, for the same pixels.
render::RenderRequest film_picture(const render::RenderRequest& base, const SceneModel& scene,
                                   const session::State& state, const session::FilmRequest& asked) {
  const render::RenderRequest said = session::to_render_request(state);
  render::RenderRequest picture = base;
  picture.snapshot = said.snapshot;
  picture.choices = said.choices;
  picture.slice = said.slice;
  picture.slab = said.slab;
  picture.sets = said.sets;
  picture.map = said.map;
  picture.hidden_too = true;
  for (std::size_t k = 0; k < scene.types.size(); ++k)
    if (!scene.looks[k].shown)
      picture.choices[scene.types[k]].shown = render::is_shown(state.type(scene.types[k]), false);
  picture.exposure_ev = said.exposure_ev;
  picture.gamma = said.gamma;
  picture.tone = said.tone;
  picture.white_ground = said.white_ground;
  picture.output = asked.path;
  picture.size = PixelSize{asked.width, asked.height};
  picture.quiet = false;
  return picture;
}

std::string overlays_in_words(const session::State& state) {
  session::State words;
  words.overlays = state.overlays;
  words.findings = state.findings;
  words.shown_finder = state.shown_finder;
  words.ruler = state.ruler;
  return session::state_text(words);
}

// The state as the color bar of a film's frame shows it: with the limits that were drawn with,
// which are keyed or those of the film's first snapshot, and not of the one in the window.
session::State as_drawn(const session::State& state, const render::FilmFrame& frame) {
  session::State shown = state;
  if (state.map.shown) {
    shown.map.color.scale = frame.map.transform;
    shown.map.color.limits =
        session::Limits{render::in_field_units(frame.map.transform, double(frame.map.low)),
                        render::in_field_units(frame.map.transform, double(frame.map.high))};
  }
  for (std::size_t k = 0; k < frame.types.size(); ++k) {
    const auto& color = frame.appearances[k].color;
    render::TypeChoice& type = shown.types.try_emplace(frame.types[k]).first->second;
    type.scale = color.transform;
    type.limits = session::Limits{render::in_field_units(color.transform, color.low),
                                  render::in_field_units(color.transform, color.high)};
  }
  return shown;
}

}  // namespace

Image8 on_transparent_ground(const Image8& picture) {
  Image8 clear(picture.width, picture.height, 4);
  const std::size_t pixels = picture.pixels.size() / 3;
  for (std::size_t p = 0; p < pixels; ++p) {
    const std::uint8_t* const in = &picture.pixels[3 * p];
    std::uint8_t* const out = &clear.pixels[4 * p];
    const unsigned alpha = std::max({in[0], in[1], in[2]});
    for (std::size_t c = 0; c < 3; ++c)
      out[c] = alpha ? std::uint8_t((255u * in[c] + alpha / 2) / alpha) : std::uint8_t(0);
    out[3] = std::uint8_t(alpha);
  }
  return clear;
}

Exporter::Exporter(std::function<void()> wake, Say say, Done done, Say failed)
    : wake_(wake),
      say_(std::move(say)),
      done_(std::move(done)),
      task_(std::move(wake), std::move(failed)) {}

void Exporter::require_idle() const {
  if (const Worker::Status running = task_.status(); running.busy)
    throw Error("another file is being written: " + running.phase, {},
                "wait for it, or cancel it (Escape)");
}

void Exporter::submit(const std::string& name, std::function<void(Progress&)> work) {
  task_.submit(
      name,
      [work = std::move(work)](const std::shared_ptr<Progress>& progress) { work(*progress); },
      false);
}

void Exporter::cancel() {
  shots_.clear();
  task_.cancel();
  const std::lock_guard lock(orders_mutex_);
  orders_.clear();
}

// What a still shows.
struct Exporter::Still {
  std::shared_ptr<OpenScene> scene;
  ShownFindings shown;
  session::State state;
  StillRequest request;
};

// The light of a still, and what makes a picture of it.
struct Exporter::Drawn {
  compute::splotch::View view;
  compute::splotch::Frame frame;
  render::RenderRequest output;
  render::Exposure exposure;
  render::ImageText text;
};

Exporter::Drawn Exporter::draw(Still still, Progress& progress) {
  if (still.shown.sought && !still.shown.sought->sets.empty()) {
    analysis::KnownIds ids;
    still.shown.sets.members = std::make_shared<const analysis::SetMembers>(
        analysis::members_of_sets(*still.shown.sought, ids, progress));
  }
  progress.report("drawing", 0);
  Drawn drawn;
  drawn.view = session::to_view(*still.state.camera, still.request.width, still.request.height);
  const auto looks =
      looks_of(still.scene->model, still.state, still.shown.colors, still.shown.sets);
  DescribedFrame described = draw_described(*still.scene, looks, drawn.view, progress);
  drawn.frame = std::move(described.frame);
  drawn.output = session::to_render_request(still.state);
  drawn.output.output = still.request.path;
  drawn.exposure = render::choose_exposure(drawn.output, drawn.frame, looks.sets);
  drawn.text = description(*still.scene, described.scene, still.state);
  return drawn;
}

// As it is seen in the window, with its overlays.
Image8 Exporter::display(const Still& still, const Drawn& drawn, const Progress& progress) {
  const StillRequest& request = still.request;
  Image8 picture =
      render::with_slice(render::display_picture(drawn.output, drawn.frame.image, drawn.exposure),
                         still.shown.slice, drawn.view);
  if (request.overlays) {
    OverlayOrder order;
    order.scene = still.scene;
    order.finding = still.shown.circled;
    order.state = still.state;
    order.camera = *still.state.camera;
    order.width = request.width;
    order.height = request.height;
    order.colors = still.shown.colors;
    order.slice = still.shown.slice;
    order.compared = still.shown.compared;
    order.map = drawn.exposure.map;
    picture = render::under_layer(picture, order_layer(std::move(order), progress));
  }
  return request.transparent ? on_transparent_ground(picture) : picture;
}

void Exporter::still(std::shared_ptr<OpenScene> scene, const ShownFindings& shown,
                     const session::State& state, const StillRequest& asked) {
  require_idle();
  StillRequest request = asked;
  if (request.path.empty()) request.path = session::numbered_file("png");
  require_still(request, state);
  const PixelSize size{request.width, request.height};
  if (render::is_worth_telling(render::picture_bytes(size))) say_(render::memory_in_words(size));
  const Still still{std::move(scene), shown, state, request};
  submit("writing " + request.path, [this, still, request](Progress& progress) {
    const Drawn drawn = draw(still, progress);
    if (render::image_extension(request.path) == ".exr") {
      render::require_parallel(drawn.output, drawn.view, "make the view parallel (key O)");
      render::write_picture(drawn.output, drawn.frame.image, drawn.exposure, drawn.text, {},
                            drawn.view);
    } else {
      const Image8 picture = display(still, drawn, progress);
      progress.report("writing", 0.9);
      if (request.transparent)
        render::write_png(request.path, picture, drawn.text);
      else
        render::write_image8(request.path, picture, drawn.text);
    }
    done_(fmt::format("Wrote {}, {}x{}", request.path, request.width, request.height),
          request.path);
  });
}

void Exporter::picture(std::shared_ptr<OpenScene> scene, const ShownFindings& shown,
                       const session::State& state, const StillRequest& request,
                       std::function<void(std::string png)> take) {
  require_idle();
  const Still still{std::move(scene), shown, state, request};
  submit("drawing a picture", [this, still, take = std::move(take)](Progress& progress) {
    const Drawn drawn = draw(still, progress);
    take(render::png_bytes(display(still, drawn, progress), drawn.text));
  });
}

void Exporter::film(std::shared_ptr<OpenScene> scene, const ShownFindings& found,
                    const render::RenderRequest& base, const session::State& seen,
                    const session::FilmRequest& asked) {
  session::State state = seen;
  // Pieces were found in the window's snapshot alone: their circles and numbers would not follow
  // the series.
  const bool series = state.snapshots.size() > 1;
  if (series) state.overlays.pieces = state.overlays.labels = false;
  // The camera flies along its own path: the line would lie in its eye.
  state.overlays.path = false;
  require_idle();
  render::FilmRequest request;
  request.picture = film_picture(base, scene->model, state, asked);
  request.snapshots = state.snapshots;
  request.fps = asked.fps;
  request.keys = session::to_path_file(state.path);
  ShownFindings shown = found;
  request.colors = found.colors;
  // What is in the window need not be searched for again.
  if (request.picture.slice) request.picture.slice->known = found.slice;
  if (request.picture.sets && !found.sought) request.picture.sets->known = found.sets.members;
  // A film of a series has no colors of a finding, and says so: their legend must go too.
  if (series) shown.colors = {};
  if (state.map.shown) request.colors = shown.colors = {};
  if (series) shown.slice = {};
  if (series) shown.compared = {};
  if (series)
    for (auto& [finder, finding] : state.findings) finding.color_particles = false;
  request.redraw = true;
  request.overwrite = asked.overwrite;
  if (asked.frames) request.to = std::max<std::uint64_t>(1, *asked.frames) - 1;
  const render::FilmName name(asked.path);
  const fs::path folder = fs::path(name.frame(0)).parent_path();
  std::error_code failed;
  if (!folder.empty()) fs::create_directories(folder, failed);
  analysis::require_target(
      name.frame(0),
      name.is_one_file() ? analysis::OutputFormat::Film : analysis::OutputFormat::Picture,
      analysis::overwriting_by_word(asked.overwrite));
  if (name.is_one_file()) render::Encoder::require_size(*request.picture.size, asked.path);
  if (name.is_one_file()) render::Encoder::find_program();
  submit("writing " + asked.path,
         [this, scene, shown = shown, request, asked, state](Progress& progress) mutable {
           if (asked.overlays) {
             request.overlay_in_words = overlays_in_words(state);
             request.overlay = [&](const Image8& picture, const render::FilmFrame& frame) {
               const auto view = render::view_of(frame.key, picture.width, picture.height);
               OverlayOrder order{scene,
                                  shown.circled,
                                  as_drawn(state, frame),
                                  session::from_view(view),
                                  picture.width,
                                  picture.height,
                                  frame.epoch,
                                  {},
                                  {},
                                  shown.colors,
                                  shown.slice,
                                  shown.compared,
                                  frame.map};
               return render::under_layer(picture, order_layer(std::move(order), progress));
             };
           }
           analysis::RunContext context{progress, [this](const std::string& line) { say_(line); },
                                        "haloscope view"};
           try {
             const auto film = render::run_movie(request, context);
             done_(fmt::format("Wrote {}, {} frame{} of {}x{}{}", asked.path, film.drawn,
                               film.drawn == 1 ? "" : "s", asked.width, asked.height,
                               film.white.empty() ? "" : ", which grow white: see the log"),
                   asked.path);
           } catch (const analysis::CancelledMidway& stopped) {
             done_(std::string("The film was stopped; ") + stopped.what(), {});
           }
         });
}

void Exporter::file(const std::string& path, std::function<void(Progress&)> work) {
  require_idle();
  require_writable(path);
  submit("writing " + path, [this, path, work = std::move(work)](Progress& progress) {
    progress.report("writing", 0);
    work(progress);
    done_("Wrote " + path, path);
  });
}

void Exporter::plot(std::shared_ptr<const analysis::Plot> plot, const std::string& path,
                    bool overwrite, std::string table) {
  const auto format = plot_format(path);
  require_idle();
  analysis::require_target(path, format, analysis::overwriting_by_word(overwrite));
  file(path, [this, plot, path, format, table = std::move(table)](Progress& progress) {
    if (format == analysis::OutputFormat::Csv)
      return analysis::write_text(path, table.empty() ? analysis::plot_csv(*plot) : table);
    if (format == analysis::OutputFormat::Svg)
      return analysis::write_text(path, render::plot_svg(*plot));
    OverlayOrder order;
    order.plot = plot;
    order.width = kPlotScale * int(render::kPaperWidth);
    order.height = kPlotScale * int(render::kPaperHeight);
    std::string notes;
    for (const std::string& note : plot->notes) notes += note + "\n";
    render::write_png(path, order_layer(std::move(order), progress),
                      {{"Software", version()}, {"Description", notes}});
  });
}

void Exporter::window_shot(const std::string& path, bool overwrite) {
  const std::string name = path.empty() ? session::numbered_file("png") : path;
  if (render::image_extension(name) == ".exr")
    throw Error("a picture of the window is no linear light", name, "use .png");
  analysis::require_target(name, analysis::OutputFormat::Picture,
                           analysis::overwriting_by_word(overwrite));
  shots_.push_back(name);
}

void Exporter::finish_window_shot(const Image8& window) {
  render::write_image8(shots_.front(), window, {{"Software", version()}});
  done_(fmt::format("Wrote {}, {}x{}", shots_.front(), window.width, window.height),
        shots_.front());
  drop_window_shot();
}

Image8 Exporter::order_layer(OverlayOrder order, const Progress& progress) {
  std::future<Image8> layer = order.layer.get_future();
  {
    const std::lock_guard lock(orders_mutex_);
    orders_.push_back(std::move(order));
  }
  wake_();
  while (layer.wait_for(kPatience) != std::future_status::ready)
    if (progress.cancelled()) throw Cancelled();
  return layer.get();
}

bool Exporter::wants_screen() const {
  const std::lock_guard lock(orders_mutex_);
  return !orders_.empty() || !shots_.empty();
}

std::optional<OverlayOrder> Exporter::take_order() {
  const std::lock_guard lock(orders_mutex_);
  if (orders_.empty()) return {};
  OverlayOrder order = std::move(orders_.front());
  orders_.erase(orders_.begin());
  return order;
}

}  // namespace haloscope::app::viewer
