#include "analysis/file_rows.h"
#include "analysis/made_fields/field_makers.h"
#include "analysis/snapshot/smoothing_lengths.h"
#include "core/error.h"
#include "core/particles.h"
#include "core/unit_words.h"
#include "io/loading/particle_loader.h"
#include "io/snapshots/gadget_units.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::analysis {

namespace {

void offer_density(SnapshotInfo& info) {
  const std::string sentence =
      "LocalDensity is one particle over the volume of its smoothing sphere, which reaches to its "
      "32nd nearest of all particles of its type where the file has no smoothing lengths.";
  const Units& units = info.units;
  const FieldScaling scaling{std::pow(units.length_cm, -3.0),
                             units.comoving ? -3.0 : 0.0,
                             units.per_h ? 3.0 : 0.0,
                             -3,
                             0,
                             0};
  for (auto& [number, type] : info.types)
    if (type.count > 1 && type.find(Role::Position) && !type.find(kLocalDensity))
      type.made.push_back(
          {{kLocalDensity, 1, ScalarType::Float32, unit_power(io::length_unit(units), -3), scaling},
           sentence});
}

MadeValues make_density(const io::SnapshotReader& reader, int type, const MakingChoice& choice,
                        Progress& progress) {
  io::LoadRequest load;
  load.types.push_back({type, {}, true, false});
  const ParticleSet particles = io::load_particles(reader, load, progress);
  LengthsChoice lengths;
  lengths.copies = choice.copies;
  lengths.device = choice.device;
  SmoothingLengths found(lengths);
  found.find(reader.info(), particles, progress);
  const ParticleColumns& columns = particles.types.front();
  const Array<float>& length =
      columns.support_radius.empty() ? found.of(0) : columns.support_radius;
  if (length.size() != columns.count)
    throw Error(
        "the neighbors of its particles cannot be searched for, so that there is no "
        "LocalDensity of " +
            columns.name,
        reader.info().files.front(), "choose another field, or fewer particles");
  std::vector<float> density(std::size_t(columns.count));
  for (std::size_t i = 0; i < density.size(); ++i) {
    const double h = length[i];
    // Of particles at one point there is no density.
    density[i] = h > 0 ? float(3 / (4 * std::numbers::pi * h * h * h))
                       : std::numeric_limits<float>::quiet_NaN();
  }
  density =
      file_rows(std::move(density), columns.rejected_rows, std::numeric_limits<float>::quiet_NaN());
  MadeValues made;
  Array<float>& values = made[type] = Array<float>(density.size());
  std::copy(density.begin(), density.end(), values.data());
  return made;
}

}  // namespace

const FieldMaker& local_density_maker() {
  static const FieldMaker maker{kLocalDensity, offer_density, make_density};
  return maker;
}

}  // namespace haloscope::analysis
