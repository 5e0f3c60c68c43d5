#include "io/particle_loader.h"

#include "core/error.h"
#include "io/column_dispatch.h"
#include "io/derived_fields.h"
#include "io/position_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

namespace haloscope::io {

namespace {

using Request = LoadRequest::Type;

// What one type's request comes to, found before anything is allocated.
struct TypePlan {
  int type = 0;
  const TypeInfo* info = nullptr;
  std::vector<FieldPlan> fields;
  const SmoothingLengthMeaning* smoothing_length = nullptr;
  bool mass_field = false;

  std::uint64_t bytes() const {
    std::uint64_t per_particle = 3 * sizeof(std::uint32_t);
    if (smoothing_length) per_particle += sizeof(float);
    if (mass_field) per_particle += sizeof(float);
    for (const auto& field : fields)
      per_particle += sizeof(float) * std::uint64_t(field.components);
    return per_particle * info->count;
  }
};

void require_scalar(const SnapshotInfo& info, const TypeInfo& type, const std::string& field) {
  const FieldInfo* found = type.find(field);
  if (found && found->components != 1)
    throw BadFile(
        fmt::format("dataset {} ({}) has the wrong shape: expected one value per particle, "
                    "found {}",
                    field, type.name, found->components),
        info.files.front());
}

TypePlan plan_type(const SnapshotInfo& info, const Request& request) {
  TypePlan plan;
  plan.type = request.type;
  std::set<std::string> seen;
  for (const auto& field : request.fields)
    if (seen.insert(field).second) plan.fields.push_back(plan_field(info, request.type, field));
  if (!info.types.count(request.type)) plan_field(info, request.type, {});  // throws the sentence
  plan.info = &info.types.at(request.type);
  const auto meaning = info.smoothing_lengths.find(request.type);
  if (request.smoothing_length && meaning != info.smoothing_lengths.end())
    plan.smoothing_length = &meaning->second;
  plan.mass_field =
      request.mass && plan.info->uniform_mass == 0 && plan.info->find("Masses") != nullptr;
  if (plan.mass_field) require_scalar(info, *plan.info, "Masses");
  if (plan.smoothing_length) require_scalar(info, *plan.info, plan.smoothing_length->field);
  return plan;
}

std::vector<TypePlan> plan_all(const SnapshotInfo& info, const LoadRequest& request) {
  std::vector<TypePlan> plans;
  for (const auto& one : request.types) {
    const bool twice = std::any_of(plans.begin(), plans.end(),
                                   [&](const TypePlan& plan) { return plan.type == one.type; });
    if (twice)
      throw Error(fmt::format("particle type {} is asked for twice", one.type),
                  info.files.empty() ? "" : info.files.front());
    plans.push_back(plan_type(info, one));
  }
  return plans;
}

std::uint64_t total_bytes(const std::vector<TypePlan>& plans) {
  std::uint64_t bytes = 0;
  for (const auto& plan : plans) bytes += plan.bytes();
  return bytes;
}

// Reads `components` of a dataset, each value through `convert`, into one array per component.
template <class Convert>
void read_column(const SnapshotReader& reader, int type, const std::string& field, int first,
                 std::vector<Array<float>>& out, Progress& progress, Convert&& convert) {
  reader.read(
      type, field,
      [&](const ColumnChunk& chunk) {
        with_typed_data(chunk, [&](const auto* data) {
          for (std::size_t c = 0; c < out.size(); ++c) {
            float* to = out[c].data() + chunk.first;
            const auto* from = data + std::size_t(first) + c;
            const auto stride = std::uint64_t(chunk.components);
            for (std::uint64_t i = 0; i < chunk.rows; ++i)
              to[i] = float(convert(double(from[i * stride]), to[i]));
          }
        });
      },
      progress);
}

double as_stored(double value, float) {
  return value;
}

Array<float> read_scalar(const SnapshotReader& reader, int type, const std::string& field,
                         Progress& progress, double factor = 1) {
  std::vector<Array<float>> columns;
  columns.emplace_back(reader.info().types.at(type).count);
  read_column(reader, type, field, 0, columns, progress,
              [factor](double value, float) { return value * factor; });
  return std::move(columns.front());
}

Array<float> read_speed(const SnapshotReader& reader, int type, Progress& progress) {
  Array<float> speed(reader.info().types.at(type).count);
  reader.read(
      type, "Velocities",
      [&](const ColumnChunk& chunk) {
        with_typed_data(chunk, [&](const auto* data) {
          for (std::uint64_t i = 0; i < chunk.rows; ++i) {
            const auto* v = data + 3 * i;
            speed[chunk.first + i] = float(std::hypot(double(v[0]), double(v[1]), double(v[2])));
          }
        });
      },
      progress);
  return speed;
}

std::vector<Array<float>> read_field(const SnapshotReader& reader, int type, const FieldPlan& plan,
                                     Progress& progress) {
  const SnapshotInfo& info = reader.info();
  std::vector<Array<float>> columns;
  switch (plan.kind) {
    case FieldPlan::Kind::Stored:
    case FieldPlan::Kind::Component:
      for (int c = 0; c < plan.components; ++c) columns.emplace_back(info.types.at(type).count);
      read_column(reader, type, plan.source, plan.component, columns, progress, as_stored);
      break;
    case FieldPlan::Kind::Speed:
      columns.push_back(read_speed(reader, type, progress));
      break;
    case FieldPlan::Kind::Temperature: {
      // Two passes over one array: first u as the temperature for a mean weight of 1, which the
      // second pass, or a constant, multiplies.
      const double unit = info.units.velocity_cm_per_s;
      const double constant =
          plan.second.empty() ? mean_molecular_weight(kFullyIonizedElectrons) : 1;
      columns.push_back(
          read_scalar(reader, type, plan.source, progress, temperature_k(unit * unit, constant)));
      if (!plan.second.empty())
        read_column(reader, type, plan.second, 0, columns, progress,
                    [](double electrons, float t) { return t * mean_molecular_weight(electrons); });
      break;
    }
  }
  return columns;
}

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

void drop_rejected(ParticleColumns& columns) {
  for (auto& axis : columns.position) drop_rows(axis, columns.rejected_rows);
  drop_rows(columns.support_radius, columns.rejected_rows);
  drop_rows(columns.mass, columns.rejected_rows);
  for (auto& [name, components] : columns.fields)
    for (auto& component : components) drop_rows(component, columns.rejected_rows);
  columns.count -= columns.rejected_rows.size();
}

class Loader {
 public:
  Loader(const SnapshotReader& reader, const LoadRequest& request, Progress& progress)
      : reader_(reader), progress_(progress), plans_(plan_all(reader.info(), request)) {}

  ParticleSet run() {
    if (plans_.empty())
      throw Error("no particle type to load", reader_.info().files.front(), "choose at least one");
    require_host_memory(total_bytes(plans_), "the particles");
    std::vector<int> types;
    for (const auto& plan : plans_) types.push_back(plan.type);
    const PositionFrame frame = choose_frame(reader_, types, progress_);
    set_.domain = frame.domain;
    for (const auto& plan : plans_) {
      ParticleColumns columns = load_type(plan, frame);
      if (columns.count > 0) set_.types.push_back(std::move(columns));
    }
    if (set_.types.empty())
      throw Error("no particle with a usable position is left", reader_.info().files.front(),
                  "copy the file again");
    return std::move(set_);
  }

 private:
  ParticleColumns load_type(const TypePlan& plan, const PositionFrame& frame) {
    ParticleColumns columns;
    columns.type = plan.type;
    columns.name = plan.info->name;
    columns.count = plan.info->count;
    PositionColumns positions = read_positions(reader_, plan.type, frame, progress_);
    say_positions(plan, positions);
    columns.position = std::move(positions.position);
    columns.rejected_rows = std::move(positions.rejected);
    if (plan.smoothing_length)
      columns.support_radius = read_scalar(reader_, plan.type, plan.smoothing_length->field,
                                           progress_, plan.smoothing_length->support_per_value);
    load_mass(plan, columns);
    for (const auto& field : plan.fields) {
      columns.fields[field.name] = read_field(reader_, plan.type, field, progress_);
      if (!field.assumed.empty()) set_.assumed.push_back(field.assumed);
    }
    drop_rejected(columns);
    say_columns(columns);
    return columns;
  }

  void load_mass(const TypePlan& plan, ParticleColumns& columns) {
    if (plan.mass_field) {
      columns.mass = read_scalar(reader_, plan.type, "Masses", progress_);
    } else if (plan.info->uniform_mass > 0) {
      columns.uniform_mass = plan.info->uniform_mass;
    } else if (!plan.info->find("Masses")) {
      say("{} has no masses in the file: took 1 for each.", plan.info->name);
    }
  }

  void say_positions(const TypePlan& plan, const PositionColumns& positions) {
    const std::string& name = plan.info->name;
    const std::uint64_t too_far = positions.rejected.size() - positions.not_finite;
    if (positions.not_finite > 0)
      say("{} of {} {} particles have positions that are not finite numbers: left out.",
          positions.not_finite, plan.info->count, name);
    if (too_far > 0)
      say("{} of {} {} particles lie more than 2048 times farther out than 99.8 % of all: left "
          "out.",
          too_far, plan.info->count, name);
    if (positions.wrapped > 0)
      say("{} of {} {} particles lie on or outside the edge of the box: wrapped into it.",
          positions.wrapped, plan.info->count, name);
    if (positions.far_outside * 100 > plan.info->count)
      say("{} of {} {} particles lie outside by more than a whole box: BoxSize may be in other "
          "units "
          "than the positions.",
          positions.far_outside, plan.info->count, name);
  }

  // Counts only among the rows that are kept.
  void say_columns(const ParticleColumns& columns) {
    auto count = [](const Array<float>& column, auto&& odd) {
      return std::uint64_t(std::count_if(column.begin(), column.end(), odd));
    };
    auto not_finite = [](float value) { return !std::isfinite(value); };
    const std::uint64_t without =
        count(columns.support_radius, [](float h) { return !(h > 0) || !std::isfinite(h); });
    if (without > 0)
      say("{} of {} {} particles have a smoothing length that is not a positive number.", without,
          columns.count, columns.name);
    const std::uint64_t odd_masses =
        count(columns.mass, [](float m) { return !(m >= 0) || !std::isfinite(m); });
    if (odd_masses > 0)
      say("{} of {} {} particles have a mass that is negative or not a finite number.", odd_masses,
          columns.count, columns.name);
    for (const auto& [name, components] : columns.fields) {
      std::uint64_t odd = 0;
      for (const auto& component : components) odd += count(component, not_finite);
      if (odd > 0) say("{} values of {} of {} are not finite numbers.", odd, name, columns.name);
    }
  }

  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    set_.assumed.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  const SnapshotReader& reader_;
  Progress& progress_;
  std::vector<TypePlan> plans_;
  ParticleSet set_;
};

}  // namespace

ParticleSet load_particles(const SnapshotReader& reader, const LoadRequest& request,
                           Progress& progress) {
  return Loader(reader, request, progress).run();
}

std::uint64_t estimate_memory(const SnapshotInfo& info, const LoadRequest& request) {
  return total_bytes(plan_all(info, request));
}

}  // namespace haloscope::io
