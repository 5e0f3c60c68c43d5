// Clusters in phase space and in fields of a snapshot, against all pairs of points.

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/clusters_options.h"
#include "analysis/finder.h"
#include "compute/clusters/spanning_tree.h"
#include "core/labels.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/oracles/slow_linkage.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using analysis::ClustersOptions;
using analysis::Finding;

namespace {

constexpr std::size_t kRows = 240;
// Stored velocities are peculiar ones by √a, a being 0.5 in these files.
const double kPeculiar = std::sqrt(0.5);

template <class Points>
constexpr bool kTreesKnowShifts = requires(Points points) {
  points.shift;
};

// Two streams through one place, told apart by their velocities alone, on a background.
struct Streams {
  std::vector<double> position, temperature;
  std::vector<float> velocity;

  explicit Streams(double side) {
    std::mt19937 random(8);
    std::normal_distribution<double> normal(0, 1);
    std::uniform_real_distribution<double> uniform(0, 20);
    for (std::size_t i = 0; i < kRows; ++i) {
      const bool field = i % 6 == 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double x = field ? uniform(random) : (axis == 0 ? 0 : 10) + 0.4 * normal(random);
        position.push_back(side > 0 && x < 0 ? x + side : x);
        velocity.push_back(
            float(field ? 100 * normal(random) : (i % 2 == 0 ? 150 : -150) + 10 * normal(random)));
      }
      temperature.push_back(1e4 * std::exp(normal(random)));
    }
  }
  void write(const std::string& path, double side) const {
    snapshot_files::FileWriter file(path);
    snapshot_files::write_header(file, {std::uint32_t(kRows), 0, 0, 0, 0, 0}, side);
    file.group("PartType0").dataset("PartType0/Coordinates", {kRows, 3}, position);
    file.dataset("PartType0/Velocities", {kRows, 3}, velocity);
    file.dataset("PartType0/Temperature", {kRows}, temperature);
    file.dataset("PartType0/Metallicity", {kRows}, std::vector<double>(kRows, 0.02));
    std::vector<double> broken = temperature;
    broken[7] = std::nan("");
    broken[9] = std::numeric_limits<double>::infinity();
    file.dataset("PartType0/Broken", {kRows}, broken);
    file.dataset("PartType0/Short", {kRows - 1}, std::vector<double>(kRows - 1, 1));
    file.dataset("PartType0/Masses", {kRows}, std::vector<float>(kRows, 1.f));
  }
};

template <class T>
double dispersion(const std::vector<T>& values, std::size_t columns) {
  double variance = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    double mean = 0;
    const double rows = double(values.size() / columns);
    for (std::size_t k = c; k < values.size(); k += columns) mean += double(values[k]) / rows;
    for (std::size_t k = c; k < values.size(); k += columns)
      variance += (double(values[k]) - mean) * (double(values[k]) - mean) / rows;
  }
  return std::sqrt(variance / double(columns));
}

// Of all pairs in phase space, with the nearest images of positions.
test::SlowLinkage phase_linkage(const Streams& streams, double side,
                                const std::array<double, 2>& scale) {
  test::SlowLinkage slow;
  slow.count = kRows;
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kRows; ++j) {
      double square = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double d = streams.position[3 * i + axis] - streams.position[3 * j + axis];
        if (side > 0) d -= side * std::round(d / side);
        const double v =
            double(streams.velocity[3 * i + axis]) - double(streams.velocity[3 * j + axis]);
        square += d / scale[0] * (d / scale[0]) + v / scale[1] * (v / scale[1]);
      }
      slow.distance.push_back(std::sqrt(square));
    }
  return slow;
}

std::shared_ptr<const Finding> find(const io::SnapshotReader& reader,
                                    const ClustersOptions& options,
                                    compute::Device device = compute::Device::cpu()) {
  Progress progress;
  analysis::FindRequest request;
  request.device = device;
  return analysis::find_in(reader, "clusters", options, request, progress);
}

ClustersOptions single(const std::string& space, const std::string& scale = {}) {
  ClustersOptions options;
  options.space = space;
  options.scale = scale;
  options.linkage = analysis::Linkage::Single;
  options.cut = "count:3";
  return options;
}

void check_heights(const std::vector<double>& height, const std::vector<double>& expected,
                   double bound) {
  REQUIRE(height.size() == expected.size());
  double worst = 0;
  for (std::size_t k = 0; k < height.size(); ++k)
    worst = std::max(worst, std::abs(height[k] - expected[k]));
  CHECK(worst <= bound);
}

double parameter(const Finding& found, const std::string& name) {
  INFO(name);
  REQUIRE(found.provenance.parameters.count(name));
  return std::get<double>(found.provenance.parameters.at(name));
}

bool says(const Finding& found, const std::string& part) {
  return std::any_of(found.notes.begin(), found.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("clusters in phase space are those of all pairs", "[clusters]") {
  const test::OutputFolder folder;
  const Streams streams(0);
  streams.write(folder.path("snap.hdf5"), 0);
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const double x = dispersion(streams.position, 3), v = dispersion(streams.velocity, 3);
  for (const auto& device : test::devices()) {
    const auto found = find(*reader, single("phase"), device);
    CHECK(parameter(*found, "scale of positions") == Approx(x).epsilon(1e-6));
    CHECK(parameter(*found, "scale of velocities") == Approx(v * kPeculiar).epsilon(1e-6));
    const double step = found->hierarchy->step;
    CHECK(parameter(*found, "lattice step of velocities") == Approx(v * kPeculiar * step));
    CHECK(found->hierarchy->length_unit.empty());
    CHECK(says(*found, "(the dispersion)"));
    check_heights(found->hierarchy->height, phase_linkage(streams, 0, {x, v}).heights(), 1e-6);
    const auto scaled = find(*reader, single("phase", "2,50"), device);
    CHECK(parameter(*scaled, "scale of velocities") == 50);
    check_heights(scaled->hierarchy->height,
                  phase_linkage(streams, 0, {2, 50 / kPeculiar}).heights(), 1e-6);
  }
  // In positions alone the streams are one clump, in phase space two.
  ClustersOptions options;
  options.min_cluster_size = 30;
  const auto two = [&](const char* space) {
    options.space = space;
    options.allow_single_cluster = options.space.empty();
    return find(*reader, options)->labels->of.at(0);
  };
  const auto in_phase = two("phase"), in_place = two("");
  CHECK(in_phase[1] != in_phase[2]);
  CHECK(in_phase[1] != Labels::kNone);
  CHECK(in_phase[2] != Labels::kNone);
  CHECK(in_place[1] == in_place[2]);
}

TEST_CASE("phase space of a periodic box reaches across its sides", "[clusters]") {
  const test::OutputFolder folder;
  constexpr double kSide = 20;
  const Streams streams(kSide);
  streams.write(folder.path("snap.hdf5"), kSide);
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const auto options = single("phase", "2,50");
  if (!kTreesKnowShifts<compute::clusters::LatticePoints>) {
    CHECK(test::message_of([&] { find(*reader, options); }).find("periodic box") !=
          std::string::npos);
    return;
  }
  for (const auto& device : test::devices()) {
    const auto found = find(*reader, options, device);
    check_heights(found->hierarchy->height,
                  phase_linkage(streams, kSide, {2, 50 / kPeculiar}).heights(), 1e-6);
  }
}

TEST_CASE("fields of a snapshot span a space, each by its own dispersion", "[clusters]") {
  const test::OutputFolder folder;
  const Streams streams(0);
  streams.write(folder.path("snap.hdf5"), 0);
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const double t = dispersion(streams.temperature, 1), v = dispersion(streams.velocity, 3);
  std::vector<double> values;
  for (std::size_t i = 0; i < kRows; ++i) {
    values.push_back(streams.temperature[i] / t);
    for (std::size_t axis = 0; axis < 3; ++axis)
      values.push_back(double(streams.velocity[3 * i + axis]) / v);
  }
  const auto found = find(*reader, single("Temperature,Velocities"));
  check_heights(found->hierarchy->height, test::slow_linkage(values, 4, 0, 1).heights(), 1e-6);
  CHECK(parameter(*found, "scale of Temperature") == Approx(t));
  // By one component, in any case of letters, and derived fields too.
  values.clear();
  for (std::size_t i = 0; i < kRows; ++i) {
    values.push_back(double(streams.velocity[3 * i + 2]) / 7);
    values.push_back(std::hypot(streams.velocity[3 * i], streams.velocity[3 * i + 1],
                                streams.velocity[3 * i + 2]) /
                     11);
    values.push_back(streams.position[3 * i] / 3);
  }
  const auto derived = find(*reader, single("velocities[2],Speed,Coordinates[0]", "7,11,3"));
  check_heights(derived->hierarchy->height, test::slow_linkage(values, 3, 0, 1).heights(), 1e-5);
  // What is the same for all tells none apart.
  const auto with_constant = find(*reader, single("Temperature,Metallicity"));
  CHECK(says(*with_constant, "All particles have the same Metallicity"));
  const auto without = find(*reader, single("Temperature"));
  CHECK(with_constant->labels->of == without->labels->of);
  CHECK(with_constant->catalog.tables.front().find("GroupMass"));
}

TEST_CASE("spaces that a snapshot cannot span get their sentence", "[clusters]") {
  const test::OutputFolder folder;
  const Streams streams(0);
  streams.write(folder.path("snap.hdf5"), 0);
  const auto reader = io::open_snapshot(folder.path("snap.hdf5"));
  const auto refusal = [&](const ClustersOptions& options) {
    return test::message_of([&] { find(*reader, options); });
  };
  const std::pair<const char*, const char*> refused[] = {
      {"Nothing", "no field Nothing"},
      {"Broken", "2 values of Broken of gas are not finite numbers"},
      {"Short", "Short"},
      {"LocalDensity", "no field LocalDensity"},
      {"Velocities[3]", "3 components"},
      {"Temperature,temperature", "Temperature is named twice"},
      {"Coordinates,Velocities,Temperature,Metallicity,Masses", "8 dimensions at most"}};
  for (const auto& [space, part] : refused) {
    const std::string sentence = refusal(single(space));
    INFO(space << ": " << sentence);
    CHECK(sentence.find(part) != std::string::npos);
  }
  ClustersOptions spacings = single("phase");
  spacings.cut = "spacings:0.2";
  CHECK(refusal(spacings).find("mean spacings are those of positions") != std::string::npos);
  const std::string bare = folder.path("bare.hdf5");
  {
    snapshot_files::FileWriter file(bare);
    snapshot_files::write_header(file, {0, 2, 0, 0, 0, 0}, 0);
    file.group("PartType1").dataset("PartType1/Coordinates", {2, 3}, std::vector<double>(6, 1));
  }
  const auto still = io::open_snapshot(bare);
  CHECK(test::message_of([&] { find(*still, single("phase")); }).find("no velocities") !=
        std::string::npos);
}
