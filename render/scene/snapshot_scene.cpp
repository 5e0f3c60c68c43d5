#include "render/scene/snapshot_scene.h"

#include "analysis/snapshot/device.h"
#include "analysis/snapshot/match_field.h"
#include "analysis/snapshot/open_snapshot.h"
#include "core/array.h"
#include "core/check.h"
#include "core/error.h"
#include "core/log.h"
#include "render/colors/palette.h"
#include "render/scene/periodic_map.h"
#include "render/scene/prepare_particles.h"
#include "render/scene/scene.h"
#include "render/scene/shrinking_sphere.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace haloscope::render {

namespace splotch = compute::splotch;
using splotch::Mode;

namespace {

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
// Two copies of a particle's columns.
constexpr std::uint64_t kBytesToSort = 2 * 7 * sizeof(float);

double longest_side(const Bounds& bounds) {
  double side = 0;
  for (std::size_t c = 0; c < 3; ++c) side = std::max(side, bounds.high[c] - bounds.low[c]);
  return side;
}

}  // namespace

SnapshotScene::SnapshotScene(const RenderRequest& request, analysis::RunContext& context)
    : request_(request), context_(context), map_(request.mode == Mode::Map) {
  reader_ = analysis::open_snapshot(request_.snapshot, request_.said);
  info_ = reader_->info();
  match_names();
  plan_ = plan_looks(info_, request_);
  plan_.load.selection = request_.selection;
}

void SnapshotScene::load() {
  renderer_ = analysis::make_renderer(request_.compute.device, request_.compute.gpu_memory_bytes);
  search_halos_to_color();
  {
    ScopedTimer timer(statistics_.timings, "read");
    prepare(io::load_particles(*reader_, plan_.load, context_.progress));
    reader_.reset();
  }
  shown_ = first_bounds();
  extent_ = longest_side(shown_);
  find_lengths();
  upload();
  color_by_halo(std::exchange(found_colors_, nullptr));
  frame_bounds();
}

void SnapshotScene::show(const ParticleSet& particles, const std::vector<const float*>& radii,
                         Progress& progress) {
  HALOSCOPE_CHECK(particles.types.size(), ==, types_.size());
  require_host_memory(particles.count() * kBytesToSort, "sorting the particles");
  // What was told of the first particles stays told.
  const auto estimated = estimated_;
  std::vector<std::vector<float>> capped;
  const auto all_radii = missing_radii(particles, radii, capped);
  estimated_ = estimated;
  const Scene scene = make_scene(particles, plan_.looks, request_.mode, all_radii);
  renderer_->set_particles(particles.domain, scene.inputs, progress);
}

void SnapshotScene::prepare(ParticleSet particles) {
  particles_ = std::move(particles);
  clean_columns(particles_);
  for (const auto& columns : particles_.types)
    for (std::size_t k = 0; k < plan_.load.types.size(); ++k)
      if (plan_.load.types[k].type == columns.type) asked_index_.push_back(k);
  settle_looks(particles_, plan_);
  if (map_ && !request_.mean_field.empty()) leave_out_undefined(particles_, request_.mean_field);
  mass_ = total_mass(particles_);
}

// A map holds all mass: every particle with its kernel. Particles at one point have no extent but
// their smoothing lengths.
void SnapshotScene::frame_bounds() {
  double margin = 0;
  if (map_ && !has_box()) {
    margin = largest_radius();
  } else if (!map_ && !(longest_side(shown_) > 0)) {
    margin = 0.5 * kPointSize * largest_radius();
    if (has_box()) margin = std::min(margin, 0.5 * info_.box_size);
  }
  if (!(margin > 0)) return;
  for (double& low : shown_.low) low -= margin;
  for (double& high : shown_.high) high += margin;
}

splotch::View SnapshotScene::view(const CameraChoice& choice, PixelSize size) const {
  return map_ ? choose_map_view(shown_, choice, size.width, size.height)
              : choose_view(shown_, choice, size.width, size.height);
}

Bounds SnapshotScene::box() const {
  Bounds all{info_.box_origin, info_.box_origin};
  for (double& high : all.high) high += info_.box_size;
  return all;
}

// The region that was selected of a periodic box. It may reach over the upper edge: the renderer
// draws each particle where it is nearest to the camera's target, the region's middle.
std::optional<Bounds> SnapshotScene::selected_region() const {
  const auto& region = request_.selection.region;
  if (!region || !has_box()) return {};
  Bounds bounds = box();
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

// Of a zoom simulation, whatever part of it is drawn.
std::optional<Bounds> SnapshotScene::high_resolution_region() const {
  const auto coarse = [](const auto& type) { return type.second.low_resolution; };
  if (std::none_of(info_.types.begin(), info_.types.end(), coarse)) return {};
  std::vector<const ParticleColumns*> fine;
  for (const auto& columns : particles_.types)
    if (!info_.types.at(columns.type).low_resolution) fine.push_back(&columns);
  return shrinking_sphere(particles_.domain, fine);
}

Bounds SnapshotScene::first_bounds() {
  if (const auto region = selected_region()) return *region;
  if (map_) return has_box() ? box() : particle_bounds(particles_, 0);
  if (const auto region = high_resolution_region()) {
    if (!request_.camera.any())
      plan_.said.push_back("The picture shows the region of high resolution.");
    return *region;
  }
  const Bounds filled = particle_bounds(particles_, kOutside);
  const double side = longest_side(filled);
  if (!has_box()) return filled;
  // Cut-outs and zoom simulations lie somewhere in a large box.
  if (side > kPartOfBox * info_.box_size) return box();
  if (!request_.camera.any())
    plan_.said.push_back("The particles fill a part of the box: the picture shows that part.");
  return filled;
}

// Largest smoothing length as drawn, world length.
double SnapshotScene::largest_radius() const {
  double largest = 0;
  for (std::size_t k = 0; k < appearances_.size(); ++k)
    for (float h : renderer_->radii(k)) largest = std::max(largest, double(h));
  return largest * request_.smooth;
}

void SnapshotScene::match_names() {
  if (!request_.color && request_.mean_field.empty()) return;
  const auto types = drawn_types(info_, request_);
  if (request_.color)
    request_.color->field = analysis::match_field(info_, types, request_.color->field);
  if (!request_.mean_field.empty())
    request_.mean_field = analysis::match_field(info_, types, request_.mean_field);
}

analysis::LengthsChoice SnapshotScene::lengths_choice() const {
  analysis::LengthsChoice choice;
  choice.neighbors = request_.neighbors;
  const char* never = std::getenv("HALOSCOPE_NO_CACHE");
  choice.keep = request_.keep_lengths && !(never && *never);
  choice.part = request_.selection.any();
  choice.copies = request_.said.replicate;
  choice.device = request_.compute.device;
  choice.gpu_memory_bytes = request_.compute.gpu_memory_bytes;
  return choice;
}

void SnapshotScene::find_lengths() {
  lengths_ = analysis::SmoothingLengths(lengths_choice());
  ScopedTimer timer(statistics_.timings, "smoothing lengths");
  lengths_.find(info_, particles_, context_.progress);
}

void SnapshotScene::keep_lengths() {
  if (!lengths_.has_unwritten()) return;
  ScopedTimer timer(statistics_.timings, "keep lengths");
  plan_.said.push_back(lengths_.keep(context_.progress));
}

bool SnapshotScene::needs_cap(const ParticleColumns& columns) const {
  return is_compact(look_of(info_, columns.type)) && columns.support_radius.empty();
}

// Per type, the lengths that its own file lacks, from those that were found; capped ones lie in
// `capped`.
std::vector<const float*> SnapshotScene::missing_radii(const ParticleSet& particles,
                                                       const std::vector<const float*>& found,
                                                       std::vector<std::vector<float>>& capped) {
  std::vector<const float*> radii;
  capped = estimate_compact(particles, found);
  for (std::size_t k = 0; k < particles.types.size(); ++k) {
    const ParticleColumns& columns = particles.types[k];
    if (needs_cap(columns) && found[k]) capped[k].assign(found[k], found[k] + columns.count);
    if (!capped[k].empty()) cap_compact(capped[k], kCompactSize * extent_);
    radii.push_back(!capped[k].empty() ? capped[k].data() : found[k]);
  }
  return radii;
}

// Of types whose lengths need a cap and were not found, the renderer's estimate.
std::vector<std::vector<float>> SnapshotScene::estimate_compact(
    const ParticleSet& particles, const std::vector<const float*>& found) {
  std::vector<std::vector<float>> radii(particles.types.size());
  std::vector<std::size_t> indices;
  std::vector<splotch::TypeInput> inputs;
  for (std::size_t k = 0; k < particles.types.size(); ++k) {
    const ParticleColumns& columns = particles.types[k];
    if (!needs_cap(columns) || found[k]) continue;
    splotch::TypeInput input;
    input.count = columns.count;
    for (std::size_t c = 0; c < 3; ++c) input.position[c] = columns.position[c].data();
    indices.push_back(k);
    inputs.push_back(input);
  }
  if (inputs.empty()) return radii;
  renderer_->set_particles(particles.domain, inputs, context_.progress);
  const auto estimated = renderer_->estimated_radii();
  for (std::size_t j = 0; j < indices.size(); ++j) {
    radii[indices[j]] = renderer_->radii(j);
    estimated_[indices[j]] = estimated[j];
  }
  return radii;
}

void SnapshotScene::upload() {
  ScopedTimer timer(statistics_.timings, "upload");
  require_host_memory(particles_.count() * kBytesToSort, "sorting the particles");
  estimated_.assign(particles_.types.size(), 0);
  std::vector<const float*> found;
  for (std::size_t k = 0; k < particles_.types.size(); ++k) found.push_back(lengths_.of(k).data());
  std::vector<std::vector<float>> capped;
  const auto radii = missing_radii(particles_, found, capped);
  Scene scene = make_scene(particles_, plan_.looks, request_.mode, radii);
  renderer_->set_particles(particles_.domain, scene.inputs, context_.progress);
  const auto estimated = renderer_->estimated_radii();
  for (std::size_t k = 0; k < estimated.size(); ++k) estimated_[k] += estimated[k];
  appearances_ = std::move(scene.appearances);
  set_density_colors(scene);
  if (wants_histograms_) count_colors(scene);
  apply_choices();
  for (const auto& columns : particles_.types) {
    types_.push_back(columns.type);
    names_.push_back(columns.name);
    counts_.push_back(columns.count);
    rejected_rows_.push_back(columns.rejected_rows);
  }
  // The renderer has its own copies.
  for (auto& columns : particles_.types) columns = {};
}

void SnapshotScene::set_density_colors(const Scene& scene) {
  constexpr std::size_t kSample = 1u << 20;
  for (std::size_t k = 0; k < scene.inputs.size(); ++k)
    if (scene.inputs[k].density_color > 0)
      set_density_range(appearances_[k], plan_.looks[k], renderer_->radius_sample(k, kSample),
                        double(scene.inputs[k].density_color), request_.mode);
}

void SnapshotScene::count_colors(const Scene& scene) {
  histograms_.assign(scene.inputs.size(), {});
  for (std::size_t k = 0; k < scene.inputs.size(); ++k) {
    const splotch::TypeInput& input = scene.inputs[k];
    if (input.density_color > 0) {
      const auto density =
          local_densities(renderer_->radius_sample(k, analysis::FieldHistograms::kSample),
                          double(input.density_color));
      histograms_[k] = analysis::count_values(density.data(), density.size());
      histograms_[k].values = input.count;
    } else if (input.color[0] && !input.color[1]) {
      histograms_[k] = analysis::count_values(input.color[0], std::size_t(input.count));
    }
  }
}

void SnapshotScene::apply_choices() {
  if (map_) return;
  for (std::size_t k = 0; k < appearances_.size(); ++k) {
    const auto choice = request_.choices.find(particles_.types[k].type);
    if (choice == request_.choices.end()) continue;
    apply_choice(choice->second, appearances_[k]);
    plan_.looks[k].transform = appearances_[k].color.transform;
    if (!choice->second.color_map.empty())
      plan_.looks[k].palette = find_palette(choice->second.color_map).colors;
  }
}

// A map of a periodic box that covers it, wherever its middle is.
bool SnapshotScene::is_whole_box(const splotch::View& view) const {
  if (!map_ || !has_box()) return false;
  const double smallest = info_.box_size * (1 - kSameWidth);
  return view.ortho_width >= smallest && view.ortho_width * view.height / view.width >= smallest;
}

// Says which part of the mass is not in the map, where it is more than rounding.
void SnapshotScene::tell_outside(const ImageF& image, const splotch::View& view,
                                 bool margin_too_small) {
  double sum = 0;
  for (std::size_t i = 0; i < image.pixels.size(); i += 3) sum += double(image.pixels[i]);
  const double pixel = view.ortho_width / view.width;
  const double outside = mass_ > 0 ? 1 - sum * pixel * pixel / mass_ : 0;
  if (!(outside > kTellOutside)) return;
  const std::string part =
      fmt::format("{:.3g} % of the particles' mass lies outside the map", 100 * outside);
  if (margin_too_small)
    log::warn(part + ": some kernels are wider than the margin that closes it at the box's edges",
              "make the map smaller with --size");
  else if (is_whole_box(view))
    log::warn(part +
              ", though it is as wide as the box: it is closed at the box's edges only "
              "along an axis (--eye, --up)");
  else if (std::find(plan_.said.begin(), plan_.said.end(), part + ".") == plan_.said.end())
    plan_.said.push_back(part + ".");
}

splotch::Frame SnapshotScene::draw(const splotch::View& view, Progress& progress, int sample,
                                   bool keep_on_device) {
  splotch::Options options;
  options.mode = request_.mode;
  options.strategy = request_.compute.strategy;
  options.large = request_.compute.large;
  options.deterministic = request_.compute.deterministic;
  options.sample = sample;
  options.keep_on_device = keep_on_device && !map_;
  PeriodicMap wide;
  wide.view = view;
  const bool closed = is_whole_box(view) && is_along_axes(view);
  if (closed) wide = widen_view(view, info_.box_size, largest_radius());
  splotch::Frame frame = renderer_->render(wide.view, drawn_appearances(), options, progress);
  statistics_.add(frame);
  statistics_.width = view.width;
  statistics_.height = view.height;
  if (closed) frame.image = fold(frame.image, wide);
  if (map_ && frame.sample == 1) tell_outside(frame.image, view, closed && !wide.complete);
  return frame;
}

const analysis::Statistics& SnapshotScene::statistics() {
  statistics_.device = renderer_->device_name();
  statistics_.device_peak_bytes = renderer_->peak_device_memory();
  statistics_.host_peak_bytes = analysis::peak_host_memory();
  return statistics_;
}

bool SnapshotScene::is_ranged(std::size_t k) const {
  const auto& look = plan_.looks[k];
  // Types of which nothing was loaded have no look any more.
  const int type = types_.empty() ? plan_.load.types[k].type : types_[k];
  const auto choice = request_.choices.find(type);
  if (choice != request_.choices.end() && !is_shown(choice->second)) return false;
  return !map_ && !look.color.empty() && (!request_.color || look.color == request_.color->field);
}

bool SnapshotScene::has_color_range() const {
  std::size_t count = 0;
  for (std::size_t k = 0; k < plan_.looks.size(); ++k) count += is_ranged(k) ? 1 : 0;
  return request_.color ? count > 0 : count == 1;
}

std::optional<std::array<double, 2>> SnapshotScene::color_range() const {
  if (!has_color_range()) return {};
  for (std::size_t k = 0; k < plan_.looks.size(); ++k)
    if (is_ranged(k))
      return std::array{double(appearances_[k].color.low), double(appearances_[k].color.high)};
  return {};
}

void SnapshotScene::set_color_range(const std::array<double, 2>& transformed) {
  for (std::size_t k = 0; k < plan_.looks.size(); ++k) {
    if (!is_ranged(k)) continue;
    appearances_[k].color.low = float(transformed[0]);
    appearances_[k].color.high = float(transformed[1]);
  }
}

double SnapshotScene::transformed_limit(double limit) const {
  for (std::size_t k = 0; k < plan_.looks.size(); ++k) {
    if (!is_ranged(k)) continue;
    const auto transform = appearances_[k].color.transform;
    if (transform == splotch::Transform::Linear) return limit;
    if (transform == splotch::Transform::Asinh) return std::asinh(limit);
    if (!(limit > 0))
      throw Error(fmt::format("a logarithmic color has no limit {}", limit), "range",
                  "give positive limits, or add :lin or :asinh to --color");
    return std::log10(limit);
  }
  return limit;
}

}  // namespace haloscope::render
