#include "render/scene/snapshot_scene.h"

#include "analysis/snapshot/match_field.h"
#include "analysis/snapshot/open_snapshot.h"
#include "compute/exec/named_range.h"
#include "core/array.h"
#include "core/check.h"
#include "render/scene/first_bounds.h"
#include "render/scene/periodic_map.h"
#include "render/scene/picture_warnings.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace haloscope::render {

namespace splotch = compute::splotch;

namespace {

// Two copies of a particle's columns.
constexpr std::uint64_t kBytesToSort = 2 * 7 * sizeof(float);

}  // namespace

SnapshotScene::SnapshotScene(const RenderRequest& request, analysis::RunContext& context)
    : request_(request), context_(context) {
  reader_ = analysis::open_snapshot(request_.snapshot, request_.said);
  info_ = reader_->info();
  match_fields(info_, request_);
  plan_ = plan_looks(info_, request_);
  plan_.load.selection = request_.selection;
  device_ = request_.compute.choose();
}

void SnapshotScene::load() {
  renderer_ = splotch::make_renderer(device_, request_.compute.gpu_memory_bytes);
  search_halos_to_color();
  {
    compute::TimedRange timer(statistics_.timings, "read");
    prepare(io::load_particles(*reader_, plan_.load, context_.progress));
    reader_.reset();
  }
  shown_ = first_bounds();
  extent_ = longest_side(shown_);
  find_lengths();
  upload();
  color_by_halo(searched.colors);
  shown_ = with_kernels(info_, is_map(), first.bounds, [&] { return largest_radius(); });
}

void SnapshotScene::read() {
  const ScopedTimer timer(statistics_.timings, "read");
  loaded_ = LoadedParticles(io::load_particles(*reader_, plan_.load, context_.progress),
                            is_map() ? request_.mean_field : std::string());
  looks_.looks = settled_looks(loaded_.particles(), plan_);
  reader_.reset();
}

void SnapshotScene::find_lengths() {
  const ScopedTimer timer(statistics_.timings, "smoothing lengths");
  loaded_.find_lengths(info_, lengths_choice(), context_.progress);
}

void SnapshotScene::upload() {
  const ScopedTimer timer(statistics_.timings, "upload");
  const ParticleSet& particles = loaded_.particles();
  require_host_memory(particles.count() * kBytesToSort, "sorting the particles");
  DrawnRadii drawn = drawn_radii(info_, particles, loaded_.found_lengths(), extent_, *renderer_,
                                 context_.progress);
  RendererInput made = make_renderer_input(particles, looks_.looks, request_.mode, drawn.radii);
  renderer_->set_particles(particles.domain, made.inputs, context_.progress);
  const auto estimated = renderer_->estimated_radii();
  for (std::size_t k = 0; k < estimated.size(); ++k) drawn.estimated[k] += estimated[k];
  loaded_.set_estimated(std::move(drawn.estimated));
  looks_.appearances = std::move(made.appearances);
  set_density_colors(made, *renderer_, request_.mode, looks_);
  if (wants_histograms_) loaded_.count_colors(made, *renderer_);
  if (!is_map()) apply_choices(request_.choices, looks_);
  // The renderer has its own copies.
  loaded_.forget_columns();
}

void SnapshotScene::show(const ParticleSet& particles, const std::vector<const float*>& radii,
                         Progress& progress) {
  HALOSCOPE_CHECK(particles.types.size(), ==, types().size());
  require_host_memory(particles.count() * kBytesToSort, "sorting the particles");
  // What was told of the first particles stays told.
  const DrawnRadii drawn =
      drawn_radii(info_, particles, radii, extent_, *renderer_, context_.progress);
  const RendererInput made =
      make_renderer_input(particles, looks_.looks, request_.mode, drawn.radii);
  renderer_->set_particles(particles.domain, made.inputs, progress);
}

void SnapshotScene::color_by_halo(ParticleColors colors) {
  coloring_.set(std::move(colors), loaded_, *renderer_);
}

// Largest smoothing length as drawn, world length.
double SnapshotScene::largest_radius() const {
  double largest = 0;
  for (std::size_t k = 0; k < types().size(); ++k)
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
  choice.device = device_;
  choice.gpu_memory_bytes = request_.compute.gpu_memory_bytes;
  return choice;
}

void SnapshotScene::find_lengths() {
  lengths_ = analysis::SmoothingLengths(lengths_choice());
  compute::TimedRange timer(statistics_.timings, "smoothing lengths");
  lengths_.find(info_, particles_, context_.progress);
}

void SnapshotScene::keep_lengths() {
  if (!lengths_.has_unwritten()) return;
  compute::TimedRange timer(statistics_.timings, "keep lengths");
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
  compute::TimedRange timer(statistics_.timings, "upload");
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
  options.keep_on_device = keep_on_device && !is_map();
  PeriodicMap wide;
  wide.view = view;
  const bool at_box = is_map() && has_box(info_) && covers_box(view, info_.box_size);
  const bool closed = at_box && is_along_axes(view);
  if (closed) wide = widen_view(view, info_.box_size, largest_radius());
  auto appearances = looks_.appearances;
  coloring_.adapt(appearances);
  splotch::Frame frame = renderer_->render(wide.view, appearances, options, progress);
  statistics_.add(frame);
  statistics_.width = view.width;
  statistics_.height = view.height;
  if (closed) frame.image = fold(frame.image, wide);
  if (is_map() && frame.sample == 1) {
    const std::string outside =
        tell_mass_outside(frame.image, view, loaded_.mass(), {at_box, closed && !wide.complete});
    const bool told = std::find(notes_.begin(), notes_.end(), outside) != notes_.end();
    if (!outside.empty() && !told) note(outside);
  }
  return frame;
}

const analysis::Statistics& SnapshotScene::statistics() {
  statistics_.device = renderer_->device_name();
  statistics_.device_peak_bytes = renderer_->peak_device_memory();
  statistics_.host_peak_bytes = analysis::peak_host_memory();
  return statistics_;
}

nlohmann::json SnapshotScene::describe(const splotch::View& view) const {
  nlohmann::json scene = render::describe(described(), view);
  coloring_.describe(scene);
  return scene;
}

std::vector<std::string> SnapshotScene::sentences() const {
  std::vector<std::string> lines = render::sentences(described());
  lines.insert(lines.end(), notes_.begin(), notes_.end());
  return lines;
}

}  // namespace haloscope::render
