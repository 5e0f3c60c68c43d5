// Ages of stars from scale factors and code times, and the colors that are made of them.

#include "io/loading/stellar_ages.h"

#include "core/star_color.h"
#include "io/loading/derived_fields.h"
#include "io/loading/particle_loader.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <cmath>

using namespace haloscope;
using namespace haloscope::io;

namespace {

Cosmology cosmology(double matter, double lambda, double h = 0.7) {
  Cosmology made;
  made.redshift = 0;
  made.hubble_param = h;
  made.omega_matter = matter;
  made.omega_lambda = lambda;
  return made;
}

// Hubble times for h = 0.7, Gyr.
constexpr double kHubbleTime = 9.7779222 / 0.7;

SnapshotInfo snapshot(const Cosmology& cosmology) {
  SnapshotInfo info;
  info.units.comoving = true;
  info.cosmology = cosmology;
  return info;
}

}  // namespace

TEST_CASE("universes have the ages that formulas give them", "[stars]") {
  // Einstein and de Sitter: 2/3 a^1.5.
  const CosmicTime plain(cosmology(1, 0), 1);
  for (const double a : {1e-3, 0.1, 0.5, 1.})
    CHECK(plain.gyr(a) == Approx(kHubbleTime * 2 / 3 * std::pow(a, 1.5)).epsilon(3e-4));
  // Flat with a constant: 2 / (3 sqrt(OL)) asinh(sqrt(OL / Om) a^1.5).
  const CosmicTime flat(cosmology(0.3, 0.7), 1);
  for (const double a : {0.1, 0.5, 1.})
    CHECK(flat.gyr(a) == Approx(kHubbleTime * 2 / (3 * std::sqrt(0.7)) *
                                std::asinh(std::sqrt(0.7 / 0.3) * std::pow(a, 1.5)))
                             .epsilon(1e-5));
  // Open and empty but for a little matter: close to the Hubble time.
  CHECK(CosmicTime(cosmology(1e-6, 0), 1).gyr(1) == Approx(kHubbleTime).epsilon(1e-3));
  CHECK(std::isnan(flat.gyr(0)));
  CHECK(std::isnan(flat.gyr(-0.5)));
}

TEST_CASE("ages are from formation to the snapshot, and wind has none", "[stars]") {
  const StellarAges ages(snapshot(cosmology(1, 0)));
  CHECK(ages.gyr(0.25) == Approx(kHubbleTime * 2 / 3 * (1 - 0.125)).epsilon(1e-4));
  CHECK(ages.gyr(1) == Approx(0).margin(1e-9));
  CHECK(ages.gyr(1.0001) == Approx(0).margin(1e-9));
  CHECK(std::isnan(ages.gyr(-0.3)));
  CHECK(std::isnan(ages.gyr(NAN)));
}

TEST_CASE("isolated runs have times in code units", "[stars]") {
  SnapshotInfo info;
  info.time = 2;  // kpc / (km/s) = 0.978 Gyr
  const StellarAges ages(info);
  CHECK(ages.gyr(0.5) == Approx(1.5 * 0.9778).epsilon(1e-3));
  CHECK(ages.gyr(-1) == Approx(3 * 0.9778).epsilon(1e-3));
}

TEST_CASE("a cosmology without matter makes no ages", "[stars]") {
  CHECK_FALSE(knows_ages(snapshot(cosmology(0, 0))));
  CHECK(knows_ages(snapshot(cosmology(0.3, 0.7))));
}

TEST_CASE("stars of a snapshot have ages and colors", "[stars][loading]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("stars.hdf5");
  {
    snapshot_files::FileWriter file(path);
    file.group("Header");
    file.attribute<std::uint32_t>("Header", "NumPart_ThisFile", {0, 0, 0, 0, 3, 0});
    file.attribute<std::uint32_t>("Header", "NumPart_Total", {0, 0, 0, 0, 3, 0});
    file.attribute<double>("Header", "MassTable", {0, 0, 0, 0, 1, 0});
    file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1}, false);
    file.number("Header", "BoxSize", 100).number("Header", "Time", 1);
    file.number("Header", "Redshift", 0).number("Header", "HubbleParam", 0.7);
    file.number("Header", "Omega0", 0.3).number("Header", "OmegaLambda", 0.7);
    file.group("PartType4");
    file.dataset<float>("PartType4/Coordinates", {3, 3}, {1, 1, 1, 2, 2, 2, 3, 3, 3});
    file.dataset<float>("PartType4/GFM_StellarFormationTime", {3}, {0.2F, 0.999F, -0.5F});
    file.dataset<float>("PartType4/GFM_Metallicity", {3}, {0.0134F, 0.002F, 0.02F});
  }
  const auto reader = open_snapshot(path);
  const auto& info = reader->info();
  CHECK(plan_field(info, 4, kStarColor).components == 3);
  CHECK(plan_field(info, 4, kStellarAge).unit == "Gyr");
  Progress nobody;
  LoadRequest request;
  request.types.push_back({4, {kStellarAge, kStarColor}, true, true});
  const ParticleSet loaded = load_particles(*reader, request, nobody);
  const auto& ages = loaded.types.front().fields.at(kStellarAge).front();
  const auto& colors = loaded.types.front().fields.at(kStarColor);
  CHECK(ages[0] == Approx(11.8).margin(0.2));
  CHECK(ages[1] == Approx(0.014).margin(0.002));
  CHECK(std::isnan(ages[2]));
  const auto old = star_color(double(ages[0]), 0.0134);
  for (std::size_t c = 0; c < 3; ++c) CHECK(colors[c][0] == Approx(old[c]).epsilon(1e-4));
  CHECK(colors[2][1] > colors[0][1]);  // young: blue
  CHECK(std::isnan(colors[0][2]));
}
