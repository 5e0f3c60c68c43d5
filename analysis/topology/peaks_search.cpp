#include "analysis/topology/peaks_search.h"

#include "analysis/file_rows.h"
#include "analysis/grids/particle_grid.h"
#include "analysis/halos/halo_particles.h"
#include "analysis/halos/measure_over_ranks.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/density_sentence.h"
#include "analysis/snapshot/row_parts.h"
#include "analysis/topology/live_peaks.h"
#include "analysis/topology/particle_cells.h"
#include "analysis/topology/peaks_grid_words.h"
#include "analysis/topology/peaks_words.h"
#include "compute/distributed/values_at_cells.h"
#include "compute/exec/named_range.h"
#include "core/check.h"
#include "io/loading/particle_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace haloscope::analysis {

namespace {

std::uint64_t particles_of(const SnapshotInfo& info, const std::vector<int>& types) {
  std::uint64_t sum = 0;
  for (const int type : types) sum += info.types.at(type).count;
  return sum;
}

class Search {
 public:
  Search(const io::SnapshotReader& reader, const PeaksSearchRequest& request, Progress& progress)
      : reader_(reader),
        info_(reader.info()),
        request_(request),
        progress_(progress),
        ranks_(compute::ranks_or_alone(request.ranks)),
        parts_(ranks_) {
    if (request_.resident && is_current(*request_.resident))
      known_ = known_positions(request_.resident);
  }

  PeaksSearch run() {
    const PeaksOptions& options = request_.options;
    check_options(options);
    check_snapshot(info_, options);
    HaloSearch& particles = found_.particles;
    particles.device = request_.device;
    particles.linked = types_of_peaks(info_, options);
    if (request_.known)
      take_tree(*request_.known);
    else
      make_tree();
    {
      const compute::TimedRange timer(found_.peaks.timings, "segments");
      found_.peaks.structures = find_structures(*found_.peaks.tree, options);
    }
    if (tree_) found_.peaks.peak_device_memory = tree_->device_memory_over_ranks();
    if (request_.measured && ranks_.first() && !found_.peaks.diagram)
      found_.peaks.diagram = std::make_shared<const PersistenceDiagram>(*found_.peaks.tree);
    read_particles();
    const Domain& domain = particles.particles.domain;
    if (!request_.known) found_.peaks.period = domain.periodic ? domain.side : 0;
    if (several()) {
      HALOSCOPE_CHECK(request_.measured, ==, true);
      measure_over_ranks();
      return std::move(found_);
    }
    find_cells();
    // What was not read was rejected for all that is known here.
    if (request_.resident && !found_.peaks.live && !particles.particles.types.empty())
      found_.peaks.live = make_live_peaks(found_.peaks.tree, found_.peaks.cells,
                                          particles.particles.types, options.segments);
    found_.labels = std::make_shared<const Labels>(labels_of_particles(found_.peaks));
    found_.members = members_of(*found_.labels);
    list_measured();
    if (request_.measured) gather(*found_.labels);
    return std::move(found_);
  }

 private:
  bool several() const { return ranks_.size() > 1; }

  void take_tree(const FoundPeaks& known) {
    found_.peaks = in_same_tree(known);
    check_units(false);
  }

  // Aloud before the tree is made, and behind what may be wrong with the grid.
  void check_units(bool aloud) {
    if (request_.measured && ranks_.first())
      found_.particles.odd_density = check_density(reader_, aloud, progress_);
  }

  void make_tree() {
    const GridChoice choice =
        grid_choice(request_.options, particles_of(info_, found_.particles.linked));
    require_room_for_tree(choice.cells, request_.options, request_.device, ranks_);
    ParticleGrid made = make_particle_grid(reader_, choice, request_.device, progress_, ranks_);
    add_timings(made.timings);
    for (std::string& sentence : made.said) found_.particles.said.push_back(std::move(sentence));
    if (made.summary.unknown > 0)
      throw OptionError(
          fmt::format("{} of {} cells have no mass, and so no mean of {}", made.summary.unknown,
                      made.grid.count(), request_.options.field),
          marked("field"), "take fewer cells (`grid`), or smooth more (`smooth`)");
    check_units(true);
    if (choice.overdensity) found_.peaks.mass_of_one = made.summary.mean;
    const std::array<bool, 3> axes = periodic_axes(made.grid);
    tree_ = std::make_shared<GridTree>(std::move(made.grid), choice.overdensity, request_.options,
                                       axes, request_.device, progress_, ranks_);
    found_.peaks.tree = tree_;
    found_.hint = region_hint(tree_->grid(), axes, request_.options, ranks_);
    add_timings(found_.peaks.tree->timings());
  }

  void add_timings(const Timings& timings) {
    const Timings summed = timings.summed();
    for (const auto& [phase, samples] : summed.samples())
      found_.peaks.timings.add(phase, samples.front());
  }

  // Of the grid, unless the user knows better.
  std::array<bool, 3> periodic_axes(const Grid& grid) const {
    const std::array<bool, 3> closed = grid.periodic.value_or(std::array<bool, 3>{});
    const auto asked = parse_closed(request_.options.closed);
    if (!asked) return closed;
    for (std::size_t a = 0; a < 3; ++a)
      if ((*asked)[a] && !closed[a])
        throw OptionError(fmt::format("the grid is no whole period along {}", "xyz"[a]),
                          marked("closed"), "leave it out, or give the box (--box)");
    return *asked;
  }

  void read_particles() {
    HaloSearch& particles = found_.particles;
    const KnownPositions* const known = known_ ? &*known_ : nullptr;
    if (request_.measured) {
      const auto around = types_around(info_, particles, {"Peaks", "`types` does"});
      io::LoadRequest load = plan_halo_load(info_, particles, around, known);
      if (several()) load.together = &parts_;
      read_halo_particles(reader_, load, particles, progress_, ranks_);
      choose_softening(info_, request_.options.softening, particles);
      return;
    }
    if (found_.peaks.cells) return;
    io::LoadRequest load;
    load.known = known;
    for (const int type : particles.linked) load.types.push_back({type, {}, false, false});
    particles.particles = io::load_particles(reader_, load, progress_);
  }

  bool is_put_around() const {
    return request_.options.region.empty() && !found_.particles.particles.domain.periodic;
  }

  void find_cells() {
    if (found_.peaks.cells) return;
    const compute::TimedRange timer(found_.peaks.timings, "cells of particles");
    auto cells = std::make_shared<Labels>();
    cells->pieces = found_.peaks.tree->grid().count();
    for (const ParticleColumns& columns : found_.particles.particles.types)
      if (found_.particles.has_members(columns.type))
        cells->of[columns.type] = file_rows(
            cells_of_particles(found_.peaks.tree->grid(), found_.particles.particles.domain,
                               columns, is_put_around()),
            columns.rejected_rows, std::uint32_t(Labels::kNone));
    found_.peaks.cells = std::move(cells);
  }

  void list_measured() {
    for (std::uint32_t k = 0; k < found_.members.size(); ++k)
      if (found_.members[k] > 0) found_.measured.push_back(k);
  }

  // The members of each structure that has any, in each type ascending.
  void gather(const Labels& labels) {
    const auto& types = found_.particles.particles.types;
    const std::size_t kinds = types.size();
    std::vector<std::uint32_t> halo(found_.members.size(), Labels::kNone);
    for (std::uint32_t h = 0; h < found_.measured.size(); ++h) halo[found_.measured[h]] = h;
    const auto each = [&](const auto& use) {
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        const auto of = labels.of.find(types[kind].type);
        if (of == labels.of.end()) continue;
        // Rows of files, of which those that were rejected are in nothing.
        std::uint32_t row = 0;
        auto rejected = types[kind].rejected_rows.begin();
        const auto end = types[kind].rejected_rows.end();
        for (std::size_t k = 0; k < of->second.size(); ++k) {
          if (rejected != end && *rejected == k) {
            ++rejected;
            continue;
          }
          if (const std::uint32_t label = of->second[k]; label != Labels::kNone)
            use(std::size_t(halo[label]) * kinds + kind, row);
          ++row;
        }
      }
    };
    compute::halos::HaloMembership& members = found_.particles.members;
    members.begin.assign(found_.measured.size() * kinds + 1, 0);
    each([&](std::size_t run, std::uint32_t) { ++members.begin[run + 1]; });
    for (std::size_t run = 1; run < members.begin.size(); ++run)
      members.begin[run] += members.begin[run - 1];
    members.rows.resize(std::size_t(members.begin.back()));
    std::vector<std::uint64_t> next(members.begin.begin(), members.begin.end() - 1);
    each([&](std::size_t run, std::uint32_t row) { members.rows[next[run]++] = row; });
  }

  // The same of all ranks: each asks those that have the cells of its particles for their labels.
  void measure_over_ranks() {
    HaloSearch& particles = found_.particles;
    MeasureOverRanks measure(ranks_, reader_, particles,
                             request_.lists_members ? MemberLists::Ids : MemberLists::Places,
                             progress_);
    const Structures& structures = found_.peaks.structures;
    std::vector<std::vector<std::uint32_t>> labels(measure.kinds().size());
    {
      const compute::TimedRange timer(found_.peaks.timings, "cells of particles");
      for (std::size_t k = 0; k < labels.size(); ++k)
        if (measure.has_members(k)) {
          labels[k] = labels_of(particles.particles.types[k]);
          measure.kinds()[k].groups = labels[k];
        }
    }
    found_.members.assign(structures.count(), 0);
    for (const auto& kind : labels)
      for (const std::uint32_t label : kind)
        if (label != Labels::kNone) ++found_.members[label];
    ranks_.all_reduce(std::span(found_.members), [](auto a, auto b) { return a + b; });
    list_measured();
    measure.measure(as_shared());
    found_.labels = std::make_shared<const Labels>(gathered(labels));
    found_.peaks.cells = std::make_shared<const Labels>();
    const compute::TimedRange timer(found_.peaks.timings, "gather");
    if (request_.labels_of_cells) gather_labels(*tree_, found_.peaks.structures);
    if (request_.values_of_cells) tree_->gather_values();
  }

  std::vector<std::uint32_t> labels_of(const ParticleColumns& columns) const {
    const Grid& grid = found_.peaks.tree->grid();
    const std::vector<std::uint32_t> cells =
        cells_of_particles(grid, found_.particles.particles.domain, columns, is_put_around());
    return compute::distributed::values_at_cells(ranks_, grid.cells[0],
                                                 grid.cells[1] * grid.cells[2],
                                                 found_.peaks.structures.labels(), cells);
  }

  // Those that are measured, where their maxima are.
  std::vector<compute::distributed::SharedHalo> as_shared() const {
    const GridTree& tree = *found_.peaks.tree;
    std::vector<compute::distributed::SharedHalo> shared;
    for (const std::uint32_t structure : found_.measured) {
      const std::uint32_t branch = found_.peaks.structures.branch[structure];
      const Vec middle = middle_of(tree.grid(), tree.branches().maximum[branch]);
      auto& one = shared.emplace_back();
      one.label = structure;
      one.members = std::uint32_t(std::min<std::uint64_t>(found_.members[structure], ~0u));
      for (std::size_t a = 0; a < 3; ++a)
        one.at[a] = found_.particles.particles.domain.to_fixed(middle[a], int(a));
    }
    return shared;
  }

  // On rank 0, where the rows that were left out are known by now. None where nobody lists members.
  Labels gathered(const std::vector<std::vector<std::uint32_t>>& labels) const {
    Labels all;
    all.pieces = found_.peaks.structures.count();
    if (!request_.lists_members) return all;
    const auto& types = found_.particles.particles.types;
    for (std::size_t k = 0; k < labels.size(); ++k) {
      if (!found_.particles.has_members(types[k].type)) continue;
      std::vector<std::uint32_t> rows = ranks_.gather<std::uint32_t>(labels[k]);
      if (ranks_.first())
        all.of[types[k].type] =
            file_rows(std::move(rows), types[k].rejected_rows, std::uint32_t(Labels::kNone));
    }
    return all;
  }

  const io::SnapshotReader& reader_;
  const SnapshotInfo& info_;
  const PeaksSearchRequest& request_;
  Progress& progress_;
  compute::Ranks& ranks_;
  const RowParts parts_;
  std::optional<KnownPositions> known_;
  std::shared_ptr<GridTree> tree_;  // null: it was known
  PeaksSearch found_;
};

}  // namespace

std::vector<int> types_of_peaks(const SnapshotInfo& info, const PeaksOptions& options) {
  std::vector<int> types = choose_types(info, options.types, marked("types"));
  std::sort(types.begin(), types.end());
  return types;
}

void check_snapshot(const SnapshotInfo& info, const PeaksOptions& options) {
  const std::vector<int> types = types_of_peaks(info, options);
  for (const int type : types)
    compute::halos::require_countable(info.types.at(type).count, info.types.at(type).name);
}

PeaksSearch search_peaks(const io::SnapshotReader& reader, const PeaksSearchRequest& request,
                         Progress& progress) {
  return Search(reader, request, progress).run();
}

}  // namespace haloscope::analysis
