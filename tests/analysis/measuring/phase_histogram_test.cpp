#include "analysis/measuring/phase_histogram.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/made_particles.h"
#include "tests/output_folder.h"

#include <tbb/global_control.h>

#include <cmath>
#include <limits>
#include <random>

// Histograms of one and two fields beside plain loops.

using namespace haloscope;
using namespace haloscope::analysis;
using namespace haloscope::test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Two types with fields X and Y; the second has one mass.
ParticleSet made_particles(std::size_t count = 5000) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  ParticleSet set;
  for (const int type : {0, 4}) {
    std::vector<float> x(count), y(count), mass(count);
    for (std::size_t k = 0; k < count; ++k) {
      x[k] = float(std::exp(2 * normal(random)));
      y[k] = float(normal(random) + type);
      mass[k] = float(1 + std::abs(normal(random)));
    }
    ParticleColumns columns =
        made_columns(type, "some", set.domain, std::vector<std::array<double, 3>>(count));
    add_field(columns, "X", x);
    add_field(columns, "Y", y);
    add_field(columns, "W", mass);
    if (type == 0)
      columns.mass = array_of(mass);
    else
      columns.uniform_mass = 3;
    set.types.push_back(std::move(columns));
  }
  return set;
}

PhaseRequest asked() {
  PhaseRequest request;
  request.x = "X";
  request.y = "Y";
  request.bins = {11, 7};
  return request;
}

PhaseHistogram made(const ParticleSet& particles, const PhaseRequest& request) {
  Progress progress;
  return make_phase_histogram(particles, request, progress);
}

double mass_of(const ParticleColumns& columns, std::size_t row) {
  return columns.mass.empty() ? columns.uniform_mass : double(columns.mass[row]);
}

bool is_in(const BinEdges& edges, std::size_t bin, double value) {
  const bool last = bin + 1 == edges.count() && value == edges.high();
  return value >= edges.edge(bin) && (value < edges.edge(bin + 1) || last);
}

}  // namespace

TEST_CASE("sums in bins of two fields are those of plain loops", "[measuring]") {
  const ParticleSet particles = made_particles();
  const PhaseHistogram h = made(particles, asked());
  CHECK(h.edges[0].log());
  CHECK_FALSE(h.edges[1].log());
  double total = 0;
  for (std::size_t i = 0; i < 11; ++i)
    for (std::size_t j = 0; j < 7; ++j) {
      double sum = 0, squares = 0;
      std::uint64_t count = 0;
      for (const ParticleColumns& columns : particles.types)
        for (std::size_t k = 0; k < columns.count; ++k) {
          if (!is_in(h.edges[0], i, double(columns.fields.at("X")[0][k])) ||
              !is_in(h.edges[1], j, double(columns.fields.at("Y")[0][k])))
            continue;
          const double mass = mass_of(columns, k);
          sum += mass;
          squares += mass * mass;
          ++count;
        }
      CHECK(h.sums[i * 7 + j] == Approx(sum).epsilon(1e-12));
      CHECK(h.squares[i * 7 + j] == Approx(squares).epsilon(1e-12));
      CHECK(h.counts[i * 7 + j] == count);
      total += sum;
    }
  CHECK(h.particles == 10000);
  CHECK(h.total == Approx(total).epsilon(1e-12));
}

TEST_CASE("histograms have the same bits on one thread and on several", "[measuring]") {
  ParticleSet particles = made_particles(300000);
  // Sums of weights that differ little are exact in double, in whatever order.
  for (ParticleColumns& columns : particles.types)
    for (float& w : columns.fields["W"][0]) w = std::pow(w, 25.f);
  PhaseRequest request = asked();
  request.weight = "W";
  const auto with_threads = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return made(particles, request).sums;
  };
  const std::vector<double> one = with_threads(1);
  for (const std::size_t threads : {2, 5}) CHECK((with_threads(threads) == one));
}

TEST_CASE("weights are masses, numbers or a field", "[measuring]") {
  const ParticleSet particles = made_particles();
  PhaseRequest request = asked();
  request.count = true;
  CHECK(made(particles, request).total == 10000);
  request.count = false;
  request.weight = "W";
  double sum = 0;
  for (const ParticleColumns& columns : particles.types)
    for (const float w : columns.fields.at("W")[0]) sum += double(w);
  CHECK(made(particles, request).total == Approx(sum).epsilon(1e-12));
}

TEST_CASE("a constant field lies in one bin", "[measuring]") {
  ParticleSet particles = made_particles();
  for (const float value : {0.f, -4.f, 3e6f}) {
    for (ParticleColumns& columns : particles.types)
      for (float& x : columns.fields["X"][0]) x = value;
    const PhaseHistogram h = made(particles, asked());
    CHECK(h.particles == 10000);
    CHECK(h.edges[0].low() < double(value));
    CHECK(h.edges[0].high() > double(value));
    std::size_t filled = 0;
    for (std::size_t i = 0; i < 11; ++i) {
      bool any = false;
      for (std::size_t j = 0; j < 7; ++j) any = any || h.counts[i * 7 + j] > 0;
      filled += any;
    }
    CHECK(filled == 1);
  }
}

TEST_CASE("what is no number is left out and counted", "[measuring]") {
  ParticleSet particles = made_particles();
  particles.types[0].fields["X"][0][1] = kNan;
  particles.types[0].fields["Y"][0][2] = std::numeric_limits<float>::infinity();
  particles.types[0].mass[3] = kNan;
  const PhaseHistogram h = made(particles, asked());
  CHECK(h.not_finite == 3);
  CHECK(h.particles == 9997);
  CHECK(std::isfinite(h.total));
}

TEST_CASE("a logarithmic scale leaves out what it has no place for", "[measuring]") {
  ParticleSet particles = made_particles();
  particles.types[1].fields["X"][0][0] = 0;
  particles.types[1].fields["X"][0][1] = -5;
  CHECK_FALSE(made(particles, asked()).edges[0].log());
  PhaseRequest request = asked();
  request.scales[0] = BinScale::Log;
  const PhaseHistogram h = made(particles, request);
  CHECK(h.edges[0].log());
  CHECK(h.no_logarithm == 2);
  CHECK(h.particles == 9998);
  for (ParticleColumns& columns : particles.types)
    for (float& x : columns.fields["X"][0]) x = -1;
  CHECK(message_of([&] {
          made(particles, request);
        }).find("no particle has a value of X above 0") != std::string::npos);
}

TEST_CASE("ranges cut, and one that holds nothing is a fault", "[measuring]") {
  const ParticleSet particles = made_particles();
  PhaseRequest request = asked();
  request.ranges[1] = {{-1, 1}};
  const PhaseHistogram h = made(particles, request);
  CHECK(h.edges[1].low() == -1);
  CHECK(h.edges[1].high() == 1);
  CHECK(h.particles + h.outside == 10000);
  CHECK(h.outside > 1000);
  request.ranges[1] = {{100, 101}};
  CHECK(message_of([&] { made(particles, request); }).find("no particle lies in the bins") !=
        std::string::npos);
}

TEST_CASE("one field and one bin", "[measuring]") {
  const ParticleSet particles = made_particles();
  PhaseRequest request = asked();
  request.y.clear();
  request.bins = {1, 1};
  const PhaseHistogram h = made(particles, request);
  CHECK_FALSE(h.of_two);
  REQUIRE(h.counts.size() == 1);
  CHECK(h.counts[0] == 10000);
}
