#include "render/film/interpolate_particles.h"

#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

// Particles between two snapshots against orbits that are known.

using namespace haloscope;
using namespace haloscope::render;
using compute::splotch::Transform;

namespace {

using Vec = std::array<double, 3>;
using Orbit = std::function<double(double)>;  // of the fraction, one axis

constexpr double kSide = 8;
// What float32 makes of velocities below 4.
constexpr double kVelocity = 1e-7;

// Particles of one type, and of one snapshot: a copy of each value.
struct Sample {
  ParticleSet set;
  std::vector<Vec> x, v;

  Sample(const std::vector<Vec>& positions, const std::vector<Vec>& velocities, bool periodic)
      : x(positions), v(velocities) {
    set.domain.side = periodic ? kSide : 4 * kSide;
    set.domain.periodic = periodic;
    if (!periodic) set.domain.origin = {-1.5 * kSide, -1.5 * kSide, -1.5 * kSide};
    add(positions, velocities);
  }

  ParticleColumns& add(const std::vector<Vec>& positions, const std::vector<Vec>& velocities) {
    ParticleColumns columns;
    columns.type = int(set.types.size());
    columns.count = positions.size();
    auto& speed = columns.fields["Velocities"];
    for (std::size_t c = 0; c < 3; ++c) {
      columns.position[c] = Array<std::uint32_t>(positions.size());
      speed.emplace_back(positions.size());
      for (std::size_t i = 0; i < positions.size(); ++i) {
        columns.position[c][i] = set.domain.to_fixed(positions[i][c], int(c));
        speed[c][i] = float(velocities[i][c]);
      }
    }
    set.types.push_back(std::move(columns));
    return set.types.back();
  }

  Endpoint endpoint() const {
    Endpoint end;
    end.particles = &set;
    end.radii.assign(set.types.size(), nullptr);
    end.velocity.assign(set.types.size(), "Velocities");
    end.displacement.assign(set.types.size(), 1);
    return end;
  }
};

void set_column(Array<float>& column, const std::vector<float>& values) {
  column = Array<float>(values.size());
  std::copy(values.begin(), values.end(), column.begin());
}

TypeMatch same_rows(std::size_t count) {
  TypeMatch match;
  for (std::size_t i = 0; i < count; ++i) match.both.push_back({i, i});
  return match;
}

Interpolation straight(std::size_t types = 1) {
  Interpolation how;
  how.fields.resize(types);
  return how;
}
Interpolation cubic() {
  Interpolation how = straight();
  how.cubic = true;
  return how;
}

Vec place(const InterpolatedParticles& found, std::size_t i, std::size_t type = 0) {
  Vec x{};
  for (std::size_t c = 0; c < 3; ++c)
    x[c] = found.particles.domain.to_world(found.particles.types[type].position[c][i], int(c));
  return x;
}

double around(double difference) {
  return difference - kSide * std::round(difference / kSide);
}

// Positions are on the lattice at both ends and in between: half a step each, rounded once more.
double lattice(const InterpolatedParticles& found) {
  return 3 * found.particles.domain.step();
}

}  // namespace

TEST_CASE("particles in uniform motion lie where they are at any time", "[render][series]") {
  const bool periodic = GENERATE(true, false);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, kSide), step(-1, 1);
  std::vector<Vec> start, end, speed;
  for (int i = 0; i < 500; ++i) {
    start.push_back({uniform(random), uniform(random), uniform(random)});
    speed.push_back({step(random), step(random), step(random)});
    end.push_back(start.back());
    for (std::size_t c = 0; c < 3; ++c) end.back()[c] += speed.back()[c];
  }
  const Sample first(start, speed, periodic), second(end, speed, periodic);
  for (const double s : {0.25, 0.7}) {
    const auto lines = interpolate_particles(first.endpoint(), second.endpoint(),
                                             {same_rows(start.size())}, straight(), s);
    const auto cubics = interpolate_particles(first.endpoint(), second.endpoint(),
                                              {same_rows(start.size())}, cubic(), s);
    for (std::size_t i = 0; i < start.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        const double x = start[i][c] + s * speed[i][c];
        const auto off = [&](const InterpolatedParticles& found) {
          const double d = place(found, i)[c] - x;
          return std::abs(periodic ? around(d) : d);
        };
        CHECK(off(lines) < lattice(lines));
        CHECK(off(cubics) < lattice(cubics) + kVelocity);
      }
  }
}

TEST_CASE("a cubic orbit is met exactly", "[render][series]") {
  // Crosses the edge on the second axis.
  const std::array<Orbit, 3> orbit{
      [](double s) { return 2 + s - 0.5 * s * s + 0.05 * s * s * s; },
      [](double s) { return 7.5 + 0.5 * s + s * s - 0.1 * s * s * s; },
      [](double s) { return 5 - 2 * s - 0.8 * s * s + 0.1 * s * s * s; }};
  const std::array<Orbit, 3> speed{[](double s) { return 1 - s + 0.15 * s * s; },
                                   [](double s) { return 0.5 + 2 * s - 0.3 * s * s; },
                                   [](double s) { return -2 - 1.6 * s + 0.3 * s * s; }};
  const auto at = [](const std::array<Orbit, 3>& f, double s) {
    return Vec{f[0](s), f[1](s), f[2](s)};
  };
  const Sample first({at(orbit, 0)}, {at(speed, 0)}, true);
  const Sample second({at(orbit, 1)}, {at(speed, 1)}, true);
  for (const double s : {0.1, 0.5, 0.8}) {
    const auto found =
        interpolate_particles(first.endpoint(), second.endpoint(), {same_rows(1)}, cubic(), s);
    for (std::size_t c = 0; c < 3; ++c)
      CHECK(std::abs(around(place(found, 0)[c] - orbit[c](s))) < lattice(found) + kVelocity);
  }
}

TEST_CASE("particles go the shorter way around a periodic box", "[render][series]") {
  const Sample first({{7.75, 0.25, 3}}, {{}}, true), second({{0.75, 7.5, 3}}, {{}}, true);
  const auto found =
      interpolate_particles(first.endpoint(), second.endpoint(), {same_rows(1)}, straight(), 0.5);
  CHECK(place(found, 0) == Vec{0.25, 7.875, 3});
}

TEST_CASE("orbits are round where snapshots are dense, and straight where not",
          "[render][series]") {
  const auto middle = [](double angle) {
    const auto sample = [&](double at) {
      return Sample({{4 + std::cos(at), 4 + std::sin(at), 4}},
                    {{-angle * std::sin(at), angle * std::cos(at), 0}}, true);
    };
    const Sample first = sample(-angle / 2), second = sample(angle / 2);
    return place(
        interpolate_particles(first.endpoint(), second.endpoint(), {same_rows(1)}, cubic(), 0.5),
        0);
  };
  // Hermite's cubic departs by the fourth derivative over 384.
  CHECK(middle(1)[0] == Approx(5).epsilon(1. / 384 / 5));
  CHECK(std::abs(middle(1)[1] - 4) < 1e-6);
  // 150 degrees, and a whole turn: the chord's middle.
  CHECK(middle(2.618)[0] == Approx(4 + std::cos(1.309)).epsilon(1e-6));
  CHECK(middle(6.2)[0] == Approx(4 + std::cos(3.1)).epsilon(1e-6));
}

TEST_CASE("velocities that the way contradicts do not fling particles about", "[render][series]") {
  // A thousand ways back and forth.
  const Sample first({{4, 4, 4}}, {{800, 0, 0}}, true);
  const Sample second({{4.5, 4, 4}}, {{-800, 200, 0}}, true);
  double farthest = 0;
  for (double s = 0.05; s < 1; s += 0.05) {
    const auto found =
        interpolate_particles(first.endpoint(), second.endpoint(), {same_rows(1)}, cubic(), s);
    const Vec x = place(found, 0);
    farthest = std::max(farthest, std::hypot(x[0] - (4 + 0.5 * s), x[1] - 4, x[2] - 4));
  }
  // A quarter of the chord, as turning back goes.
  CHECK(farthest < 0.25 * 0.5 + 1e-6);
  CHECK(farthest > 0.2 * 0.5);

  // In directions that have nothing to do with each other.
  const Sample up({{4, 4, 4}}, {{0, 1, 0}}, true), along({{4.5, 4, 4}}, {{1, 0, 0}}, true);
  const auto straight_on =
      interpolate_particles(up.endpoint(), along.endpoint(), {same_rows(1)}, cubic(), 0.5);
  CHECK(place(straight_on, 0) == Vec{4.25, 4, 4});
  const Sample odd({{4, 4, 4}}, {{std::nan(""), 0, 0}}, true);
  const auto found =
      interpolate_particles(odd.endpoint(), along.endpoint(), {same_rows(1)}, cubic(), 0.5);
  CHECK(place(found, 0) == Vec{4.25, 4, 4});
}

TEST_CASE("sets without a box share a domain that holds both", "[render][series]") {
  Sample first({{0, 0, 0}, {8, 8, 8}}, {{3, 0, 0}, {0, 0, 9}}, false);
  Sample second({{100, 0, 0}, {8, 8, 50}}, {{9000, 0, 0}, {0, 0, 9}}, false);
  second.set.domain = {{-60, -110, -75}, 220, false};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      second.set.types[0].position[c][i] = second.set.domain.to_fixed(second.x[i][c], int(c));
  const auto found =
      interpolate_particles(first.endpoint(), second.endpoint(), {same_rows(2)}, straight(), 0.5);
  CHECK(!found.particles.domain.periodic);
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(place(found, 0)[c] == Approx(0.5 * second.x[0][c]).margin(lattice(found)));
    CHECK(place(found, 1)[c] == Approx(0.5 * (8 + second.x[1][c])).margin(lattice(found)));
  }
}

TEST_CASE("masses and lengths change linearly, colors in their own scale", "[render][series]") {
  Sample first({{1, 1, 1}}, {{}}, true), second({{1, 1, 1}}, {{}}, true);
  ParticleColumns &a = first.set.types[0], &b = second.set.types[0];
  set_column(a.mass, {2});
  b.uniform_mass = 6;
  set_column(a.support_radius, {1});
  set_column(b.support_radius, {3});
  for (const std::string name : {"Linear", "Log", "Asinh"}) {
    set_column(a.fields[name].emplace_back(), {1});
    set_column(b.fields[name].emplace_back(), {10000});
  }
  set_column(a.fields["Signed"].emplace_back(), {-2});
  set_column(b.fields["Signed"].emplace_back(), {2});
  Interpolation how = straight();
  how.fields[0] = {{"Linear", Transform::Linear},
                   {"Log", Transform::Log},
                   {"Asinh", Transform::Asinh},
                   {"Signed", Transform::Log}};
  const auto found =
      interpolate_particles(first.endpoint(), second.endpoint(), {same_rows(1)}, how, 0.25);
  const ParticleColumns& columns = found.particles.types[0];
  const auto value = [&](const char* name) { return double(columns.fields.at(name)[0][0]); };
  CHECK(columns.mass[0] == 3);
  CHECK(columns.support_radius[0] == 1.5f);
  CHECK(value("Linear") == Approx(2500.75));
  CHECK(value("Log") == Approx(10));
  CHECK(std::asinh(value("Asinh")) == Approx(0.75 * std::asinh(1.) + 0.25 * std::asinh(10000.)));
  CHECK(value("Signed") == Approx(-1));
}

TEST_CASE("found lengths stay apart from those of the file", "[render][series]") {
  const Sample first({{1, 1, 1}, {2, 2, 2}}, {{}, {}}, true);
  const std::vector<float> before{1, 0}, after{2, 5};
  Endpoint a = first.endpoint(), b = a;
  a.radii[0] = before.data();
  b.radii[0] = after.data();
  const auto found = interpolate_particles(a, b, {same_rows(2)}, straight(), 0.5);
  CHECK(found.particles.types[0].support_radius.empty());
  REQUIRE(found.radii[0].size() == 2);
  CHECK(found.radii[0][0] == 1.5f);
  // 0 is a length that is not known.
  CHECK(found.radii[0][1] == 5);
  b.radii[0] = nullptr;
  CHECK(interpolate_particles(a, b, {same_rows(2)}, straight(), 0.5).radii[0].empty());
}

TEST_CASE("particles that one snapshot lacks fade, and their mass with them", "[render][series]") {
  const Sample first({{1, 1, 1}, {2, 2, 2}}, {{}, {}}, true);
  const Sample second({{3, 3, 3}, {5, 5, 5}}, {{}, {}}, true);
  TypeMatch match;
  match.both = {{0, 0}};
  match.first_only = {{1}};
  match.second_only = {{1}};
  Interpolation how = straight();
  const auto found = interpolate_particles(first.endpoint(), second.endpoint(), {match}, how, 0.25);
  const ParticleColumns& columns = found.particles.types[0];
  REQUIRE(columns.count == 3);
  CHECK(place(found, 0) == Vec{1.5, 1.5, 1.5});
  CHECK(place(found, 1) == Vec{2, 2, 2});
  CHECK(place(found, 2) == Vec{5, 5, 5});
  CHECK(columns.mass[0] == 1);
  CHECK(columns.mass[1] == 0.75f);
  CHECK(columns.mass[2] == 0.25f);
  how.fade = false;
  CHECK(interpolate_particles(first.endpoint(), second.endpoint(), {match}, how, 0.25)
            .particles.types[0]
            .count == 1);
}

TEST_CASE("gas that becomes a star takes its way as both", "[render][series]") {
  Sample first({{1, 1, 1}}, {{}}, true), second({}, {}, true);
  first.add({}, {});
  second.add({{3, 1, 1}}, {{}}).uniform_mass = 2;
  std::vector<TypeMatch> match(2);
  match[0].first_only = {{0, 1, 0}};
  match[1].second_only = {{0, 0, 0}};
  const auto found =
      interpolate_particles(first.endpoint(), second.endpoint(), match, straight(2), 0.25);
  CHECK(place(found, 0, 0) == Vec{1.5, 1, 1});
  CHECK(place(found, 0, 1) == Vec{1.5, 1, 1});
  CHECK(found.particles.types[0].mass[0] == 0.75f);
  CHECK(found.particles.types[1].mass[0] == 0.5f);
}

TEST_CASE("labels between snapshots are in the order of the particles", "[film][sets]") {
  TypeMatch match;
  match.both = {{0, 1}, {2, 0}};
  match.first_only = {{1, -1, 0}};
  match.second_only = {{2, -1, 0}};
  const std::vector<std::vector<std::uint8_t>> first{{1, 2, 3}}, second{{4, 5, 6}};
  using Labels = std::vector<std::vector<std::uint8_t>>;
  Interpolation how;
  CHECK(labels_between(first, second, {match}, how) == Labels{{1, 3, 2, 6}});
  how.fade = false;
  CHECK(labels_between(first, second, {match}, how) == Labels{{1, 3}});
}
