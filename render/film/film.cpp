#include "render/film/film.h"

#include "analysis/measuring/measured_file.h"
#include "analysis/snapshot/json_text.h"
#include "analysis/snapshot/output_guard.h"
#include "analysis/snapshot/same_snapshot.h"
#include "compute/exec/ranks.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/version.h"
#include "io/bytes/saturating.h"
#include "render/film/exposure_words.h"
#include "render/film/film_output.h"
#include "render/film/film_request.h"
#include "render/film/film_share.h"
#include "render/film/finished_frames.h"
#include "render/film/path_file.h"
#include "render/film/white_frames.h"
#include "render/scene/memory_of_ranks.h"
#include "render/scene/picture_output.h"
#include "render/scene/picture_warnings.h"
#include "render/scene/require_for_ranks.h"
#include "render/scene/snapshot_scene.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace haloscope::render {

namespace {

namespace splotch = compute::splotch;

// Times left that were guessed from fewer frames are no use.
constexpr std::size_t kFramesToGuess = 2;

// One film, step by step.
class FilmRun {
 public:
  FilmRun(const FilmRequest& request, analysis::RunContext& context)
      : keys_of_session_(request.path.empty()),
        request_(whole_request(request)),
        share_(compute::ranks_or_alone(context.ranks)),
        ranks_(share_.ranks()),
        context_(context),
        name_(request.picture.output),
        file_(request_.keys ? *request_.keys : read_path(request_.path, request_.fps)),
        fps_(request.fps.value_or(file_.fps.value_or(kDefaultFps))),
        size_(request.picture.size.value_or(PixelSize{})) {
    // The same film has the same bytes, whatever the threads did.
    request_.picture.compute.deterministic = true;
    context_.ranks = nullptr;
    if (share_.several()) choose_device_of_rank();
    if (request_.snapshots.empty()) request_.snapshots = {request_.picture.snapshot};
    drop_of_one_snapshot(request_, context_);
  }

  FilmResult run() {
    const double latest_place = check_request();
    SnapshotSeries series(request_.picture, request_.snapshots, request_.interpolation, order());
    series_ = &series;
    request_.snapshots = series.names();
    request_.picture.snapshot = request_.snapshots[series.base(latest_place)];
    const std::unique_ptr<SnapshotScene> opened = open_scene(series.base(latest_place));
    SnapshotScene& scene = *opened;
    if (keys_of_session_ && !scene.has_color_range()) drop_ranges();
    check_scene(scene);
    scene.load();
    follow_together(scene);
    if (request_.colors) scene.color_by(request_.colors);
    if (context_.ranks || ranks_.first()) scene.keep_lengths();
    path_.emplace(complete_path(file_, defaults(scene)));
    write_given_path();
    choose_exposure_once(scene);
    if (!request_.picture.quiet) say(scene);
    try {
      draw_all(scene);
      sum_up();
    } catch (const Cancelled&) {
      throw analysis::CancelledMidway(how_to_go_on());
    }
    result_.white = white_.sentence(exposed_frame_);
    if (!request_.picture.quiet) say_result();
    return result_;
  }

 private:
  bool can_share_particles() const {
    return request_.split != FilmSplit::Frames && request_.snapshots.size() == 1 &&
           can_be_drawn_by_ranks(request_.picture);
  }

  void share_particles() {
    share_.share_particles();
    context_.ranks = &ranks_;
    // Ranks of a launcher choose their devices again, as for a picture.
    if (!gpus_) request_.picture.compute.chosen.reset();
  }

  // The scene of one snapshot, not loaded yet. Ranks choose here how they share the film.
  std::unique_ptr<SnapshotScene> open_scene(std::size_t base) {
    const auto open = [&] {
      auto scene = std::make_unique<SnapshotScene>(request_.picture, context_);
      series_->begin(*scene, base);
      return scene;
    };
    auto scene = open();
    if (!share_.several()) return scene;
    analysis::require_same_snapshot(ranks_, scene->info());
    const std::uint64_t whole = scene->loading_memory();
    const std::uint64_t own = std::max(series_->memory(), io::saturating_sum(whole, frame_bytes_));
    const char* const remedy = "choose fewer particle types (--types) or pixels";
    if (!share_.by_particles() && (!can_share_particles() || ranks_have_memory(ranks_, own))) {
      require_memory(own, "the particles of a film and a frame", remedy);
      return scene;
    }
    if (!share_.by_particles()) {
      scene.reset();
      share_particles();
      frame_bytes_ = bytes_of_frames();
      scene = open();
    }
    require_memory_of_ranks(ranks_, gpus_, HeldByRanks::Parts,
                            io::saturating_sum(whole / std::uint64_t(ranks_.size()), frame_bytes_),
                            "the particles and frames of a film", remedy);
    scene->note(
        fmt::format("Each of the {} {} has a part of the particles, and draws it in all frames.",
                    ranks_.size(), gpus_ ? "GPUs" : "ranks"));
    return scene;
  }

  // The middle of a followed set is looked for among all particles, which one rank has room for.
  void follow_together(const SnapshotScene& scene) {
    if (!share_.by_particles()) return;
    series_->know_followed(
        0, share_.told([&] { return series_->followed(0, scene, context_.progress); }));
  }

  // A frame that ranks draw together is counted by all of them.
  void sum_up() {
    for (std::size_t* count : {&result_.drawn, &result_.kept})
      *count = std::size_t(ranks_.sum(std::uint64_t(share_.has_frames() ? *count : 0)));
    white_.share(ranks_, share_.rank_with(last_, first_));
  }

  // Each rank has a scene and a frame of its own.
  void require_memory(std::uint64_t own, const char* what, const char* remedy) const {
    require_memory_of_ranks(ranks_, gpus_, HeldByRanks::Each, own, what, remedy);
  }

  void choose_device_of_rank() {
    RenderRequest& picture = request_.picture;
    gpus_ = picture.compute.chosen.has_value();
    device_of_rank_ = device_of_rank(picture.compute, ranks_);
    picture.compute.chosen = device_of_rank_;
    picture.said.device = device_of_rank_.word();
  }

  // Keys that were made in a window count the snapshots in the order that they had there.
  SeriesOrder order() const {
    const bool counted = std::any_of(file_.keys.begin(), file_.keys.end(),
                                     [](const PathKey& key) { return key.snapshot.has_value(); });
    return keys_of_session_ && counted ? SeriesOrder::AsGiven : SeriesOrder::ByTime;
  }

  // Keys keep limits where one type is shown, and others may have been shown again since.
  void drop_ranges() {
    bool dropped = false;
    for (PathKey& key : file_.keys) {
      dropped = dropped || key.range;
      key.range.reset();
    }
    if (dropped && request_.picture.map.shown)
      context_.print("Limits of the path's keys are those of light: the map keeps its own.");
    else if (dropped)
      context_.print(
          "Limits of the path's keys are left out: several types have a color, and keys can tell "
          "the limits of one. Hide the others (hide TYPE).");
  }

  // All that can be known before a snapshot is opened. Returns the latest place that is shown.
  double check_request() {
    require_sets_of_series(request_);
    if (name_.is_one_file()) Encoder::require_size(size_, name_.text());
    if (name_.is_one_file() && ranks_.first()) program_ = Encoder::find_program();
    // Stands in for what only the snapshot tells.
    PathDefaults any;
    any.view = [&](const CameraChoice& choice) {
      return choose_view({}, choice, size_.width, size_.height);
    };
    any.transformed_limit = [](double limit) { return limit; };
    any.snapshots = request_.snapshots.size();
    const CameraPath path = complete_path(file_, any);
    const std::size_t frames = path.frame_count(fps_);
    require_places(path, request_.snapshots.size(), file_.path);
    first_ = request_.from.value_or(0);
    last_ = request_.to.value_or(frames - 1);
    if (first_ > last_ || last_ >= frames)
      throw Error(
          fmt::format("the film has frames 0 to {}, not {} to {}", frames - 1, first_, last_),
          "--from, --to", "choose frames of it");
    if (ranks_.first()) check_targets();
    if (share_.several() && request_.split == FilmSplit::Particles) {
      require_split(request_);
      share_particles();
    }
    frame_bytes_ = bytes_of_frames();
    require_memory(frame_bytes_, "frames of this size", "choose fewer pixels");
    if (!request_.picture.quiet && is_worth_telling(frame_bytes_))
      context_.print(fmt::format("Frames of {} x {} pixels take {:.1f} GiB of memory{}.",
                                 size_.width, size_.height, double(frame_bytes_) / (1 << 30),
                                 share_.frames_per_round() > 1 ? " on each rank" : ""));
    // Structures grow brighter with time: what suits the first snapshot burns out the last.
    exposed_frame_ = path.latest_frame(fps_, request_.interpolation == InterpolationChoice::None);
    return path.frame(exposed_frame_, fps_).snapshot;
  }

  // Host memory for frames on this rank.
  std::uint64_t bytes_of_frames() const {
    if (!share_.has_frames())
      return picture_bytes_of_rank(request_.picture, size_, device_of_rank_, false);
    return share_.bytes_of_frames(size_, name_.is_one_file());
  }

  void check_targets() const {
    const bool toml = lower_extension(request_.write_path) == ".toml";
    const analysis::Overwriting overwriting{request_.overwrite};
    if (!request_.write_path.empty())
      analysis::require_target(request_.write_path,
                               toml ? analysis::OutputFormat::Toml : analysis::OutputFormat::Text,
                               overwriting);
    if (name_.is_one_file())
      return analysis::require_target(name_.text(), analysis::OutputFormat::Film, overwriting);
    // A folder that is not there yet is made with the first frame, where it can be.
    if (name_.lacks_folder()) return require_writable(name_.folder());
    require_writable(name_.frame(first_));
    // Otherwise is_finished_frame() looks at each frame that is there.
    for (std::size_t n = first_; n <= last_ && request_.redraw; ++n)
      analysis::require_target(name_.frame(n), analysis::OutputFormat::Picture,
                               analysis::overwriting_by_word(request_.overwrite));
  }

  void check_scene(const SnapshotScene& scene) const {
    std::vector<std::string> inputs = request_.snapshots;
    for (const SnapshotInfo& info : series_->infos())
      inputs.insert(inputs.end(), info.files.begin(), info.files.end());
    inputs.insert(inputs.end(), {request_.picture.palette, request_.picture.state, request_.path});
    analysis::refuse_overwriting({request_.write_path}, request_.snapshots);
    for (std::size_t n = first_; n <= last_; ++n) {
      analysis::refuse_overwriting({name_.frame(n), request_.write_path}, inputs);
      if (name_.is_one_file()) break;
    }
    for (const PathKey& key : file_.keys)
      if (key.range && !scene.has_color_range())
        throw Error("a range needs to know of which field it is", file_.path,
                    "add --color FIELD, or choose one type with --types");
  }

  PathDefaults defaults(SnapshotScene& scene) const {
    PathDefaults defaults;
    defaults.view = [&, this](const CameraChoice& choice) { return scene.view(choice, size_); };
    defaults.exposure_ev = request_.picture.exposure_ev.value_or(0);
    defaults.range = scene.color_range().value_or(std::array<double, 2>{});
    defaults.transformed_limit = [&](double limit) { return scene.transformed_limit(limit); };
    defaults.snapshots = request_.snapshots.size();
    return defaults;
  }

  void write_given_path() const {
    if (request_.write_path.empty() || !ranks_.first()) return;
    const bool toml = lower_extension(request_.write_path) == ".toml";
    analysis::write_text(request_.write_path,
                         toml ? path_as_toml(file_) : path_as_splotch_scene(*path_, fps_));
  }

  // The whole camera moves with the set that it follows.
  CameraKey key_of(const SnapshotScene& scene, std::size_t n) {
    CameraKey key = path_->frame(n, fps_);
    Progress inner([this](const std::string&, double) { report(); });
    const auto middle = series_->followed(key.snapshot, scene, inner);
    for (std::size_t c = 0; c < 3 && middle; ++c) {
      key.eye[c] += (*middle)[c] - key.target[c];
      key.target[c] = (*middle)[c];
    }
    return key;
  }

  CameraKey set_frame(SnapshotScene& scene, std::size_t n) {
    const CameraKey key = key_of(scene, n);
    if (scene.has_color_range()) scene.set_color_range(key.range);
    return key;
  }

  // By the first frame of the latest snapshot, whichever frame comes first: parts of a film fit
  // together.
  void choose_exposure_once(SnapshotScene& scene) {
    // GPUs of one machine are told apart by their names, and frames must not be.
    device_ = ranks_.all_texts(scene.renderer().device_name()).front();
    if (request_.tone && !request_.picture.map.shown) {
      exposure_.curve = *request_.tone;
      return;
    }
    const splotch::Frame frame = draw(scene, set_frame(scene, exposed_frame_));
    if (!share_.has_frames()) return;
    exposure_ = choose_exposure(scene.request(), frame, scene.sets());
    if (!ranks_.first()) return;
    warn_of_darkness(frame, scene.request().map.shown, scene.request().map.field);
  }

  splotch::Frame draw(SnapshotScene& scene, const CameraKey& key) {
    // The renderer's own phases would make the bar jump.
    Progress inner([this](const std::string&, double) { report(); });
    series_->show(scene, key.snapshot, context_, inner);
    return scene.draw(view_of(key, size_.width, size_.height), inner);
  }

  // What decides the pixels of a frame, and nothing else, so that a film drawn in parts has the
  // bytes of one drawn at once.
  ImageText description(const SnapshotScene& scene, const CameraKey& key) const {
    nlohmann::json json = scene.describe(view_of(key, size_.width, size_.height));
    const RenderRequest& r = scene.request();
    json["exposure"] = key.exposure_ev;
    if (r.map.shown)
      json["map_limits"] = {int(map_drawn(r).transform), map_drawn(r).low, map_drawn(r).high};
    else if (r.mode == splotch::Mode::Classic)
      json["brightness_factor"] = exposure_.brightness;
    else
      json["tone"] = {exposure_.curve.white, exposure_.curve.softening};
    json["device"] = device_;
    if (request_.overlay) json["overlays"] = request_.overlay_in_words;
    series_->describe(key.snapshot, json);
    json["neighbors"] = r.neighbors;
    json["said"] = r.said.entries();
    json["replicate"] = r.said.replicate;
    json["every"] = r.selection.every;
    json["max_particles"] = r.selection.max_particles;
    if (r.selection.region) json["region"] = {r.selection.region->low, r.selection.region->high};
    return {{"Software", version()},
            {"Source", series_->sources(key.snapshot)},
            {"Scene", analysis::json_text(json, -1)}};
  }

  // Scale and limits of a map.
  splotch::Ranging map_drawn(const RenderRequest& request) const {
    return map_color(request.map, exposure_.map);
  }

  // One rank prepares what all write into.
  void prepare_target(SnapshotScene& scene) {
    name_.make_folder();
    if (name_.is_one_file()) {
      encoder_ = std::make_unique<Encoder>(program_, name_.text(), size_, fps_);
    } else if (!redraws()) {
      // Before the first new frame, so that the answer comes at once.
      for (std::size_t n = first_; n <= last_; ++n)
        is_finished_frame(name_, n, description(scene, set_frame(scene, n)));
    }
  }

  void draw_all(SnapshotScene& scene) {
    if (ranks_.first()) prepare_target(scene);
    ranks_.barrier();
    start_ = Clock::now();
    for (std::size_t round = first_; round <= last_; round += share_.frames_per_round()) {
      Image8 shown;
      if (const std::size_t n = share_.own_frame(round); n <= last_) shown = draw_frame(scene, n);
      if (name_.is_one_file())
        share_.pass_on(shown, [this](const Image8& frame) { encoder_->write(frame); });
    }
    if (encoder_) encoder_->finish();
  }

  // Returns a frame of one file, and writes others. Nothing on ranks that do not get it.
  Image8 draw_frame(SnapshotScene& scene, std::size_t n) {
    report();
    const CameraKey key = set_frame(scene, n);
    const ImageText text = description(scene, key);
    if (share_.agreed([&] { return is_there(n, text); })) {
      ++result_.kept;
      return {};
    }
    const ImageF image = draw(scene, key).image;
    ++result_.drawn;
    return share_.has_frames() ? finish(scene, n, image, key, text) : Image8();
  }

  bool redraws() const { return request_.overwrite || request_.redraw; }

  bool is_there(std::size_t n, const ImageText& text) const {
    if (name_.is_one_file()) return false;
    try {
      return is_finished_frame(name_, n, text);
    } catch (const Error&) {
      if (!redraws()) throw;
      return false;
    }
  }

  Image8 finish(const SnapshotScene& scene, std::size_t n, const ImageF& image,
                const CameraKey& key, const ImageText& text) {
    RenderRequest frame = scene.request();
    frame.output = name_.frame(n);
    frame.exposure_ev = key.exposure_ev;
    const splotch::View view = view_of(key, size_.width, size_.height);
    const bool is_end = n == first_ || n == last_;
    if (is_end && !request_.tone && !frame.map.shown && frame.mode == splotch::Mode::Default)
      white_.look(display_picture(frame, image, exposure_));
    if (!name_.is_one_file() && !request_.overlay) {
      write_picture(frame, image, exposure_, text, scene.slice(), view);
      return {};
    }
    Image8 shown = with_slice(display_picture(frame, image, exposure_), scene.slice(), view);
    if (request_.overlay)
      shown = request_.overlay(shown, {key, series_->epoch(key.snapshot), scene.types(),
                                       scene.appearances(), map_drawn(frame)});
    if (name_.is_one_file()) return shown;
    write_image8(frame.output, shown, text);
    return {};
  }

  void report() {
    // The others have done about as many.
    const std::size_t all = last_ - first_ + 1, rounds = result_.drawn + result_.kept;
    const std::size_t done = std::min(all, rounds * share_.frames_per_round());
    std::string phase = fmt::format("frame {} of {}", std::min(done + 1, all), all);
    if (result_.drawn >= kFramesToGuess) {
      const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
      phase += ", " +
               duration_in_words(seconds / double(result_.drawn * share_.frames_per_round()) *
                                 double(all - done)) +
               " left";
    }
    context_.progress.report(phase, double(done) / double(all));
  }

  void say(const SnapshotScene& scene) const {
    for (const auto& sentence : scene.sentences()) context_.print(sentence);
    for (const auto& sentence : series_->sentences()) context_.print(sentence);
    const std::string words = exposure_in_words(scene.request(), exposure_, exposed_frame_);
    if (!words.empty() && !(request_.tone && !scene.request().map.shown)) context_.print(words);
    if (name_.is_one_file() && (size_.width % 2 != 0 || size_.height % 2 != 0))
      context_.print("H.264 needs even sides: the film gets a black column or row more");
  }

  void say_result() const {
    if (!result_.white.empty()) context_.print(result_.white);
    if (name_.is_one_file())
      return context_.print(
          fmt::format("wrote {}: {} frames, {} a second", name_.text(), result_.drawn, fps_));
    std::string line = fmt::format("wrote {} frame{}, {}", result_.drawn,
                                   result_.drawn == 1 ? "" : "s", name_.frame(first_));
    if (last_ != first_) line += " to " + name_.frame(last_);
    if (result_.kept > 0) line += fmt::format(" ({} of them were there already)", result_.kept);
    context_.print(line);
  }

  std::string how_to_go_on() const {
    if (name_.is_one_file())
      return "no film was written (frames, -o frames/%05d.png, can be continued)";
    if (share_.several()) return "frames are written; the same command goes on with the others";
    return fmt::format("{} of {} frames are written; the same command goes on with the next",
                       result_.drawn + result_.kept, last_ - first_ + 1);
  }

  using Clock = std::chrono::steady_clock;
  bool keys_of_session_;  // made in the window, not in a file
  FilmRequest request_;
  FilmShare share_;
  compute::Ranks& ranks_;
  analysis::RunContext context_;  // with ranks only where these share the particles
  FilmName name_;
  PathFile file_;
  double fps_;
  PixelSize size_;
  std::string program_;
  SnapshotSeries* series_ = nullptr;
  std::optional<CameraPath> path_;
  std::size_t first_ = 0, last_ = 0;
  std::size_t exposed_frame_ = 0;  // whose exposure all have
  Exposure exposure_;
  WhiteFrames white_;
  bool gpus_ = false;  // ranks are those of one process
  std::uint64_t frame_bytes_ = 0;
  compute::Device device_of_rank_;  // of several
  std::string device_;              // its name, as frames tell it
  std::unique_ptr<Encoder> encoder_;
  FilmResult result_;
  Clock::time_point start_;
};

}  // namespace

FilmResult run_movie(const FilmRequest& request, analysis::RunContext& context) {
  return FilmRun(request, context).run();
}

}  // namespace haloscope::render
