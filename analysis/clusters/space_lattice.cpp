#include "analysis/clusters/space_lattice.h"

#include "core/error.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace haloscope::analysis {

namespace {

constexpr std::size_t kFewColumns = 4;
// Steps that differences stay below, in many columns.
constexpr double kManyColumns = 0x1p30;
constexpr std::size_t kBlock = 65536;
// Half a box, the farthest that two points are apart in it, stays below 2³⁰ steps. A box in fewer
// than 2¹⁶ would not tell its particles apart.
constexpr int kLeastShift = 2, kMostShift = 16;
// So that the widest difference stays below its bound, whatever rounding does.
constexpr double kHair = 1e-6;

using Range = tbb::blocked_range<std::size_t>;

double value_at(const SpaceColumn& column, const SpaceColumn::Part& part, std::size_t i) {
  if (part.fixed) return double(part.fixed[i]) * column.step;
  return part.real64 ? part.real64[i] : double(part.real32[i]);
}

// Σ use(value), the same for any number of threads.
template <class Use>
double sum_over(const SpaceColumn& column, const Use& use) {
  double sum = 0;
  for (const SpaceColumn::Part& part : column.parts)
    sum += tbb::parallel_deterministic_reduce(
        Range(0, std::size_t(part.count), kBlock), 0.0,
        [&](const Range& rows, double s) {
          for (std::size_t i = rows.begin(); i != rows.end(); ++i)
            s += use(value_at(column, part, i));
          return s;
        },
        std::plus<>());
  return sum;
}

struct Extent {
  double low = HUGE_VAL, high = -HUGE_VAL;
  double width() const { return high > low ? high - low : 0; }
  double middle() const { return low / 2 + high / 2; }
};

Extent extent_of(const SpaceColumn& column) {
  Extent all;
  for (const SpaceColumn::Part& part : column.parts) {
    const Extent one = tbb::parallel_reduce(
        Range(0, std::size_t(part.count), kBlock), Extent{},
        [&](const Range& rows, Extent extent) {
          for (std::size_t i = rows.begin(); i != rows.end(); ++i) {
            const double x = value_at(column, part, i);
            extent.low = std::min(extent.low, x);
            extent.high = std::max(extent.high, x);
          }
          return extent;
        },
        [](Extent a, const Extent& b) {
          a.low = std::min(a.low, b.low);
          a.high = std::max(a.high, b.high);
          return a;
        });
    all.low = std::min(all.low, one.low);
    all.high = std::max(all.high, one.high);
  }
  return all;
}

// Calls use(point, part, place in the part), in parallel.
template <class Use>
void each_point(const SpaceColumn& column, const Use& use) {
  std::size_t first = 0;
  for (const SpaceColumn::Part& part : column.parts) {
    tbb::parallel_for(Range(0, std::size_t(part.count), kBlock), [&](const Range& rows) {
      for (std::size_t i = rows.begin(); i != rows.end(); ++i) use(first + i, part, i);
    });
    first += std::size_t(part.count);
  }
}

// The nearest multiple of 2^shift, around the period.
std::uint32_t rounded(std::uint32_t place, int shift) {
  if (shift == 0) return place;
  const std::uint32_t unit = std::uint32_t(1) << shift;
  return (place + unit / 2) & ~(unit - 1);
}

class Placing {
 public:
  explicit Placing(const std::vector<SpaceGroup>& groups) : groups_(groups) {
    for (const SpaceGroup& group : groups) columns_ += group.columns.size();
    limit_ = columns_ <= kFewColumns ? 0x1p31 : kManyColumns;
  }

  SpaceLattice place() {
    measure();
    choose_step();
    std::size_t c = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const SpaceColumn& column : groups_[g].columns) fill(column, g, extents_[c++]);
    if (shift_ > 0) {
      for (const SpaceGroup& group : groups_)
        for (const SpaceColumn& column : group.columns)
          lattice_.shift.push_back(std::uint8_t(column.periodic ? shift_ : 0));
    }
    return std::move(lattice_);
  }

 private:
  void measure() {
    for (const SpaceGroup& group : groups_) {
      double width = 0;
      for (const SpaceColumn& column : group.columns) {
        extents_.push_back(extent_of(column));
        width = std::max(width, extents_.back().width());
      }
      // Not by the dispersion, which rounding of the mean makes more than 0.
      lattice_.constant.push_back(!(width > 0));
      const double scale = group.scale                ? *group.scale
                           : lattice_.constant.back() ? 1
                                                      : dispersion(group);
      lattice_.scale.push_back(scale);
      if (group.columns.front().periodic) {
        box_ = 0x1p32 * group.columns.front().step / scale;
        continue;
      }
      open_ = true;
      widest_ = std::max(widest_, width / scale);
    }
    if (!std::isfinite(widest_) || !std::isfinite(box_))
      throw Error("the scaled values span more than floating point can hold", names(),
                  "give other numbers by --scale");
  }

  void choose_step() {
    if (!(box_ > 0)) {
      const double extent = widest_ > 0 ? widest_ : 1;
      lattice_.step = extent * (1 + kHair) / limit_;
    } else {
      shift_ = open_ ? kLeastShift : 0;
      if (open_) limit_ = kManyColumns;
      const auto step = [&] { return std::ldexp(box_, shift_ - 32); };
      while (shift_ <= kMostShift && widest_ * (1 + kHair) > limit_ * step()) ++shift_;
      if (shift_ > kMostShift)
        throw Error(
            fmt::format("scaled, the other values span {:.3g} times the periodic box, whose "
                        "particles could not be told apart then",
                        widest_ / box_),
            names(), "divide them by larger numbers (--scale)");
      lattice_.step = step();
    }
    if (!std::isnormal(lattice_.step))
      throw Error("the scaled values span less than floating point can hold in steps", names(),
                  "give other numbers by --scale");
  }

  std::string names() const {
    std::string text;
    for (const SpaceGroup& group : groups_) text += (text.empty() ? "" : ", ") + group.name;
    return text;
  }

  void fill(const SpaceColumn& column, std::size_t group, const Extent& extent) {
    auto& out = lattice_.column.emplace_back(std::size_t(column.count()));
    if (column.periodic)
      return each_point(column,
                        [&](std::size_t point, const SpaceColumn::Part& part, std::size_t i) {
                          out[point] = rounded(part.fixed[i], shift_);
                        });
    const double unit = lattice_.scale[group] * lattice_.step, middle = extent.middle();
    each_point(column, [&](std::size_t point, const SpaceColumn::Part& part, std::size_t i) {
      const double steps = std::nearbyint((value_at(column, part, i) - middle) / unit);
      out[point] = std::uint32_t(std::int64_t(steps) + (std::int64_t(1) << 31));
    });
  }

  const std::vector<SpaceGroup>& groups_;
  std::size_t columns_ = 0;
  bool open_ = false;            // there are columns that are not periodic
  double limit_ = 0;             // steps
  double widest_ = 0, box_ = 0;  // scaled; the box of periodic columns
  int shift_ = 0;
  std::vector<Extent> extents_;  // by column, not scaled
  SpaceLattice lattice_;
};

// Trees know of one shift, of the first three columns, and of up to three others.
bool set_shift(compute::clusters::LatticePoints& points, const std::vector<std::uint8_t>& shift) {
  if (shift.empty()) return true;
  constexpr std::size_t kAxes = 3;
  for (std::size_t c = 0; c < shift.size(); ++c)
    if (shift[c] != (c < kAxes ? shift[0] : 0)) return false;
  if (shift.size() <= kAxes || shift.size() > 2 * kAxes) return false;
  points.shift = shift[0];
  return true;
}

}  // namespace

std::uint64_t SpaceColumn::count() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts) sum += part.count;
  return sum;
}

double dispersion(const SpaceGroup& group) {
  double variance = 0;
  for (const SpaceColumn& column : group.columns) {
    const auto count = double(column.count());
    const double mean = sum_over(column, [](double x) { return x; }) / count;
    variance += sum_over(column, [mean](double x) { return (x - mean) * (x - mean); }) / count;
  }
  return std::sqrt(variance / double(group.columns.size()));
}

SpaceLattice place_in_lattice(const std::vector<SpaceGroup>& groups) {
  return Placing(groups).place();
}

compute::clusters::LatticePoints SpaceLattice::points() const {
  compute::clusters::LatticePoints points;
  for (const auto& one : column) points.column.push_back(one.data());
  points.count = column.front().size();
  if (!set_shift(points, shift))
    throw Error("positions of a periodic box do not go with these values in one tree", "--space",
                "give --periodic no, or all three axes of positions and up to three other numbers");
  return points;
}

}  // namespace haloscope::analysis
