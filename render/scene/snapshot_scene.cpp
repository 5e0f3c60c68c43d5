#include "render/scene/snapshot_scene.h"

#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/same_snapshot.h"
#include "compute/exec/named_range.h"
#include "compute/splotch/over_ranks.h"
#include "core/array.h"
#include "core/check.h"
#include "io/bytes/saturating.h"
#include "render/scene/first_bounds.h"
#include "render/scene/memory_of_ranks.h"
#include "render/scene/periodic_map.h"
#include "render/scene/picture_warnings.h"
#include "render/scene/require_for_ranks.h"
#include "render/scene/search_in_turns.h"
#include "render/scene/set_search.h"
#include "render/scene/slice_search.h"

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
  // Of several ranks it decides how they read; one process looks at the file first.
  if (several()) {
    require_for_ranks(request_);
    device_ = device_of_rank(request_.compute, ranks());
    request_.said.device = device_.word();
  }
  reader_ = analysis::open_snapshot(request_.snapshot, request_.said);
  info_ = reader_->info();
  files_ = analysis::files_behind(request_.snapshot, info_);
  stamps_ = analysis::stamps_of(files_);
  if (several()) {
    analysis::require_same_snapshot(ranks(), info_);
    parts_.emplace(ranks());
  }
  match_fields(info_, request_);
  plan_ = plan_looks(info_, request_);
  plan_.load.selection = request_.selection;
  looks_.looks = plan_.looks;
  notes_ = plan_.notes;
  if (!several()) device_ = request_.compute.choose();
}

bool SnapshotScene::several() const {
  return splotch::is_several(context_.ranks);
}

compute::Ranks& SnapshotScene::ranks() const {
  return compute::ranks_or_alone(context_.ranks);
}

std::uint64_t SnapshotScene::loading_memory() const {
  // A region is asked about when it is known.
  if (plan_.load.selection.region) return 0;
  io::LoadRequest places = plan_.load;
  for (auto& type : places.types) type = {type.type, {}, false, false};
  constexpr std::uint64_t kBytesOfPlace = 3 * sizeof(float);
  return io::saturating_sum(
      io::estimate_memory(info_, plan_.load),
      io::saturating_product(io::estimate_memory(info_, places) / kBytesOfPlace, kBytesToSort));
}

void SnapshotScene::load() {
  if (several())
    require_memory_of_ranks(ranks(), request_.compute.chosen.has_value(), HeldByRanks::Parts,
                            loading_memory() / std::uint64_t(ranks().size()),
                            "the particles and their order",
                            "choose fewer particle types (--types)");
  renderer_ = splotch::make_renderer(device_, request_.compute.gpu_memory_bytes, context_.ranks);
  // Each rank searches among all particles. Only the first has the picture, so only it needs the
  // slice.
  SearchedColors searched;
  const auto search = [&] {
    searched = search_colors(request_, device_, *reader_, statistics_.timings, context_.progress);
  };
  if (request_.color_by) search_in_turns(ranks(), search);
  if (!searched.note.empty()) note(searched.note);
  if (ranks().first()) {
    SearchedSlice sliced =
        search_slice(request_, searched, device_, *reader_, statistics_.timings, context_.progress);
    slice_ = std::move(sliced.slice);
    if (!sliced.note.empty()) note(sliced.note);
  }
  read();
  const FirstBounds first = first_bounds(info_, request_, loaded_.particles(), ranks());
  if (!first.note.empty()) note(first.note);
  extent_ = longest_side(first.bounds);
  find_lengths();
  upload();
  color_by(searched.colors);
  find_sets();
  shown_ = with_kernels(info_, is_map(), first.bounds, [&] { return largest_radius(); });
}

void SnapshotScene::find_sets() {
  if (!request_.sets || request_.sets->how == analysis::ShowSets::Off) return;
  if (const std::string why = why_no_sets(request_); !why.empty()) return note(why);
  const compute::TimedRange timer(statistics_.timings, "sets");
  analysis::KnownIds ids;
  ShownSets found;
  search_in_turns(ranks(), [&] {
    found = search_sets(request_, request_.snapshot, device_, ids, context_.progress);
  });
  for (const std::string& sentence : found.members->said) note(sentence);
  show_sets(std::move(found));
}

void SnapshotScene::read() {
  const compute::TimedRange timer(statistics_.timings, "read");
  if (parts_) plan_.load.together = &*parts_;
  loaded_ = LoadedParticles(io::load_particles(*reader_, plan_.load, context_.progress),
                            is_map() ? request_.mean_field : std::string(), ranks());
  looks_.looks = settled_looks(loaded_.particles(), plan_, ranks());
  reader_.reset();
}

void SnapshotScene::find_lengths() {
  const compute::TimedRange timer(statistics_.timings, "smoothing lengths");
  if (!several()) return loaded_.find_lengths(info_, lengths_choice(), context_.progress);
  of_ranks_ =
      lengths_over_ranks(ranks(), info_, loaded_.particles(), looks_.looks, lengths_choice(),
                         request_.compute.gpu_memory_bytes, extent_, context_.progress);
  loaded_.set_lengths(std::move(of_ranks_.found));
}

void SnapshotScene::upload() {
  const compute::TimedRange timer(statistics_.timings, "upload");
  const ParticleSet& particles = loaded_.particles();
  require_host_memory(particles.count() * kBytesToSort, "sorting the particles");
  DrawnRadii drawn = several() ? std::move(of_ranks_.drawn)
                               : drawn_radii(info_, particles, loaded_.found_lengths(), extent_,
                                             *renderer_, context_.progress);
  RendererInput made =
      make_renderer_input(particles, looks_.looks, request_.mode, drawn.radii, ranks());
  choose_packing(request_, made);
  renderer_->set_particles(particles.domain, made.inputs, context_.progress);
  largest_radii_.clear();
  const auto estimated = renderer_->estimated_radii();
  for (std::size_t k = 0; k < estimated.size(); ++k) drawn.estimated[k] += estimated[k];
  loaded_.set_estimated(std::move(drawn.estimated));
  looks_.appearances = std::move(made.appearances);
  if (several())
    set_density_colors(made, of_ranks_.sample, request_.mode, looks_);
  else
    set_density_colors(made, *renderer_, request_.mode, looks_);
  if (wants_histograms_) loaded_.count_colors(made, *renderer_, ranks());
  if (!is_map()) apply_choices(request_.choices, looks_);
  for (const auto& sentence : values_without_logarithm(made, loaded_.names(), looks_, ranks()))
    note(sentence);
  note_resident(particles.domain);
  keep_cells();
  // The renderer has its own copies.
  loaded_.forget_columns();
}

void SnapshotScene::keep_cells() {
  cells_.reset();
  if (!request_.map.cells) return;
  for (std::size_t k = 0; k < types().size(); ++k)
    if (types()[k] == kCellType)
      cells_.emplace(loaded_.particles().domain, loaded_.take_columns(k), looks_.looks[k].color,
                     info_.smoothing_lengths.at(kCellType).support_per_value);
}

// Kernels in their place are told once.
bool SnapshotScene::draws_cells(const splotch::View& view, int sample) {
  if (!request_.map.cells || sample > 1) return false;
  const std::string why = several()                       ? "several GPUs draw it"
                          : !cells_                       ? "these are not those of a snapshot"
                          : view.perspective              ? "it is seen in perspective"
                          : request_.slab == SlabChoice{} ? ""
                                                          : "a slab is chosen";
  if (why.empty()) return true;
  const std::string told = "The map shows kernels in place of cells: " + why + ".";
  if (std::find(notes_.begin(), notes_.end(), told) == notes_.end()) note(told);
  return false;
}

void SnapshotScene::note_resident(const Domain& domain) {
  if (request_.selection.any() || several()) return;
  auto resident = std::make_shared<analysis::ResidentPoints>();
  resident->domain = domain;
  for (std::size_t k = 0; k < types().size(); ++k)
    resident->types[types()[k]] = {renderer_->points(k), loaded_.particles().types[k].counts,
                                   loaded_.rejected_rows()[k]};
  resident->files = files_;
  resident->stamps = stamps_;
  resident_ = std::move(resident);
}

void SnapshotScene::show(const ParticleSet& particles, const std::vector<const float*>& radii,
                         Progress& progress) {
  HALOSCOPE_CHECK(particles.types.size(), ==, types().size());
  resident_.reset();
  cells_.reset();
  require_host_memory(particles.count() * kBytesToSort, "sorting the particles");
  // What was told of the first particles stays told.
  const DrawnRadii drawn =
      drawn_radii(info_, particles, radii, extent_, *renderer_, context_.progress);
  RendererInput made = make_renderer_input(particles, looks_.looks, request_.mode, drawn.radii);
  choose_packing(request_, made);
  renderer_->set_particles(particles.domain, made.inputs, progress);
  largest_radii_.clear();
  sets_.forget();
}

void SnapshotScene::color_by(ParticleColors colors) {
  coloring_.set(std::move(colors), loaded_, *renderer_);
}

void SnapshotScene::show_sets(ShownSets sets) {
  sets_.set(std::move(sets), loaded_, *renderer_);
}

void SnapshotScene::show_sets(ShownSets sets, const SetLabels& labels) {
  sets_.set_labels(std::move(sets), labels, *renderer_);
}

// World lengths. Kept, for it takes as long as a picture.
const std::vector<double>& SnapshotScene::largest_radii() {
  if (!largest_radii_.empty()) return largest_radii_;
  for (std::size_t k = 0; k < types().size(); ++k) {
    double largest = 0;
    for (float h : renderer_->radii(k)) largest = std::max(largest, double(h));
    largest_radii_.push_back(largest);
  }
  ranks().all_reduce(std::span(largest_radii_), [](double a, double b) { return std::max(a, b); });
  return largest_radii_;
}

// Largest smoothing length as drawn, world length.
double SnapshotScene::largest_radius() {
  double largest = 0;
  for (const double radius : largest_radii()) largest = std::max(largest, radius);
  return largest * request_.smooth;
}

// The same with what the looks say of the lengths.
double SnapshotScene::widest(const std::vector<splotch::Appearance>& appearances) {
  double largest = 0;
  for (std::size_t k = 0; k < appearances.size(); ++k)
    largest = std::max(largest, largest_radii()[k] * double(appearances[k].radius_factor) *
                                    double(appearances[k].smooth_factor));
  return largest;
}

void SnapshotScene::keep_lengths() {
  if (!loaded_.lengths().has_unwritten()) return;
  const compute::TimedRange timer(statistics_.timings, "keep lengths");
  const std::string said = loaded_.lengths().keep(context_.progress);
  if (!said.empty()) note(said);
}

splotch::View SnapshotScene::view(const CameraChoice& choice, PixelSize size) const {
  return is_map() ? choose_map_view(shown_, choice, size.width, size.height)
                  : choose_view(shown_, choice, size.width, size.height);
}

splotch::Frame SnapshotScene::draw(const splotch::View& whole, Progress& progress, int sample,
                                   bool keep_on_device) {
  const splotch::View view = with_slab(whole, request_.slab);
  splotch::Options options;
  const bool map = is_map() || request_.map.shown;
  options.mode = map ? splotch::Mode::Map : request_.mode;
  options.strategy = request_.compute.strategy;
  options.large = request_.compute.large;
  options.deterministic = request_.compute.deterministic;
  options.exact = request_.compute.exact;
  options.sample = sample;
  options.keep_on_device = keep_on_device && !map;
  auto appearances = looks_.appearances;
  if (request_.map.shown) {
    appearances = map_appearances(std::move(appearances), types(), request_.map);
  } else {
    if (request_.mode == splotch::Mode::Default) dim_beside_gas(looks_.looks, appearances);
    coloring_.adapt(appearances);
    sets_.adapt(appearances);
  }
  PeriodicMap wide;
  wide.view = view;
  const bool at_box = map && has_box(info_) && covers_box(view, info_.box_size);
  const bool by_cells = map && draws_cells(view, sample);
  const bool closed = at_box && is_along_axes(view) && !by_cells;
  if (closed) wide = widen_view(view, info_.box_size, widest(appearances));
  splotch::Frame frame =
      by_cells ? cells_->draw(view, is_map() ? request_.mean_field : request_.map.field, progress)
               : renderer_->render(wide.view, appearances, options, progress);
  statistics_.add(frame);
  statistics_.width = view.width;
  statistics_.height = view.height;
  if (!ranks().first()) return frame;  // which has no picture
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

namespace {

void describe_map(const MapLook& map, bool by_cells, nlohmann::json& scene) {
  if (!map.shown) return;
  nlohmann::json& json = scene["map"];
  json["quantity"] = map.field.empty() ? "surface_density" : "mean:" + map.field;
  if (map.type) json["type"] = *map.type;
  if (map.cells && by_cells) json["cells"] = "voronoi";
  json["palette"] = palette_of(map);
  if (map.color.limits) json["limits"] = *map.color.limits;
  if (map.color.scale) json["scale"] = int(*map.color.scale);
}

// Nothing where all is drawn.
void describe_slab(const SlabChoice& slab, nlohmann::json& scene) {
  if (slab.thickness) scene["slab"]["thickness"] = *slab.thickness;
  if (!slab.axis) return;
  scene["slab"]["axis"] = std::string(1, "xyz"[*slab.axis]);
  scene["slab"]["range"] = {slab.low, slab.high};
}

}  // namespace

nlohmann::json SnapshotScene::describe(const splotch::View& view) const {
  nlohmann::json scene = render::describe(described(), view);
  coloring_.describe(scene);
  sets_.describe(scene);
  describe_slab(request_.slab, scene);
  describe_map(request_.map, !several(), scene);
  if (is_map() && request_.map.cells) scene["cells"] = "voronoi";
  if (slice_) scene["slice"] = render::describe(slice_);
  return scene;
}

std::vector<std::string> SnapshotScene::sentences() const {
  std::vector<std::string> lines = render::sentences(described());
  lines.insert(lines.end(), notes_.begin(), notes_.end());
  return lines;
}

}  // namespace haloscope::render
