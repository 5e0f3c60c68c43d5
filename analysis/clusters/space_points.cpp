#include "analysis/clusters/space_points.h"

#include "analysis/snapshot/peculiar_velocities.h"
#include "core/array.h"
#include "core/error.h"
#include "io/loading/column_dispatch.h"
#include "io/loading/column_reading.h"
#include "io/loading/derived_fields.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <list>

namespace haloscope::analysis {

namespace {

using Source = SpaceQuantity::Source;

template <class T>
std::uint64_t not_finite(const T* values, std::uint64_t count) {
  using Rows = tbb::blocked_range<std::size_t>;
  return tbb::parallel_reduce(
      Rows(0, std::size_t(count), 65536), std::uint64_t(0),
      [&](const Rows& rows, std::uint64_t sum) {
        for (std::size_t i = rows.begin(); i != rows.end(); ++i) sum += !std::isfinite(values[i]);
        return sum;
      },
      std::plus<>());
}

// "positions are divided by 2.5 kpc", without a unit where none is known.
std::string with_unit(double value, const std::string& unit) {
  return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
}

class SpaceMaker {
 public:
  SpaceMaker(const io::SnapshotReader& reader, const HaloSearch& particles,
             const std::vector<SpaceQuantity>& quantities, Progress& progress)
      : reader_(reader), particles_(particles), quantities_(quantities), progress_(progress) {
    for (const ParticleColumns& columns : particles.particles.types)
      if (particles.has_members(columns.type)) types_.push_back(&columns);
  }

  SpacePoints place() {
    std::vector<SpaceGroup> groups;
    for (const SpaceQuantity& quantity : quantities_) groups.push_back(group_of(quantity));
    SpacePoints points;
    points.lattice = place_in_lattice(groups);
    tell(points);
    return points;
  }

 private:
  SpaceGroup group_of(const SpaceQuantity& quantity) {
    SpaceGroup group;
    group.name = quantity.name;
    group.scale = quantity.scale;
    group.columns.resize(std::size_t(quantity.components));
    for (const ParticleColumns* columns : types_) {
      if (quantity.source == Source::Positions)
        add_positions(quantity, *columns, group);
      else if (quantity.source == Source::Velocities)
        add_velocities(*columns, group);
      else
        add_field(quantity, *columns, group);
    }
    return group;
  }

  void add_positions(const SpaceQuantity& quantity, const ParticleColumns& columns,
                     SpaceGroup& group) const {
    const Domain& domain = particles_.particles.domain;
    for (std::size_t c = 0; c < group.columns.size(); ++c) {
      SpaceColumn& column = group.columns[c];
      column.step = domain.step();
      column.periodic = domain.periodic;
      SpaceColumn::Part& part = column.parts.emplace_back();
      part.fixed = columns.position[std::size_t(quantity.first) + c].data();
      part.count = columns.count;
    }
  }

  void add_velocities(const ParticleColumns& columns, SpaceGroup& group) const {
    const std::string field = velocity_field(reader_.info().types.at(columns.type));
    add_floats(columns.fields.at(field), field, columns, group);
  }

  void add_floats(const std::vector<Array<float>>& values, const std::string& name,
                  const ParticleColumns& columns, SpaceGroup& group) const {
    std::uint64_t odd = 0;
    for (std::size_t c = 0; c < group.columns.size(); ++c) {
      odd += not_finite(values[c].data(), columns.count);
      SpaceColumn::Part& part = group.columns[c].parts.emplace_back();
      part.real32 = values[c].data();
      part.count = columns.count;
    }
    require_finite(odd, name, columns);
  }

  void require_finite(std::uint64_t odd, const std::string& name,
                      const ParticleColumns& columns) const {
    if (odd > 0)
      throw Error(fmt::format("{} value{} of {} of {} {} not {}", odd, odd == 1 ? "" : "s", name,
                              columns.name, odd == 1 ? "is" : "are",
                              odd == 1 ? "a finite number" : "finite numbers"),
                  reader_.info().files.front(),
                  fmt::format("leave these particles out (--where {}:LOW,HIGH)", name));
  }

  void add_field(const SpaceQuantity& quantity, const ParticleColumns& columns, SpaceGroup& group) {
    const io::FieldPlan plan = io::plan_field(reader_.info(), columns.type, quantity.field);
    using Kind = io::FieldPlan::Kind;
    if (plan.kind != Kind::Stored && plan.kind != Kind::Component) {
      derived_.push_back(io::read_field(reader_, columns.type,
                                        io::RowMap(reader_.info().types.at(columns.type).count),
                                        plan, progress_));
      for (Array<float>& one : derived_.back()) drop_rejected(columns, one);
      if (!plan.assumed.empty()) said_.push_back(plan.assumed);
      return add_floats(derived_.back(), quantity.name, columns, group);
    }
    stored_.push_back(read_stored(columns, plan));
    std::uint64_t odd = 0;
    for (std::size_t c = 0; c < group.columns.size(); ++c) {
      const Array<double>& values = stored_.back()[c];
      odd += not_finite(values.data(), values.size());
      SpaceColumn::Part& part = group.columns[c].parts.emplace_back();
      part.real64 = values.data();
      part.count = values.size();
    }
    require_finite(odd, quantity.name, columns);
  }

  // One array for each component, in double: positions and times have more digits than float32.
  std::vector<Array<double>> read_stored(const ParticleColumns& columns,
                                         const io::FieldPlan& plan) const {
    const std::uint64_t count = reader_.info().types.at(columns.type).count;
    std::vector<Array<double>> values;
    for (int c = 0; c < plan.components; ++c) values.emplace_back(std::size_t(count));
    std::atomic<std::uint64_t> rows{0};
    reader_.read(
        columns.type, plan.source,
        [&](const io::ColumnChunk& chunk) {
          rows += chunk.rows;
          if (chunk.first + chunk.rows > count) return;
          io::with_typed_data(chunk, [&](const auto* data) {
            const auto stride = std::size_t(chunk.components);
            for (std::size_t c = 0; c < values.size(); ++c) {
              const auto* from = data + std::size_t(plan.component) + c;
              double* to = values[c].data() + chunk.first;
              for (std::size_t i = 0; i < chunk.rows; ++i) to[i] = double(from[i * stride]);
            }
          });
        },
        progress_);
    if (rows != count)
      throw BadFile(fmt::format("{} of {} has {} rows, and there are {} particles", plan.source,
                                columns.name, rows.load(), count),
                    reader_.info().files.front(), "copy the file again");
    for (Array<double>& one : values) drop_rejected(columns, one);
    return values;
  }

  // Rows of the file that were left out while reading.
  template <class T>
  static void drop_rejected(const ParticleColumns& columns, Array<T>& values) {
    std::size_t kept = 0, next = 0;
    if (columns.rejected_rows.empty()) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (next < columns.rejected_rows.size() && columns.rejected_rows[next] == i)
        ++next;
      else
        values[kept++] = values[i];
    }
    values.shrink(kept);
  }

  void tell(SpacePoints& points) const {
    const SpaceLattice& lattice = points.lattice;
    points.said = said_;
    std::string divided, steps;
    for (std::size_t g = 0; g < quantities_.size(); ++g) {
      const SpaceQuantity& quantity = quantities_[g];
      const double scale = lattice.scale[g], step = scale * lattice.step;
      const char* const comma = g == 0 ? "" : ", ";
      divided +=
          fmt::format("{}{} divided by {}{}", comma, quantity.name, with_unit(scale, quantity.unit),
                      quantity.scale || lattice.constant[g] ? "" : " (the dispersion)");
      steps += fmt::format("{}{} of {}", comma, quantity.name, with_unit(step, quantity.unit));
      points.parameters.emplace_back("scale of " + quantity.name, scale);
      points.parameters.emplace_back("lattice step of " + quantity.name, step);
      if (lattice.constant[g])
        points.said.push_back(
            fmt::format("All particles have the same {}, which tells none apart.", quantity.name));
    }
    points.said.push_back(
        fmt::format("Distances and heights are those of {}: they have no unit.", divided));
    points.said.push_back(fmt::format("Values are rounded to the steps of a lattice: {}.", steps));
  }

  const io::SnapshotReader& reader_;
  const HaloSearch& particles_;
  const std::vector<SpaceQuantity>& quantities_;
  Progress& progress_;
  std::vector<const ParticleColumns*> types_;
  // Columns of the groups point into these.
  std::list<std::vector<Array<float>>> derived_;
  std::list<std::vector<Array<double>>> stored_;
  std::vector<std::string> said_;
};

}  // namespace

SpacePoints place_in_space(const io::SnapshotReader& reader, const HaloSearch& particles,
                           const std::vector<SpaceQuantity>& quantities, Progress& progress) {
  return SpaceMaker(reader, particles, quantities, progress).place();
}

std::uint64_t bytes_of_space(const std::vector<SpaceQuantity>& quantities, std::uint64_t points) {
  // A place in the lattice, and its copies while the tree is made.
  constexpr std::uint64_t kLattice = 4 * sizeof(std::uint32_t);
  std::uint64_t bytes = 0;
  for (const SpaceQuantity& one : quantities)
    bytes += std::uint64_t(one.components) *
             (kLattice + (one.source == Source::Field ? sizeof(double) : 0));
  return bytes * points;
}

}  // namespace haloscope::analysis
