#include "analysis/grids/particle_grid.h"

#include "analysis/grids/grid_box.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/match_field.h"
#include "analysis/snapshot/row_parts.h"
#include "analysis/snapshot/same_snapshot.h"
#include "analysis/snapshot/smoothing_lengths.h"
#include "compute/distributed/density_slabs.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/exec/named_range.h"
#include "compute/exec/part_of_rows.h"
#include "compute/grids/density_grid.h"
#include "compute/grids/smoothing.h"
#include "core/error.h"
#include "core/unit_words.h"
#include "io/loading/derived_fields.h"
#include "io/loading/particle_loader.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace haloscope::analysis {

namespace grids = compute::grids;

namespace {

GridOf quantity_of(const GridChoice& choice) {
  return choice.of.value_or(choice.field.empty() ? GridOf::Mass : GridOf::Mean);
}

grids::Quantity as_computed(GridOf of) {
  switch (of) {
    case GridOf::Count:
      return grids::Quantity::Count;
    case GridOf::Sum:
      return grids::Quantity::Sum;
    case GridOf::Mean:
      return grids::Quantity::Mean;
    default:
      return grids::Quantity::Mass;
  }
}

template <class Cells>
double count_of(const Cells& cells) {
  return double(cells[0]) * double(cells[1]) * double(cells[2]);
}

// A rank's memory while it makes its planes: sums, of a mean two, which a GPU holds itself, values,
// and what smoothing takes.
template <class Cells>
void require_room_for_slab(const Cells& cells, const GridChoice& choice, compute::Device device,
                           compute::Ranks& ranks, const std::string& remedy) {
  const bool mean = quantity_of(choice) == GridOf::Mean;
  const int sums = device.is_gpu() ? 0 : (mean ? 2 : 1);
  const double bytes = 8 * sums + (mean ? 4 : 0) + (choice.smoothing.width > 0 ? 16 : 4);
  require_room_for_cells(count_of(cells) * compute::share_of_this_machine(ranks), bytes, "--size",
                         remedy);
}

class ParticleGridMaker {
 public:
  ParticleGridMaker(const io::SnapshotReader& reader, const GridChoice& choice,
                    compute::Device device, Progress& progress, compute::Ranks& ranks)
      : reader_(reader),
        choice_(choice),
        device_(device),
        progress_(progress),
        ranks_(ranks),
        parts_(ranks) {}

  ParticleGrid make() {
    result_.of = quantity_of(choice_);
    choose();
    if (several()) load_.together = &parts_;
    {
      const compute::TimedRange timer(result_.timings, "read");
      particles_ = io::load_particles(reader_, load_, progress_);
    }
    result_.particles = ranks_.sum(particles_.count());
    tell_reading();
    find_lengths();
    box_ = grid_box(reader_.info(), particles_, choice_, ranks_);
    assign();
    place();
    return std::move(result_);
  }

 private:
  const SnapshotInfo& info() const { return reader_.info(); }
  bool by_kernel() const { return choice_.assign == grids::Assign::Kernel; }
  bool several() const { return ranks_.size() > 1; }

  // Which columns are read.
  void choose() {
    std::vector<int> types = choose_types(info(), choice_.types);
    if (!choice_.field.empty()) {
      field_ = match_field(info(), types, choice_.field);
      std::vector<std::string> without;
      std::erase_if(types, [&](int type) {
        if (type_has_field(info(), type, field_)) return false;
        without.push_back(info().types.at(type).name);
        return true;
      });
      if (types.empty())
        throw Error(fmt::format("{} is in no file, and a grid needs one that is", field_),
                    info().files.front());
      if (!without.empty())
        result_.said.push_back(fmt::format("{} {} no {}: left out.", fmt::join(without, " and "),
                                           without.size() > 1 ? "have" : "has", field_));
    }
    for (const int type : types) {
      io::LoadRequest::Type one{type, {}, by_kernel(), result_.of != GridOf::Count};
      if (!field_.empty()) {
        const io::FieldPlan plan = io::plan_field(info(), type, field_);
        if (plan.components != 1)
          throw Error(fmt::format("{} has {} values per particle", field_, plan.components),
                      "--field", fmt::format("choose one, as in {}[0]", field_));
        unit_ = plan.unit;
        one.fields.push_back(field_);
      }
      load_.types.push_back(std::move(one));
    }
    // Kernels from anywhere reach into a region.
    if (choice_.region && !by_kernel()) load_.selection.region = region_around(info(), choice_);
  }

  // What was read for a region is more than what lies in it.
  void tell_reading() {
    for (const auto& sentence : particles_.assumed)
      if (!choice_.region || sentence.find("particles lie in the region") == std::string::npos)
        result_.said.push_back(sentence);
    if (choice_.region)
      result_.said.push_back(
          by_kernel() ? "All particles were read: kernels from anywhere reach into the region."
                      : fmt::format("{} particles lie in the region, or in the cells around it "
                                    "that it takes shares from.",
                                    result_.particles));
  }

  void find_lengths() {
    if (!by_kernel()) return;
    const compute::TimedRange timer(result_.timings, "smoothing lengths");
    LengthsChoice choice;
    choice.device = device_;
    if (several()) choice.ranks = &ranks_;
    lengths_ = SmoothingLengths(choice);
    lengths_.find(info(), particles_, progress_);
    for (std::size_t k = 0; k < particles_.types.size(); ++k)
      if (!lengths_.sentence(k).empty()) result_.said.push_back(lengths_.sentence(k));
  }

  // Null: a type that has no particles on this rank lacks the field.
  const float* field_of(const ParticleColumns& columns) const {
    const auto found = columns.fields.find(field_);
    return found == columns.fields.end() ? nullptr : found->second.front().data();
  }

  std::vector<grids::GridPoints> points() const {
    std::vector<grids::GridPoints> all;
    for (std::size_t k = 0; k < particles_.types.size(); ++k) {
      const ParticleColumns& columns = particles_.types[k];
      grids::GridPoints one;
      one.count = columns.count;
      for (std::size_t a = 0; a < 3; ++a) one.position[a] = columns.position[a].data();
      one.mass = columns.mass.empty() ? nullptr : columns.mass.data();
      one.uniform_mass = columns.uniform_mass;
      if (!field_.empty()) one.field = field_of(columns);
      if (by_kernel())
        one.radius =
            columns.support_radius.empty() ? lengths_.of(k).data() : columns.support_radius.data();
      all.push_back(one);
    }
    return all;
  }

  void assign() {
    grids::GridRequest request;
    request.frame = box_.frame(particles_.domain);
    request.assign = choice_.assign;
    request.quantity = as_computed(result_.of);
    request.smoothing = box_.smoothing;
    if (several())
      require_room_for_slab(request.frame.cells, choice_, device_, ranks_,
                            "choose fewer cells, or smooth less: those around the region count");
    grids::DensityGrid made = several()
                                  ? compute::distributed::make_density_slabs(
                                        ranks_, device_, request, points(), progress_)
                                  : grids::make_density_grid(device_, request, points(), progress_);
    for (const auto& [phase, samples] : made.timings.samples())
      result_.timings.add(phase, samples.front());
    result_.left_out = made.left_out;
    result_.quantum = made.quantum;
    if (made.left_out > 0)
      result_.said.push_back(fmt::format(
          "{} of {} particles have {} that is not a finite number: left out.", made.left_out,
          result_.particles, field_.empty() ? std::string("a mass") : "a mass or " + field_));
    const compute::TimedRange timer(result_.timings, "values");
    const std::array<std::uint64_t, 3> cells{request.frame.cells[0], request.frame.cells[1],
                                             request.frame.cells[2]};
    Array<float> values = box_.margin == std::array<std::uint64_t, 3>{0, 0, 0}
                              ? std::move(made.values)
                              : without_margins(made.values, cells, box_.margin, ranks_);
    double volume = 1;
    for (std::size_t a = 0; a < 3; ++a) volume *= box_.side_of_cell(a);
    result_.summary = transform_grid(
        values, {result_.of == GridOf::Density ? 1 / volume : 1, choice_.overdensity, choice_.log},
        ranks_);
    keep(values);
  }

  void keep(const Array<float>& values) {
    Grid& grid = result_.grid;
    for (std::size_t a = 0; a < 3; ++a) grid.cells[a] = box_.cells[a];
    grid.bytes = Array<std::byte>(values.size() * sizeof(float));
    if (values.size() > 0) std::memcpy(grid.bytes.data(), values.data(), grid.bytes.size());
    if (choice_.log && result_.summary.empty > 0)
      result_.said.push_back(
          fmt::format("{} cells are empty: their logarithm is -inf.", result_.summary.empty));
    if (result_.summary.unknown > 0)
      result_.said.push_back(fmt::format("{} cells have no mass, so no mean: they hold NaN.",
                                         result_.summary.unknown));
  }

  // Where the grid lies and what its values are.
  void place() {
    Grid& grid = result_.grid;
    for (std::size_t a = 0; a < 3; ++a) {
      grid.low[a] = box_.low[a];
      grid.spacing[a] = box_.side_of_cell(a);
    }
    grid.periodic = box_.wraps;
    grid.length_unit = io::length_unit(info().units);
    const std::string mass = io::mass_unit(info().units);
    if (result_.of == GridOf::Mass) grid.unit = mass;
    if (result_.of == GridOf::Density)
      grid.unit = grouped_unit(mass) + "/" + unit_power(grid.length_unit, 3);
    if (result_.of == GridOf::Sum || result_.of == GridOf::Mean) grid.unit = unit_;
    grid.name = word_of(result_.of);
    if (!field_.empty()) grid.name += ":" + field_;
    if (choice_.overdensity) {
      grid.name = result_.of == GridOf::Count ? "count_over_mean" : "overdensity";
      grid.unit.clear();
    }
    if (choice_.log) {
      grid.name = "log10_" + grid.name;
      if (!grid.unit.empty()) grid.unit = fmt::format("log10({})", grid.unit);
    }
  }

  const io::SnapshotReader& reader_;
  const GridChoice& choice_;
  compute::Device device_;
  Progress& progress_;
  compute::Ranks& ranks_;
  const RowParts parts_;
  io::LoadRequest load_;
  std::string field_, unit_;
  ParticleSet particles_;
  SmoothingLengths lengths_{LengthsChoice{}};
  PlacedBox box_;
  ParticleGrid result_;
};

}  // namespace

void check_grid(const GridChoice& choice) {
  const GridOf of = quantity_of(choice);
  const bool of_field = of == GridOf::Sum || of == GridOf::Mean;
  if (of_field && choice.field.empty())
    throw Error(fmt::format("a {} needs a field", word_of(of)), "--quantity",
                "name one with --field");
  if (!of_field && !choice.field.empty())
    throw Error(fmt::format("{} takes no field", word_of(of)), "--quantity",
                "choose sum or mean, or leave out --field");
  if (of_field && choice.overdensity)
    throw Error("units of the mean are for mass, density and count", "--overdensity",
                "leave it out");
}

ParticleGrid make_particle_grid(const io::SnapshotReader& reader, const GridChoice& choice,
                                compute::Device device, Progress& progress, compute::Ranks& ranks) {
  check_grid(choice);
  if (ranks.size() > 1) {
    require_same_snapshot(ranks, reader.info());
    // Before anything is read; the margins of a smoothed region are not known yet.
    require_room_for_slab(choice.cells, choice, device, ranks, "choose fewer cells");
  } else {
    require_room_for_cells(count_of(choice.cells), sizeof(float), "--size", "choose fewer cells");
  }
  return ParticleGridMaker(reader, choice, device, progress, ranks).make();
}

}  // namespace haloscope::analysis
