#include "io/loading/particle_loader.h"

#include "core/error.h"
#include "core/host_memory.h"
#include "io/loading/box_check.h"
#include "io/loading/column_checks.h"
#include "io/loading/column_reading.h"
#include "io/loading/known_rows.h"
#include "io/loading/load_plan.h"
#include "io/loading/position_columns.h"
#include "io/loading/select_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace haloscope::io {

namespace {

constexpr const char* kFewer = "choose fewer particle types, fewer fields or a smaller region";

// Removes the elements at `rows` (ascending), keeping the order of the others.
template <class T>
void drop_rows(Array<T>& column, const std::vector<std::uint64_t>& rows) {
  if (rows.empty() || column.empty()) return;
  std::uint64_t to = rows.front();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::uint64_t begin = rows[r] + 1;
    const std::uint64_t end = r + 1 < rows.size() ? rows[r + 1] : column.size();
    std::copy(column.begin() + begin, column.begin() + end, column.begin() + to);
    to += end - begin;
  }
  column.shrink(to);
}

void drop_rejected(ParticleColumns& columns, const std::vector<std::uint64_t>& rows) {
  // Known positions lack them already.
  for (auto& axis : columns.position)
    if (axis.size() == columns.count) drop_rows(axis, rows);
  drop_rows(columns.support_radius, rows);
  drop_rows(columns.mass, rows);
  for (auto& [name, components] : columns.fields)
    for (auto& component : components) drop_rows(component, rows);
  columns.count -= rows.size();
}

class Loader {
 public:
  Loader(const SnapshotReader& reader, const LoadRequest& request, Progress& progress)
      : reader_(reader),
        selection_(request.selection),
        known_(usable(reader.info(), request)),
        together_(request.together),
        progress_(progress),
        plans_(plan_types(reader.info(), request)) {
    // Before anything is read; a region is asked about again when it is known.
    if (!request.selection.region && !together_)
      require_host_memory(estimate_memory(reader.info(), request), "the particles", kFewer);
  }

  ParticleSet run() {
    if (plans_.empty())
      throw Error("no particle type to load", reader_.info().files.front(), "choose at least one");
    std::vector<int> types;
    for (const auto& plan : plans_) types.push_back(plan.type);
    if (known_ && selection_.region) {
      KnownRows found = select_known_rows(reader_, types, *selection_.region, *known_, progress_);
      selected_ = std::move(found.selected);
      in_box_ = std::move(found.in_box);
    } else {
      selected_ = together_
                      ? select_rows_together(reader_, types, selection_, *together_, progress_)
                      : select_rows(reader_, types, selection_, progress_);
    }
    std::uint64_t bytes = 0;
    for (const auto& plan : plans_)
      if (selected_.rows.count(plan.type))
        bytes += plan.bytes_per_particle() * selected_.rows.at(plan.type).size();
    require_host_memory(bytes, "the particles", kFewer);
    PositionFrame frame;
    if (known_ && !known_->domain.periodic)
      frame.domain = known_->domain;
    else
      frame = choose_frame(reader_, selected_.rows, progress_, together_);
    if (known_ && !(known_->domain == frame.domain)) known_ = nullptr;
    set_.domain = frame.domain;
    for (const auto& plan : plans_) {
      for (auto& sentence : describe_selection(reader_.info(), selection_, selected_, plan.type))
        set_.assumed.push_back(std::move(sentence));
      if (!selected_.rows.count(plan.type)) continue;
      ParticleColumns columns = load_type(plan, frame);
      if (sum(columns.count) > 0) set_.types.push_back(std::move(columns));
    }
    if (set_.types.empty())
      throw Error("no particle with a usable position is left", reader_.info().files.front(),
                  "copy the file again");
    return std::move(set_);
  }

 private:
  // Null: positions are read.
  static const KnownPositions* usable(const SnapshotInfo& info, const LoadRequest& request) {
    const KnownPositions* const known = request.known;
    if (!known || request.together || request.selection.samples() ||
        known->domain.periodic != info.periodic)
      return nullptr;
    if (request.selection.region &&
        !(request.rough_region && known->domain == Domain{info.box_origin, info.box_size, true}))
      return nullptr;
    std::size_t asked = 0;
    for (const auto& one : request.types) {
      const std::uint64_t count = info.types.at(one.type).count;
      const auto found = known->types.find(one.type);
      if (found == known->types.end()) {
        if (count > 0 && !info.periodic) return nullptr;
        continue;
      }
      if (found->second.counts.read != count) return nullptr;
      ++asked;
    }
    return info.periodic || asked == known->types.size() ? known : nullptr;
  }

  std::uint64_t sum(std::uint64_t count) const { return together_ ? together_->sum(count) : count; }

  LoadCounts of_all(LoadCounts counts) const {
    for (std::uint64_t* const one :
         {&counts.read, &counts.not_finite, &counts.too_far, &counts.wrapped, &counts.far_outside})
      *one = sum(*one);
    return counts;
  }

  PositionColumns known_positions(int type) {
    if (const auto boxed = in_box_.find(type); boxed != in_box_.end()) {
      PositionColumns positions;
      positions.counts.in_file = selected_.rows.at(type).rows_in_file();
      positions.counts.read = boxed->second.rows.size();
      positions.position = std::move(boxed->second.position);
      return positions;
    }
    const KnownPositions::Type& known = known_->types.at(type);
    PositionColumns positions;
    positions.counts = known.counts;
    // With no selection a row of the columns is one of the file.
    positions.rejected = positions.rejected_in_file = known.rejected_rows;
    known.copy(positions.position);
    return positions;
  }

  ParticleColumns load_type(const TypePlan& plan, const PositionFrame& frame) {
    const RowMap& rows = selected_.rows.at(plan.type);
    ParticleColumns columns;
    columns.type = plan.type;
    columns.name = plan.info->name;
    columns.count = rows.size();
    columns.weight = selected_.weights.at(plan.type);
    columns.positions_known = known_ && known_->types.count(plan.type);
    PositionColumns positions = columns.positions_known
                                    ? known_positions(plan.type)
                                    : read_positions(reader_, plan.type, rows, frame, progress_);
    say_positions(plan, of_all(positions.counts));
    columns.position = std::move(positions.position);
    columns.rejected_rows = std::move(positions.rejected_in_file);
    columns.counts = positions.counts;
    if (plan.smoothing_length)
      columns.support_radius =
          read_support_radius(reader_, plan.type, rows, *plan.smoothing_length, progress_);
    load_mass(plan, rows, columns);
    for (const auto& field : plan.fields) {
      columns.fields[field.name] = read_field(reader_, plan.type, rows, field, progress_);
      // Types may have a field in common, which is told once.
      if (!field.assumed.empty() &&
          std::find(set_.assumed.begin(), set_.assumed.end(), field.assumed) == set_.assumed.end())
        set_.assumed.push_back(field.assumed);
    }
    drop_rejected(columns, positions.rejected);
    say_columns(columns);
    return columns;
  }

  void load_mass(const TypePlan& plan, const RowMap& rows, ParticleColumns& columns) {
    if (plan.mass_field) {
      columns.mass = read_scalar(reader_, plan.type, rows, plan.info->roles.at(Role::Mass),
                                 progress_, columns.weight);
    } else if (plan.info->uniform_mass > 0) {
      columns.uniform_mass = plan.info->uniform_mass;
    } else if (plan.mass && !plan.info->find(Role::Mass)) {
      say("{} has no masses in the file: took 1 for each.", plan.info->name);
    }
    columns.uniform_mass *= columns.weight;
  }

  void say_positions(const TypePlan& plan, const LoadCounts& counts) {
    const std::string& name = plan.info->name;
    if (counts.not_finite > 0)
      say("{} of {} {} particles have positions that are not finite numbers: left out.",
          counts.not_finite, counts.read, name);
    if (counts.too_far > 0)
      say("{} of {} {} particles lie more than 2048 times farther out than 99.8 % of all: left "
          "out.",
          counts.too_far, counts.read, name);
    if (const auto misfit = box_misfit(reader_.info(), name, counts)) {
      set_.assumed.push_back(*misfit);
      return;
    }
    if (counts.wrapped > 0)
      say("{} of {} {} particles lie on or outside the edge of the box: wrapped into it.",
          counts.wrapped, counts.read, name);
    if (counts.far_outside * 100 > counts.read)
      say("{} of {} {} particles lie outside by more than a whole box: BoxSize may be in other "
          "units than the positions.",
          counts.far_outside, counts.read, name);
  }

  // Counts only among the rows that are kept.
  void say_columns(const ParticleColumns& columns) {
    constexpr float most = std::numeric_limits<float>::max();
    constexpr float least = std::numeric_limits<float>::denorm_min();
    const std::uint64_t count = sum(columns.count);
    const std::uint64_t without = sum(count_outside(columns.support_radius, least, most));
    if (without > 0)
      say("{} of {} {} particles have a smoothing length that is not a positive number.", without,
          count, columns.name);
    const std::uint64_t odd_masses = sum(count_outside(columns.mass, 0, most));
    if (odd_masses > 0)
      say("{} of {} {} particles have a mass that is negative or not a finite number.", odd_masses,
          count, columns.name);
    for (const auto& [name, components] : columns.fields) {
      std::uint64_t odd = 0;
      for (const auto& component : components) odd += count_outside(component, -most, most);
      odd = sum(odd);
      if (odd > 0) say("{} values of {} of {} are not finite numbers.", odd, name, columns.name);
    }
  }

  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    set_.assumed.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  const SnapshotReader& reader_;
  const Selection& selection_;
  const KnownPositions* known_;
  const ReadTogether* together_;
  Progress& progress_;
  std::vector<TypePlan> plans_;
  SelectedRows selected_;
  std::map<int, RowsInBox> in_box_;  // of known positions, where there is a region
  ParticleSet set_;
};

}  // namespace

ParticleSet load_particles(const SnapshotReader& reader, const LoadRequest& request,
                           Progress& progress) {
  return Loader(reader, request, progress).run();
}

}  // namespace haloscope::io
