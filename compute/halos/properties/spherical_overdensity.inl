#pragma once

#include "compute/clusters/particle_grid.inl"
#include "compute/halos/properties/properties.h"
#include "compute/halos/properties/radial_profile.inl"
#include "core/progress.h"

#include <thrust/scan.h>

#include <algorithm>
#include <vector>

namespace haloscope::compute::halos {

// A ball in which particles are looked for.
struct Ball {
  std::uint32_t x, y, z;
  std::uint32_t reach;  // lattice steps, at most half the domain
};

inline Ball make_ball(const std::array<std::uint32_t, 3>& center, double radius, double step) {
  constexpr double kHalf = 2147483647.0;
  return {center[0], center[1], center[2],
          std::uint32_t(std::min(std::ceil(radius / step), kHalf))};
}

struct CountRows {
  clusters::ParticleGridView grid;
  const Ball* balls;
  std::uint64_t* rows;  // that each ball meets
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const Ball ball = balls[b];
    rows[b] =
        std::uint64_t(grid.span(ball.y, ball.reach).count) * grid.span(ball.z, ball.reach).count;
  }
};

struct NameRows {
  const std::uint64_t* first_row;
  std::uint32_t* ball_of;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    for (std::uint64_t r = first_row[b]; r < first_row[b + 1]; ++r) ball_of[r] = std::uint32_t(b);
  }
};

// One row of cells of one ball: counts its particles within, or writes their distances.
struct SearchRow {
  clusters::ParticleGridView grid;
  const Ball* balls;
  const std::uint32_t* ball_of;
  const std::uint64_t* first_row;
  double step;
  std::uint64_t* count;     // of each row, or null
  const std::uint64_t* to;  // where each row's distances go
  std::uint64_t* packed;
  HALOSCOPE_HD void operator()(std::size_t r) const {
    const std::uint32_t b = ball_of[r];
    const Ball ball = balls[b];
    const std::uint64_t most = std::uint64_t(ball.reach) * ball.reach;
    std::uint64_t found = 0;
    std::uint64_t* const out = count ? nullptr : packed + to[r];
    grid.for_row(
        grid.span(ball.x, ball.reach), grid.span(ball.y, ball.reach), grid.span(ball.z, ball.reach),
        std::uint32_t(r - first_row[b]), [&](const clusters::MassPoint& p) {
          const std::uint64_t d = clusters::squared_steps(p.x - ball.x, p.y - ball.y, p.z - ball.z);
          if (d > most) return;
          if (out) out[found] = pack_distance(sqrt(double(d)) * step, p.mass);
          ++found;
        });
    if (count) count[r] = found;
  }
};

// 0 … n: sums of the first k counts, with the total at the end.
template <class Exec>
Buffer<std::uint64_t, Exec> offsets_of(Exec& exec, const Buffer<std::uint64_t, Exec>& counts,
                                       const char* name) {
  Buffer<std::uint64_t, Exec> offsets(exec, counts.size() + 1, name);
  exec.zero(offsets.data(), sizeof(std::uint64_t));
  thrust::inclusive_scan(exec.policy(), counts.data(), counts.data() + counts.size(),
                         offsets.data() + 1);
  return offsets;
}

template <class Exec>
std::uint64_t last_of(Exec& exec, const Buffer<std::uint64_t, Exec>& values) {
  std::uint64_t last = 0;
  exec.download(&last, values.data() + values.size() - 1, sizeof last);
  return last;
}

struct BallStarts {
  const std::uint64_t *first_row, *row_start;
  std::uint64_t* begin;
  HALOSCOPE_HD void operator()(std::size_t b) const { begin[b] = row_start[first_row[b]]; }
};

// Mass profiles of all particles about the centers of balls.
template <class Exec>
RadialProfiles<Exec> profiles_in(Exec& exec, const clusters::ParticleGridView& grid,
                                 const std::vector<Ball>& list, double step) {
  const auto balls = upload(exec, list, "spheres");
  const std::size_t n = list.size();
  Buffer<std::uint64_t, Exec> rows(exec, n, "spheres");
  parallel_for(exec, "spheres", n, CountRows{grid, balls.data(), rows.data()});
  const auto first_row = offsets_of(exec, rows, "spheres");
  const std::uint64_t total = last_of(exec, first_row);
  Buffer<std::uint32_t, Exec> ball_of(exec, total, "spheres");
  parallel_for(exec, "spheres", n, NameRows{first_row.data(), ball_of.data()});
  Buffer<std::uint64_t, Exec> counts(exec, total, "spheres");
  SearchRow search{grid, balls.data(),  ball_of.data(), first_row.data(),
                   step, counts.data(), nullptr,        nullptr};
  parallel_for(exec, "spheres", total, search);
  const auto to = offsets_of(exec, counts, "spheres");
  Buffer<std::uint64_t, Exec> packed(exec, last_of(exec, to), "particles in spheres");
  search.count = nullptr;
  search.to = to.data();
  search.packed = packed.data();
  parallel_for(exec, "spheres", total, search);
  Buffer<std::uint64_t, Exec> begin(exec, n + 1, "spheres");
  parallel_for(exec, "spheres", n + 1, BallStarts{first_row.data(), to.data(), begin.data()});
  return RadialProfiles<Exec>(exec, download(exec, begin), std::move(packed));
}

struct FindSphere {
  ProfileView profiles;
  const double* guess;          // radius of each center
  const double* too_small;      // mass
  const std::uint32_t* center;  // that run r of the profiles is about
  double density[kSphereKinds];
  double within;         // how far profiles reach, in guesses
  Sphere* spheres;       // by center
  std::uint8_t* short_;  // by center: the profile did not reach far enough
  HALOSCOPE_HD void operator()(std::size_t r) const {
    const std::uint32_t c = center[r];
    short_[c] = 0;
    for (int kind = 0; kind < kSphereKinds; ++kind)
      if (!find(std::uint32_t(r), c, kind)) short_[c] = 1;
  }

 private:
  HALOSCOPE_HD bool find(std::uint32_t run, std::uint32_t c, int kind) const {
    double& radius = spheres[c].radius[std::size_t(kind)];
    double& mass = spheres[c].mass[std::size_t(kind)];
    radius = mass = 0;
    if (!(density[kind] > 0)) return true;
    const double volume = 4 * 3.14159265358979323846 / 3;
    const double end = 3 * guess[c], known = within * guess[c];
    double left = 0, right = end;
    // 60 halvings: a center without particles never ends otherwise.
    for (int i = 0; i < 60 && right - left > 1e-4 * left; ++i) {
      const double middle = (left + right) / 2;
      if (middle > known) return false;
      mass = profiles.mass_within(run, middle);
      if (mass > density[kind] * volume * middle * middle * middle)
        left = middle;
      else
        right = middle;
    }
    radius = (left + right) / 2;
    // Denser than asked for as far as was looked, or too few particles (hair: sums of floats).
    const bool found = right < end && mass > too_small[c] * (1 + 1e-5);
    if (!found) radius = mass = 0;
    return true;
  }
};

// Particles whose distances are listed at once, about: as many as caches profit from, or as give a
// GPU enough to do.
constexpr std::uint64_t kInSpheresAtOnce = std::uint64_t(1) << 22;
constexpr std::uint64_t kInSpheresAtOnceOnGpu = std::uint64_t(1) << 25;

inline std::uint64_t cells_of(const clusters::ParticleGridView& grid, const Ball& ball) {
  return std::uint64_t(grid.span(ball.x, ball.reach).count) * grid.span(ball.y, ball.reach).count *
         grid.span(ball.z, ball.reach).count;
}

// Spheres about all centers. Profiles to half the way suffice for nearly all; the others get theirs
// in a second round. So many balls are searched at once that the list of what lies in them stays
// short however many halos there are and however much the balls overlap: about one particle per
// cell where balls are large, up to twice a halo's members where they are dense.
template <class Exec>
class SphereSearch {
 public:
  SphereSearch(Exec& exec, const clusters::ParticleGridView& grid, double step,
               const std::vector<SphereRequest>& requests, const HaloPhysics& physics)
      : exec_(exec),
        grid_(grid),
        step_(step),
        requests_(requests),
        density_{200 * physics.critical_density(), 200 * physics.mean_density(),
                 500 * physics.critical_density(), physics.top_hat_density()} {
    const double guess_density = 200 * physics.guess_density();
    std::vector<double> too_small;
    for (const SphereRequest& r : requests) {
      guess_.push_back(std::cbrt(r.mass / (guess_density * 4 * std::acos(-1.0) / 3)));
      too_small.push_back(r.too_small);
    }
    guesses_ = upload(exec, guess_, "spheres");
    too_small_ = upload(exec, too_small, "spheres");
    spheres_ = Buffer<Sphere, Exec>(exec, requests.size(), "spheres");
    short_ = Buffer<std::uint8_t, Exec>(exec, requests.size(), "spheres");
  }

  std::vector<Sphere> run(Progress& progress) {
    std::vector<std::uint32_t> todo(requests_.size());
    for (std::size_t i = 0; i < todo.size(); ++i) todo[i] = std::uint32_t(i);
    // A hair more than the midpoints that bisection asks for.
    for (const double within : {1.500001, 3.000001}) {
      for (std::size_t first = 0; first < todo.size();) {
        progress.report("spherical overdensities", double(first) / double(todo.size()));
        first = search_some(todo, first, within);
      }
      const auto unfinished = download(exec_, short_);
      todo.erase(std::remove_if(todo.begin(), todo.end(), [&](auto i) { return !unfinished[i]; }),
                 todo.end());
    }
    return download(exec_, spheres_);
  }

 private:
  // From todo[first] on; where the next ones begin.
  std::size_t search_some(const std::vector<std::uint32_t>& todo, std::size_t first,
                          double within) {
    constexpr std::uint64_t at_once = Exec::is_cuda ? kInSpheresAtOnceOnGpu : kInSpheresAtOnce;
    std::vector<Ball> balls;
    std::size_t end = first;
    for (std::uint64_t expected = 0; end < todo.size() && expected < at_once; ++end) {
      const std::uint32_t i = todo[end];
      balls.push_back(make_ball(requests_[i].center, within * guess_[i] + 2 * step_, step_));
      expected += std::max(cells_of(grid_, balls.back()), 2 * requests_[i].members);
    }
    const auto profiles = profiles_in(exec_, grid_, balls, step_);
    const auto centers =
        upload(exec_, std::vector(todo.begin() + long(first), todo.begin() + long(end)), "spheres");
    parallel_for(exec_, "spheres", balls.size(),
                 FindSphere{profiles.view(),
                            guesses_.data(),
                            too_small_.data(),
                            centers.data(),
                            {density_[0], density_[1], density_[2], density_[3]},
                            within,
                            spheres_.data(),
                            short_.data()});
    return end;
  }

  Exec& exec_;
  clusters::ParticleGridView grid_;
  double step_;
  const std::vector<SphereRequest>& requests_;
  double density_[kSphereKinds];
  std::vector<double> guess_;  // radius of each
  Buffer<double, Exec> guesses_, too_small_;
  Buffer<Sphere, Exec> spheres_;
  Buffer<std::uint8_t, Exec> short_;
};

template <class Exec>
std::vector<Sphere> find_spheres_on(Exec& exec, const clusters::ParticleGridView& grid, double step,
                                    const std::vector<SphereRequest>& requests,
                                    const HaloPhysics& physics, Progress& progress) {
  if (requests.empty() || !(physics.guess_density() > 0))
    return std::vector<Sphere>(requests.size());
  return SphereSearch<Exec>(exec, grid, step, requests, physics).run(progress);
}

}  // namespace haloscope::compute::halos
