#include "io/loading/column_reading.h"

#include "core/star_color.h"
#include "io/loading/column_dispatch.h"
#include "io/loading/stellar_ages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace haloscope::io {

namespace {

// Reads components of a dataset from `first` on into one array each; `convert` gets the value and
// what the array held before.
template <class Convert>
void read_column(const SnapshotReader& reader, int type, const RowMap& rows,
                 const std::string& field, int first, std::vector<Array<float>>& out,
                 Progress& progress, Convert&& convert) {
  rows.read(
      reader, type, field,
      [&](const ColumnChunk& chunk) {
        with_typed_data(chunk, [&](const auto* data) {
          const auto stride = std::uint64_t(chunk.components);
          for (std::size_t c = 0; c < out.size(); ++c) {
            float* column = out[c].data();
            const auto* values = data + std::size_t(first) + c;
            rows.each_run(
                chunk.first, chunk.rows,
                [&](std::uint64_t i, std::uint64_t row, std::uint64_t, std::uint64_t length) {
                  const auto* __restrict from = values + i * stride;
                  float* __restrict to = column + row;
                  if (stride == 1)  // a loop of its own, which becomes vectors
                    for (std::uint64_t k = 0; k < length; ++k)
                      to[k] = float(convert(double(from[k]), to[k]));
                  else
                    for (std::uint64_t k = 0; k < length; ++k)
                      to[k] = float(convert(double(from[k * stride]), to[k]));
                });
          }
        });
      },
      progress);
}

double as_stored(double value, float) {
  return value;
}

Array<float> read_speed(const SnapshotReader& reader, int type, const RowMap& rows,
                        const std::string& velocities, Progress& progress) {
  Array<float> speed(rows.size());
  rows.read(
      reader, type, velocities,
      [&](const ColumnChunk& chunk) {
        with_typed_data(chunk, [&](const auto* data) {
          rows.each(chunk.first, chunk.rows,
                    [&](std::uint64_t i, std::uint64_t row, std::uint64_t) {
                      const auto* v = data + 3 * i;
                      speed[row] = float(std::hypot(double(v[0]), double(v[1]), double(v[2])));
                    });
        });
      },
      progress);
  return speed;
}

// What turns a stored specific energy into cm^2/s^2: the field's own word (SWIFT's energies carry
// a^-2), else Gadget's custom.
double specific_energy_unit(const SnapshotInfo& info, int type, const std::string& field) {
  const FieldInfo* energy = info.types.at(type).find(field);
  if (!energy || !energy->scaling || !(energy->scaling->to_cgs > 0))
    return info.units.velocity_cm_per_s * info.units.velocity_cm_per_s;
  const FieldScaling& s = *energy->scaling;
  return s.to_cgs * std::pow(info.cosmology.scale_factor, s.a) *
         std::pow(info.cosmology.hubble_param, s.h);
}

Array<float> read_ages(const SnapshotReader& reader, int type, const RowMap& rows,
                       const std::string& formed, Progress& progress) {
  const StellarAges ages(reader.info());
  std::vector<Array<float>> columns;
  columns.emplace_back(rows.size());
  read_column(reader, type, rows, formed, 0, columns, progress,
              [&](double value, float) { return ages.gyr(value); });
  return std::move(columns.front());
}

// What is no star has no color, and gives no light.
std::vector<Array<float>> read_star_colors(const SnapshotReader& reader, int type,
                                           const RowMap& rows, const FieldPlan& plan,
                                           Progress& progress) {
  std::vector<Array<float>> columns;
  columns.push_back(read_ages(reader, type, rows, plan.source, progress));
  for (int c = 1; c < 3; ++c) columns.emplace_back(rows.size());
  std::vector<Array<float>> metals;
  if (!plan.second.empty()) {
    metals.emplace_back(rows.size());
    read_column(reader, type, rows, plan.second, 0, metals, progress, as_stored);
  }
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    const double age = double(columns[0][i]);
    std::array<float, 3> color;
    color.fill(std::numeric_limits<float>::quiet_NaN());
    if (!std::isnan(age))
      color = star_color(age, metals.empty() ? kSolarMetals : double(metals.front()[i]));
    for (std::size_t c = 0; c < 3; ++c) columns[c][i] = color[c];
  }
  return columns;
}

double radius_of(double volume) {
  return std::cbrt(volume * 3 / (4 * std::numbers::pi));
}

}  // namespace

Array<float> read_scalar(const SnapshotReader& reader, int type, const RowMap& rows,
                         const std::string& field, Progress& progress, double factor) {
  std::vector<Array<float>> columns;
  columns.emplace_back(rows.size());
  read_column(reader, type, rows, field, 0, columns, progress,
              [factor](double value, float) { return value * factor; });
  return std::move(columns.front());
}

std::vector<Array<float>> read_field(const SnapshotReader& reader, int type, const RowMap& rows,
                                     const FieldPlan& plan, Progress& progress) {
  std::vector<Array<float>> columns;
  switch (plan.kind) {
    case FieldPlan::Kind::Stored:
    case FieldPlan::Kind::Component:
      for (int c = 0; c < plan.components; ++c) columns.emplace_back(rows.size());
      read_column(reader, type, rows, plan.source, plan.component, columns, progress, as_stored);
      break;
    case FieldPlan::Kind::Speed:
      columns.push_back(read_speed(reader, type, rows, plan.source, progress));
      break;
    case FieldPlan::Kind::StellarAge:
      columns.push_back(read_ages(reader, type, rows, plan.source, progress));
      break;
    case FieldPlan::Kind::StarColor:
      columns = read_star_colors(reader, type, rows, plan, progress);
      break;
    case FieldPlan::Kind::Temperature: {
      // Two passes over one array: first u as the temperature for a mean weight of 1, which the
      // second pass, or a constant, multiplies.
      const double unit = specific_energy_unit(reader.info(), type, plan.source);
      const double constant =
          plan.second.empty() ? mean_molecular_weight(kFullyIonizedElectrons) : 1;
      columns.push_back(
          read_scalar(reader, type, rows, plan.source, progress, temperature_k(unit, constant)));
      if (!plan.second.empty())
        read_column(reader, type, rows, plan.second, 0, columns, progress,
                    [](double electrons, float t) { return t * mean_molecular_weight(electrons); });
      break;
    }
  }
  return columns;
}

Array<float> read_support_radius(const SnapshotReader& reader, int type, const RowMap& rows,
                                 const SmoothingLengthMeaning& meaning, Progress& progress) {
  using Kind = SmoothingLengthMeaning::Kind;
  const double factor = meaning.support_per_value;
  if (meaning.kind == Kind::Length)
    return read_scalar(reader, type, rows, meaning.field, progress, factor);
  std::vector<Array<float>> columns;
  columns.emplace_back(rows.size());
  if (meaning.kind == Kind::Volume) {
    read_column(reader, type, rows, meaning.field, 0, columns, progress,
                [factor](double volume, float) { return factor * radius_of(volume); });
    return std::move(columns.front());
  }
  // Cube roots before the division, one pass each: mass and density are not held side by side.
  if (meaning.field.empty())
    std::fill(columns[0].begin(), columns[0].end(),
              float(factor * radius_of(reader.info().types.at(type).uniform_mass)));
  else
    read_column(reader, type, rows, meaning.field, 0, columns, progress,
                [factor](double mass, float) { return factor * radius_of(mass); });
  read_column(reader, type, rows, meaning.density, 0, columns, progress,
              [](double density, float radius) { return double(radius) / std::cbrt(density); });
  return std::move(columns.front());
}

}  // namespace haloscope::io
