#include "app/commands/render.h"

#include "app/choose_looks.h"
#include "app/choose_types.h"
#include "app/command_line.h"
#include "app/device.h"
#include "app/map_output.h"
#include "app/match_field.h"
#include "app/open_snapshot.h"
#include "app/output_guard.h"
#include "app/periodic_map.h"
#include "app/picture_output.h"
#include "app/picture_warnings.h"
#include "app/prepare_particles.h"
#include "app/smoothing_lengths.h"
#include "core/array.h"
#include "core/error.h"
#include "core/log.h"
#include "render/tone_map.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

namespace haloscope::app {

namespace {

namespace splotch = compute::splotch;
using splotch::Mode;

constexpr PixelSize kMapSize{1024, 1024};
// Of a set without a box, this part of the particles on each side of each axis may lie outside the
// first picture.
constexpr double kOutside = 0.002;
// Particles that extend over less of a periodic box are shown by themselves.
constexpr double kPartOfBox = 0.6;
// Largest estimated smoothing length of a star beside the longest side of what is shown: a pixel or
// two in the first picture.
constexpr double kCompactSize = 0.002;
// A single point is shown in a cube of this many of its smoothing lengths.
constexpr double kPointSize = 20;
// Relative difference below which a map counts as wide as the box.
constexpr double kSameWidth = 1e-6;
// Part of the mass whose absence from a map is told.
constexpr double kTellOutside = 1e-4;

// One run of the command, step by step.
class RenderRun {
 public:
  RenderRun(const RenderRequest& request, RunContext& context)
      : request_(request), context_(context), map_(request.mode == Mode::Map) {
    size_ = request.size.value_or(map_ ? kMapSize : PixelSize{});
  }

  Statistics run() {
    require_output(request_);
    const std::uint64_t pixels = std::uint64_t(size_.width) * std::uint64_t(size_.height);
    require_host_memory(pixels * (2 * 4 + 2 * 3) * sizeof(float), "a picture of this size");
    const auto reader = open_snapshot(request_.snapshot, request_.said);
    info_ = reader->info();
    require_own_outputs();
    match_names();
    plan_ = plan_looks(info_, request_);
    plan_.load.selection = request_.selection;
    check_camera_choice();
    renderer_ = make_renderer(request_.compute.device, request_.compute.gpu_memory_bytes);
    read(*reader);
    render::Bounds shown = bounds();
    extent_ = longest_side(shown);
    find_lengths();
    upload();
    if (map_ && !(info_.periodic && info_.box_size > 0)) {
      // A map holds all mass: every particle with its kernel.
      const double radius = largest_radius();
      for (double& low : shown.low) low -= radius;
      for (double& high : shown.high) high += radius;
    }
    if (!map_ && !(longest_side(shown) > 0)) show_point(shown);
    choose_camera(shown);
    splotch::Frame frame = draw();
    finish_statistics();
    warn_of_darkness(frame, map_, request_.mean_field);
    write(frame);
    keep_lengths();
    if (!request_.stats.empty()) write_statistics(request_.stats, statistics_);
    if (!request_.quiet) say();
    return statistics_;
  }

 private:
  render::Bounds box() const {
    render::Bounds all{info_.box_origin, info_.box_origin};
    for (double& high : all.high) high += info_.box_size;
    return all;
  }

  static double longest_side(const render::Bounds& bounds) {
    double side = 0;
    for (std::size_t c = 0; c < 3; ++c) side = std::max(side, bounds.high[c] - bounds.low[c]);
    return side;
  }

  // The region that was selected of a periodic box. It may reach over the upper edge: the renderer
  // draws each particle where it is nearest to the camera's target, the region's middle.
  std::optional<render::Bounds> selected_region() const {
    const auto& region = request_.selection.region;
    if (!region || !info_.periodic || !(info_.box_size > 0)) return {};
    render::Bounds bounds = box();
    for (std::size_t c = 0; c < 3; ++c) {
      double side = region->high[c] - region->low[c];
      if (side < 0) side += info_.box_size * std::ceil(-side / info_.box_size);
      if (side >= info_.box_size) continue;
      const double boxes = std::floor((region->low[c] - info_.box_origin[c]) / info_.box_size);
      bounds.low[c] = region->low[c] - boxes * info_.box_size;
      bounds.high[c] = bounds.low[c] + side;
    }
    return bounds;
  }

  // What the first picture shows: the box, or where the particles are.
  render::Bounds bounds() {
    if (const auto region = selected_region()) return *region;
    if (map_)
      return info_.periodic && info_.box_size > 0 ? box() : render::particle_bounds(particles_, 0);
    const render::Bounds filled = render::particle_bounds(particles_, kOutside);
    const double side = longest_side(filled);
    if (!info_.periodic || !(info_.box_size > 0)) return filled;
    // Cut-outs and zoom simulations lie somewhere in a large box.
    if (side > kPartOfBox * info_.box_size) return box();
    if (!request_.camera.any())
      plan_.said.push_back("The particles fill a part of the box: the picture shows that part.");
    return filled;
  }

  // Largest smoothing length as drawn, world length.
  double largest_radius() const {
    double largest = 0;
    for (std::size_t k = 0; k < types_.size(); ++k)
      for (float h : renderer_->radii(k)) largest = std::max(largest, double(h));
    return largest * request_.smooth;
  }

  void match_names() {
    if (!request_.color && request_.mean_field.empty()) return;
    const auto types = choose_types(info_, request_.types);
    if (request_.color) request_.color->field = match_field(info_, types, request_.color->field);
    if (!request_.mean_field.empty())
      request_.mean_field = match_field(info_, types, request_.mean_field);
  }

  void require_own_outputs() const {
    std::vector<std::string> inputs = info_.files;
    inputs.push_back(request_.snapshot);
    inputs.push_back(request_.palette);
    refuse_overwriting({request_.output, request_.stats}, inputs);
  }

  // All particles are at one point, which has no extent but their smoothing lengths.
  void show_point(render::Bounds& shown) const {
    double half = 0.5 * kPointSize * largest_radius();
    if (info_.periodic && info_.box_size > 0) half = std::min(half, 0.5 * info_.box_size);
    if (!(half > 0)) return;
    for (double& low : shown.low) low -= half;
    for (double& high : shown.high) high += half;
  }

  // Mistakes in the options show before anything is read, whatever the particles are.
  void check_camera_choice() const {
    const render::Bounds any{{0, 0, 0}, {1, 1, 1}};
    map_ ? render::choose_map_view(any, request_.camera, size_.width, size_.height)
         : render::choose_view(any, request_.camera, size_.width, size_.height);
  }

  void choose_camera(const render::Bounds& bounds) {
    view_ = map_ ? render::choose_map_view(bounds, request_.camera, size_.width, size_.height)
                 : render::choose_view(bounds, request_.camera, size_.width, size_.height);
  }

  void read(const io::SnapshotReader& reader) {
    ScopedTimer timer(statistics_.timings, "read");
    particles_ = io::load_particles(reader, plan_.load, context_.progress);
    render::clean_columns(particles_);
    for (const auto& columns : particles_.types)
      for (std::size_t k = 0; k < plan_.load.types.size(); ++k)
        if (plan_.load.types[k].type == columns.type) asked_index_.push_back(k);
    settle_looks(particles_, plan_);
    if (map_ && !request_.mean_field.empty()) leave_out_undefined(particles_, request_.mean_field);
    mass_ = render::total_mass(particles_);
  }

  void find_lengths() {
    LengthsChoice choice;
    choice.neighbors = request_.neighbors;
    const char* never = std::getenv("HALOSCOPE_NO_CACHE");
    choice.keep = request_.keep_lengths && !(never && *never);
    choice.part = request_.selection.any();
    choice.copies = request_.said.replicate;
    choice.device = request_.compute.device;
    choice.gpu_memory_bytes = request_.compute.gpu_memory_bytes;
    lengths_ = SmoothingLengths(choice);
    ScopedTimer timer(statistics_.timings, "smoothing lengths");
    lengths_.find(info_, particles_, context_.progress);
  }

  void keep_lengths() {
    if (!lengths_.has_unwritten()) return;
    ScopedTimer timer(statistics_.timings, "keep lengths");
    plan_.said.push_back(lengths_.keep(context_.progress));
  }

  // Per type, the lengths that its own file lacks; capped ones lie in `capped`.
  std::vector<const float*> missing_radii(std::vector<std::vector<float>>& capped) {
    std::vector<const float*> radii;
    capped = estimate_compact();
    for (std::size_t k = 0; k < particles_.types.size(); ++k) {
      const Array<float>& found = lengths_.of(k);
      if (is_compact(particles_.types[k]) && !found.empty())
        capped[k].assign(found.begin(), found.end());
      if (!capped[k].empty()) cap_compact(capped[k], kCompactSize * extent_);
      radii.push_back(!capped[k].empty() ? capped[k].data() : found.data());
    }
    return radii;
  }

  // Of types whose lengths need a cap and were not found, the renderer's estimate.
  std::vector<std::vector<float>> estimate_compact() {
    std::vector<std::vector<float>> radii(particles_.types.size());
    std::vector<std::size_t> indices;
    std::vector<splotch::TypeInput> inputs;
    for (std::size_t k = 0; k < particles_.types.size(); ++k) {
      const ParticleColumns& columns = particles_.types[k];
      if (!is_compact(columns) || !lengths_.of(k).empty()) continue;
      splotch::TypeInput input;
      input.count = columns.count;
      for (std::size_t c = 0; c < 3; ++c) input.position[c] = columns.position[c].data();
      indices.push_back(k);
      inputs.push_back(input);
    }
    if (inputs.empty()) return radii;
    renderer_->set_particles(particles_.domain, inputs, context_.progress);
    const auto estimated = renderer_->estimated_radii();
    for (std::size_t j = 0; j < indices.size(); ++j) {
      radii[indices[j]] = renderer_->radii(j);
      estimated_[indices[j]] = estimated[j];
    }
    return radii;
  }

  void upload() {
    ScopedTimer timer(statistics_.timings, "upload");
    require_host_memory(particles_.count() * 2 * 7 * sizeof(float), "sorting the particles");
    estimated_.assign(particles_.types.size(), 0);
    std::vector<std::vector<float>> capped;
    const auto radii = missing_radii(capped);
    render::Scene scene = render::make_scene(particles_, plan_.looks, request_.mode, radii);
    renderer_->set_particles(particles_.domain, scene.inputs, context_.progress);
    const auto estimated = renderer_->estimated_radii();
    for (std::size_t k = 0; k < estimated.size(); ++k) estimated_[k] += estimated[k];
    appearances_ = std::move(scene.appearances);
    constexpr std::size_t kSample = 1u << 20;
    for (std::size_t k = 0; k < scene.inputs.size(); ++k)
      if (scene.inputs[k].density_color > 0)
        render::set_density_range(appearances_[k], plan_.looks[k],
                                  renderer_->radius_sample(k, kSample),
                                  double(scene.inputs[k].density_color), request_.mode);
    for (const auto& columns : particles_.types) {
      types_.push_back(columns.type);
      names_.push_back(columns.name);
      counts_.push_back(columns.count);
    }
    // The renderer has its own copies.
    for (auto& columns : particles_.types) columns = {};
  }

  // A map of a periodic box that covers it, wherever its middle is.
  bool is_whole_box() const {
    if (!map_ || !info_.periodic || !(info_.box_size > 0)) return false;
    const double smallest = info_.box_size * (1 - kSameWidth);
    return view_.ortho_width >= smallest &&
           view_.ortho_width * view_.height / view_.width >= smallest;
  }

  // Says which part of the mass is not in the map, where it is more than rounding.
  void tell_outside(const ImageF& image, bool margin_too_small) {
    double sum = 0;
    for (std::size_t i = 0; i < image.pixels.size(); i += 3) sum += double(image.pixels[i]);
    const double pixel = view_.ortho_width / view_.width;
    const double outside = mass_ > 0 ? 1 - sum * pixel * pixel / mass_ : 0;
    if (!(outside > kTellOutside)) return;
    const std::string part =
        fmt::format("{:.3g} % of the particles' mass lies outside the map", 100 * outside);
    if (margin_too_small)
      log::warn(part + ": some kernels are wider than the margin that closes it at the box's edges",
                "make the map smaller with --size");
    else if (is_whole_box())
      log::warn(part +
                ", though it is as wide as the box: it is closed at the box's edges only "
                "along an axis (--eye, --up)");
    else
      plan_.said.push_back(part + ".");
  }

  splotch::Frame draw() {
    splotch::Options options;
    options.mode = request_.mode;
    options.strategy = request_.compute.strategy;
    options.large = request_.compute.large;
    options.deterministic = request_.compute.deterministic;
    PeriodicMap wide;
    wide.view = view_;
    const bool closed = is_whole_box() && render::is_along_axes(view_);
    if (closed) wide = widen_view(view_, info_.box_size, largest_radius());
    splotch::Frame frame;
    for (int i = 0; i < request_.repeat; ++i) {
      context_.progress.report("drawing", double(i) / request_.repeat);
      frame = renderer_->render(wide.view, appearances_, options, context_.progress);
      statistics_.add(frame);
    }
    if (closed) frame.image = fold(frame.image, wide);
    if (map_) tell_outside(frame.image, closed && !wide.complete);
    context_.progress.report("writing", 1);
    return frame;
  }

  void finish_statistics() {
    statistics_.device = renderer_->device_name();
    statistics_.width = size_.width;
    statistics_.height = size_.height;
    statistics_.repeat = request_.repeat;
    statistics_.device_peak_bytes = renderer_->peak_device_memory();
    statistics_.host_peak_bytes = peak_host_memory();
  }

  // A limit of the color scale of type k as the field has it.
  double in_field_units(std::size_t k, double limit) const {
    switch (plan_.looks[k].transform) {
      case splotch::Transform::Log:
        return std::pow(10.0, limit);
      case splotch::Transform::Asinh:
        return std::sinh(limit);
      default:
        return limit;
    }
  }

  std::map<std::string, std::string> description() const {
    nlohmann::json scene = {{"snapshot", request_.snapshot},
                            {"types", names_},
                            {"size", {view_.width, view_.height}},
                            {"eye", view_.eye},
                            {"target", view_.target},
                            {"up", view_.up},
                            {"mode", map_                             ? "map"
                                     : request_.mode == Mode::Classic ? "classic"
                                                                      : "default"}};
    if (view_.perspective)
      scene["fov"] = view_.fov_degrees;
    else
      scene["ortho"] = view_.ortho_width;
    nlohmann::json colors = nlohmann::json::object();
    static const char* const kTransforms[] = {"lin", "log", "asinh"};
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const auto& look = plan_.looks[k];
      if (look.color.empty() || map_) continue;
      const auto& range = appearances_[k].color;
      colors[names_[k]] = {{"field", look.color},
                           {"transform", kTransforms[int(range.transform)]},
                           {"range", {in_field_units(k, range.low), in_field_units(k, range.high)}},
                           {"transformed_range", {range.low, range.high}}};
    }
    scene["color"] = colors;
    scene["exposure"] = request_.exposure_ev;
    scene["smooth"] = request_.smooth;
    nlohmann::json palettes = nlohmann::json::object(), brightness = palettes;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (map_) continue;
      const bool chosen = !request_.palette.empty() &&
                          (!request_.color || plan_.looks[k].color == request_.color->field);
      palettes[names_[k]] = chosen ? request_.palette : "default";
      const auto& b = request_.brightness;
      if (request_.mode == Mode::Classic && b.empty())
        brightness[names_[k]] = "automatic";
      else
        // Types of which nothing was loaded are no part of plan_, so count along the request.
        brightness[names_[k]] = b.empty() ? 1 : b.size() == 1 ? b.front() : b[asked_index_[k]];
    }
    if (map_)
      palettes = request_.palette.empty() ? "viridis" : request_.palette;
    else
      scene["brightness"] = brightness;
    scene["palette"] = palettes;
    return {{"Software", version()},
            {"Source", request_.snapshot},
            {"Command", context_.command_line},
            {"Scene", scene.dump()}};
  }

  void write(const splotch::Frame& frame) {
    if (map_) {
      write_map(request_, make_map(request_, info_, types_, view_, frame.image, description()));
      return;
    }
    const auto said = write_picture(request_, frame, description());
    plan_.said.insert(plan_.said.end(), said.begin(), said.end());
  }

  // Whence the lengths are that the file lacks. Particles at one point have none of either kind and
  // get the smallest.
  void say_lengths() const {
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const std::string end = types_[k] >= 2 && types_[k] <= 5 ? ", and kept short." : ".";
      if (!lengths_.of(k).empty())
        context_.print("assumed: " + lengths_.sentence(k) + end);
      else if (!lengths_.sentence(k).empty())
        context_.print(lengths_.sentence(k));
      if (estimated_[k] > 0)
        context_.print(fmt::format(
            "assumed: {} of {} {} particles have no smoothing length in the file: it was estimated "
            "from the local spacing in Morton order{}",
            estimated_[k], counts_[k], names_[k], end));
    }
  }

  void say() const {
    static const char* const kTransforms[] = {"", "log ", "asinh "};
    for (std::size_t k = 0; k < names_.size(); ++k) {
      std::string line = fmt::format("{}: {} particles", names_[k], counts_[k]);
      const auto& look = plan_.looks[k];
      if (!look.color.empty() && !map_)
        line += fmt::format(", color {}{} {:.4g} … {:.4g}", kTransforms[int(look.transform)],
                            look.color, in_field_units(k, appearances_[k].color.low),
                            in_field_units(k, appearances_[k].color.high));
      context_.print(line);
    }
    for (const auto& one : info_.assumed) context_.print("assumed: " + one.sentence);
    for (const auto& sentence : particles_.assumed) context_.print("assumed: " + sentence);
    say_lengths();
    for (const auto& sentence : plan_.said) context_.print(sentence);
    context_.print(in_words(statistics_));
    context_.print("wrote " + request_.output);
  }

  RenderRequest request_;
  RunContext& context_;
  bool map_;
  PixelSize size_;
  SnapshotInfo info_;
  LookPlan plan_;
  splotch::View view_;
  double mass_ = 0;    // of all particles that are drawn
  double extent_ = 0;  // longest side of what a first picture shows
  std::unique_ptr<splotch::Renderer> renderer_;
  ParticleSet particles_;
  std::vector<splotch::Appearance> appearances_;
  std::vector<int> types_;
  std::vector<std::string> names_;
  std::vector<std::size_t> asked_index_;  // place of each type in the order of --types
  std::vector<std::uint64_t> counts_, estimated_;
  SmoothingLengths lengths_{LengthsChoice{}};
  Statistics statistics_;
};

}  // namespace

Statistics run_render(const RenderRequest& request, RunContext& context) {
  return RenderRun(request, context).run();
}

}  // namespace haloscope::app
