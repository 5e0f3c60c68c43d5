#include "compute/exec/cpu.h"
#include "compute/exec/parallel_uneven_cpu.h"
#include "compute/gravity/attraction.h"
#include "compute/gravity/direct_potential.inl"
#include "compute/gravity/tree_potential.inl"
#include "core/simd_clones.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <vector>

namespace haloscope::compute::gravity {

namespace {

// Of double the precision that single sums need; see inverse_root.
HALOSCOPE_HD inline float inverse_root_of(float r2) {
  const float rough = inverse_root(r2);
  return rough * (1.5f - 0.5f * r2 * rough * rough);
}

// A group's bodies from its origin, and what is found for them.
struct Targets {
  std::uint32_t count = 0;
  Apart at[3][kGroupBodies];
  double depth[kGroupBodies];
  float coincident[kGroupBodies];
};

struct CellList {
  std::vector<float> at[3], mass, q[6];
  void clear() {
    for (auto& axis : at) axis.clear();
    mass.clear();
    for (auto& column : q) column.clear();
  }
  void add(const float (&d)[3], float m, const Quadrupole& quadrupole) {
    for (std::size_t a = 0; a < 3; ++a) at[a].push_back(d[a]);
    mass.push_back(m);
    const float values[6] = {quadrupole.xx, quadrupole.xy, quadrupole.xz,
                             quadrupole.yy, quadrupole.yz, quadrupole.zz};
    for (std::size_t k = 0; k < 6; ++k) q[k].push_back(values[k]);
  }
};

struct BodyList {
  std::vector<float> high[3], low[3], mass;
  void clear() {
    for (auto& axis : high) axis.clear();
    for (auto& axis : low) axis.clear();
    mass.clear();
  }
  void add(const GroupFrame& frame, const PotentialSource& s) {
    const std::uint32_t p[3] = {s.x, s.y, s.z};
    for (int a = 0; a < 3; ++a) {
      const Apart apart = frame.apart(p[a], a);
      high[a].push_back(apart.high);
      low[a].push_back(apart.low);
    }
    mass.push_back(s.mass);
  }
};

// Terms of single precision are summed so many at a time.
constexpr std::size_t kCellSum = 256;

// The sums are vectors' own: their order depends on the machine, not on the run.
HALOSCOPE_SIMD_CLONES __attribute__((flatten)) void sum_cells(const CellList& list,
                                                              Targets& targets) {
  const std::size_t n = list.mass.size();
  const float *const x = list.at[0].data(), *const y = list.at[1].data(),
                     *const z = list.at[2].data(), *const m = list.mass.data(),
                     *const xx = list.q[0].data(), *const xy = list.q[1].data(),
                     *const xz = list.q[2].data(), *const yy = list.q[3].data(),
                     *const yz = list.q[4].data(), *const zz = list.q[5].data();
  for (std::size_t first = 0; first < n; first += kCellSum) {
    const std::size_t end = std::min(n, first + kCellSum);
    for (std::uint32_t k = 0; k < targets.count; ++k) {
      const float tx = targets.at[0][k].high, ty = targets.at[1][k].high,
                  tz = targets.at[2][k].high;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t i = first; i < end; ++i) {
        const float dx = x[i] - tx, dy = y[i] - ty, dz = z[i] - tz;
        const float r2 = dx * dx + dy * dy + dz * dz;
        const Quadrupole q{xx[i], xy[i], xz[i], yy[i], yz[i], zz[i]};
        sum += cell_depth(dx, dy, dz, m[i], q, inverse_root_of(r2));
      }
      targets.depth[k] += double(sum);
    }
  }
}

HALOSCOPE_SIMD_CLONES __attribute__((flatten)) void sum_bodies(const BodyList& list,
                                                               const SoftSums& soft,
                                                               Targets& targets) {
  const std::size_t n = list.mass.size();
  const float *const x = list.high[0].data(), *const y = list.high[1].data(),
                     *const z = list.high[2].data(), *const lx = list.low[0].data(),
                     *const ly = list.low[1].data(), *const lz = list.low[2].data(),
                     *const m = list.mass.data();
  const float near2 = soft.near2, h = soft.h, per_h = soft.per_h;
  for (std::size_t first = 0; first < n; first += kTriedSum) {
    const std::size_t end = std::min(n, first + kTriedSum);
    for (std::uint32_t k = 0; k < targets.count; ++k) {
      const Apart tx = targets.at[0][k], ty = targets.at[1][k], tz = targets.at[2][k];
      float sum = 0, near = 0;
#pragma omp simd reduction(+ : sum, near)
      for (std::size_t i = first; i < end; ++i) {
        const float dx = (x[i] - tx.high) + (lx[i] - tx.low),
                    dy = (y[i] - ty.high) + (ly[i] - ty.low),
                    dz = (z[i] - tz.high) + (lz[i] - tz.low);
        const float r2 = dx * dx + dy * dy + dz * dz;
        near += r2 < near2 ? 1.f : 0.f;
        sum += m[i] * inverse_root_of(r2 < near2 ? near2 : r2);
      }
      if (near > 0) {
        float coincident = 0;
        sum = 0;
#pragma omp simd reduction(+ : sum, coincident)
        for (std::size_t i = first; i < end; ++i) {
          const float dx = (x[i] - tx.high) + (lx[i] - tx.low),
                      dy = (y[i] - ty.high) + (ly[i] - ty.low),
                      dz = (z[i] - tz.high) + (lz[i] - tz.low);
          const float r2 = dx * dx + dy * dy + dz * dz;
          const float inverse = inverse_root_of(r2 > 0 ? r2 : near2);
          const float point = m[i] * inverse;
          const float spline = spline_depth(r2, inverse, m[i], h, per_h);
          coincident += r2 > 0 ? 0.f : m[i];
          sum += r2 > 0 ? (r2 < near2 ? spline : point) : 0.f;
        }
        targets.coincident[k] += coincident;
      }
      targets.depth[k] += double(sum);
    }
  }
}

class GroupSum {
 public:
  void operator()(const PotentialWork& work, const BodyGroup& group) {
    const GroupFrame frame = place(work, group);
    walk(work, frame);
    sum_cells(cells_, targets_);
    sum_bodies(bodies_, work.soft, targets_);
    std::uint64_t terms[2] = {cells_.mass.size() * group.count, bodies_.mass.size() * group.count};
    for (int k = 0; k < 2; ++k) __atomic_fetch_add(work.terms + k, terms[k], __ATOMIC_RELAXED);
    constexpr double kPerBox = 1 / kUnitsPerDomain;
    for (std::uint32_t k = 0; k < group.count; ++k) {
      double images = 0;
      if (work.ewald.grid)
        images = polynomial(images_, double(targets_.at[0][k].high) * kPerBox,
                            double(targets_.at[1][k].high) * kPerBox,
                            double(targets_.at[2][k].high) * kPerBox);
      const std::uint32_t at = group.begin + k;
      work.potential[work.row(at)] = work.potential_of(targets_.depth[k], targets_.coincident[k],
                                                       work.sources[at].mass, images);
    }
  }

 private:
  GroupFrame place(const PotentialWork& work, const BodyGroup& group) {
    std::uint32_t low[3] = {~0u, ~0u, ~0u}, high[3] = {};
    for (std::uint32_t k = 0; k < group.count; ++k) {
      const PotentialSource s = work.sources[group.begin + k];
      const std::uint32_t p[3] = {s.x, s.y, s.z};
      for (int a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], p[a]);
        high[a] = std::max(high[a], p[a]);
      }
    }
    GroupFrame frame{};
    frame.wide = work.wide;
    frame.place(low, high);
    targets_.count = group.count;
    for (std::uint32_t k = 0; k < group.count; ++k) {
      const PotentialSource s = work.sources[group.begin + k];
      const std::uint32_t p[3] = {s.x, s.y, s.z};
      for (int a = 0; a < 3; ++a) targets_.at[a][k] = frame.apart(p[a], a);
      targets_.depth[k] = 0;
      targets_.coincident[k] = 0;
    }
    return frame;
  }

  void walk(const PotentialWork& work, const GroupFrame& frame) {
    cells_.clear();
    bodies_.clear();
    for (double& c : images_) c = 0;
    stack_.assign(1, 0);
    while (!stack_.empty()) {
      const std::uint32_t number = stack_.back();
      stack_.pop_back();
      const PotentialCell& cell = work.cells[number];
      if (!(cell.mass > 0)) continue;
      const float d[3] = {frame.near(cell.x, 0), frame.near(cell.y, 1), frame.near(cell.z, 2)};
      const bool opened = frame.opens(d, cell.open2), leaf = cell.kind & PotentialCell::kLeaf;
      if (!opened) {
        cells_.add(d, cell.mass, quadrupole_of(work.spreads[number]));
      } else if (leaf) {
        for (std::uint32_t k = 0; k < cell.count; ++k)
          bodies_.add(frame, work.sources[cell.first + k]);
      } else {
        for (std::uint32_t k = cell.count; k-- > 0;) stack_.push_back(cell.first + k);
      }
      if (work.ewald.grid && (!opened || leaf)) add_images(work, frame, cell, number, d);
    }
  }

  void add_images(const PotentialWork& work, const GroupFrame& frame, const PotentialCell& cell,
                  std::uint32_t number, const float (&d)[3]) {
    constexpr auto kPerBox = float(1 / kUnitsPerDomain);
    const bool opened_leaf = frame.opens(d, cell.open2);
    if (opened_leaf && ((cell.kind & PotentialCell::kLarge) || GroupFrame::is_torn(d))) {
      for (std::uint32_t k = 0; k < cell.count; ++k) {
        const PotentialSource s = work.sources[cell.first + k];
        const float at[3] = {frame.near(s.x, 0) * kPerBox, frame.near(s.y, 1) * kPerBox,
                             frame.near(s.z, 2) * kPerBox};
        add_image(work.ewald, at, s.mass, {});
      }
      return;
    }
    const float at[3] = {d[0] * kPerBox, d[1] * kPerBox, d[2] * kPerBox};
    float spread[6];
    for (int k = 0; k < 6; ++k) spread[k] = work.spreads[number].value[k] * kPerBox * kPerBox;
    add_image(work.ewald, at, cell.mass, spread);
  }
  void add_image(const EwaldView& ewald, const float (&at)[3], float mass,
                 const float (&spread)[6]) {
    Derivatives<float> one{};
    add_ewald(ewald, at, mass, spread, one);
    for (int k = 0; k < kDerivatives; ++k) images_[k] += double(one.value[k]);
  }

  Targets targets_;
  CellList cells_;
  BodyList bodies_;
  double images_[kDerivatives];
  std::vector<std::uint32_t> stack_;
};

}  // namespace

void sum_groups(Cpu& exec, const PotentialWork& work) {
  ::tbb::enumerable_thread_specific<GroupSum> sums;
  parallel_uneven(exec, "potentials", work.group_number,
                  [&](std::size_t g) { sums.local()(work, work.groups[g]); });
}

std::vector<double> direct_cpu_potentials(const spatial::PointSet& points, const float* mass,
                                          const TreePotentialOptions& options,
                                          const std::vector<DirectTarget>& targets) {
  return sum_directly<Cpu>(points, mass, options, targets);
}

std::unique_ptr<TreePotential> make_cpu_tree_potential(const Progress* progress) {
  return std::make_unique<TreePotentialOn<Cpu>>(progress, progress);
}

}  // namespace haloscope::compute::gravity
