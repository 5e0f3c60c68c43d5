#include "analysis/measuring/phase_histogram.h"

#include "analysis/measuring/slice_sums.h"
#include "core/error.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace haloscope::analysis {

namespace {

constexpr const char* kSummingPhase = "summing the histogram";
// All slices together take no more memory than this, whatever the number of threads.
constexpr std::size_t kMostSliceBytes = std::size_t(256) << 20, kMostPhaseSlices = 64;
constexpr double kLogRatio = 100;

// The columns of one type.
struct PhasePoints {
  std::uint64_t count = 0;
  const float* x = nullptr;
  const float* y = nullptr;       // null: one field
  const float* weight = nullptr;  // null: all `uniform`
  double uniform = 1;

  double weight_of(std::uint64_t row) const { return weight ? double(weight[row]) : uniform; }
};

struct PhaseSums {
  std::vector<double> sums, squares;
  std::vector<std::uint64_t> counts;
  std::uint64_t not_finite = 0, outside = 0, no_logarithm = 0;

  PhaseSums& operator+=(const PhaseSums& other) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      sums[k] += other.sums[k];
      squares[k] += other.squares[k];
      counts[k] += other.counts[k];
    }
    not_finite += other.not_finite;
    outside += other.outside;
    no_logarithm += other.no_logarithm;
    return *this;
  }
};

// The smallest and largest finite value, and the smallest above 0.
struct FiniteRange {
  double low = HUGE_VAL, high = -HUGE_VAL, positive = HUGE_VAL;

  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
    if (value > 0) positive = std::min(positive, value);
  }
  FiniteRange joined(const FiniteRange& other) const {
    return {std::min(low, other.low), std::max(high, other.high),
            std::min(positive, other.positive)};
  }
};

FiniteRange range_of_values(const float* values, std::uint64_t count) {
  using Range = tbb::blocked_range<std::uint64_t>;
  return tbb::parallel_reduce(
      Range(0, count), FiniteRange{},
      [&](const Range& rows, FiniteRange range) {
        for (std::uint64_t row = rows.begin(); row != rows.end(); ++row)
          range.take(double(values[row]));
        return range;
      },
      [](const FiniteRange& a, const FiniteRange& b) { return a.joined(b); });
}

// Around a single value bins need some width.
BinEdges edges_around(double value, std::size_t bins, bool log) {
  constexpr double kHalf = 0.05;
  if (log) return {value * (1 - kHalf), value * (1 + kHalf), bins, true};
  const double half = value == 0 ? kHalf : kHalf * std::abs(value);
  return {value - half, value + half, bins, false};
}

class PhaseSummer {
 public:
  PhaseSummer(const ParticleSet& particles, const PhaseRequest& request, Progress& progress)
      : request_(request), progress_(progress) {
    for (const ParticleColumns& columns : particles.types)
      if (columns.count > 0) points_.push_back(points_of_phase(columns));
  }

  PhaseHistogram run() {
    result_.of_two = !request_.y.empty();
    result_.edges[0] = choose_edges(0, &PhasePoints::x, request_.x);
    if (result_.of_two) result_.edges[1] = choose_edges(1, &PhasePoints::y, request_.y);
    sum();
    return std::move(result_);
  }

 private:
  PhasePoints points_of_phase(const ParticleColumns& columns) const {
    PhasePoints points;
    points.count = columns.count;
    points.x = columns.fields.at(request_.x).front().data();
    if (!request_.y.empty()) points.y = columns.fields.at(request_.y).front().data();
    if (!request_.weight.empty()) {
      points.weight = columns.fields.at(request_.weight).front().data();
    } else if (!request_.count) {
      points.weight = columns.mass.empty() ? nullptr : columns.mass.data();
      points.uniform = columns.uniform_mass;
    }
    return points;
  }

  BinEdges choose_edges(std::size_t axis, const float* PhasePoints::*values,
                        const std::string& field) const {
    const std::size_t bins = request_.bins[axis];
    const BinScale scale = request_.scales[axis];
    FiniteRange range;
    for (const PhasePoints& points : points_)
      range = range.joined(range_of_values(points.*values, points.count));
    if (!(range.low <= range.high))
      throw Error(fmt::format("no particle has a value of {} that is a finite number", field));
    if (const auto& given = request_.ranges[axis]) {
      const bool wide = (*given)[0] > 0 && (*given)[1] > kLogRatio * (*given)[0];
      return {(*given)[0], (*given)[1], bins,
              scale == BinScale::Auto ? wide : scale == BinScale::Log};
    }
    const bool spread = range.low > 0 && range.high > kLogRatio * range.low;
    const bool log = scale == BinScale::Auto ? spread : scale == BinScale::Log;
    if (log && !(range.positive < HUGE_VAL))
      throw Error(fmt::format("no particle has a value of {} above 0", field), {},
                  "choose a linear scale");
    const double low = log ? range.positive : range.low;
    if (low == range.high) return edges_around(low, bins, log);
    return {low, range.high, bins, log};
  }

  void sum() {
    const std::size_t cells = result_.edges[0].count() * rows();
    constexpr std::size_t kCellBytes = 2 * sizeof(double) + sizeof(std::uint64_t);
    const std::size_t slices =
        std::clamp<std::size_t>(kMostSliceBytes / (cells * kCellBytes), 1, kMostPhaseSlices);
    PhaseSums empty;
    empty.sums.resize(cells);
    empty.squares.resize(cells);
    empty.counts.resize(cells);
    PhaseSums total = empty;
    for (const PhasePoints& points : points_) {
      progress_.report(kSummingPhase, double(&points - points_.data()) / double(points_.size()));
      total += sum_in_slices(points.count, slices, empty,
                             [&](PhaseSums& sums, std::uint64_t begin, std::uint64_t end) {
                               for (std::uint64_t row = begin; row != end; ++row)
                                 add(points, row, sums);
                             });
    }
    result_.sums = std::move(total.sums);
    result_.squares = std::move(total.squares);
    result_.counts = std::move(total.counts);
    result_.not_finite = total.not_finite;
    result_.outside = total.outside;
    result_.no_logarithm = total.no_logarithm;
    for (const double sum : result_.sums) result_.total += sum;
    for (const std::uint64_t count : result_.counts) result_.particles += count;
    if (result_.particles == 0)
      throw Error(fmt::format("no particle lies in the bins: {} lie beyond their ends and {} have "
                              "a value or weight that is not a finite number",
                              result_.outside, result_.not_finite),
                  {}, "choose other ranges");
  }

  std::size_t rows() const { return result_.of_two ? result_.edges[1].count() : 1; }

  void add(const PhasePoints& points, std::uint64_t row, PhaseSums& sums) const {
    const double x = double(points.x[row]), y = points.y ? double(points.y[row]) : 0;
    const double weight = points.weight_of(row);
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(weight)) {
      ++sums.not_finite;
      return;
    }
    const auto column = result_.edges[0].find_closed(x);
    const auto line = points.y ? result_.edges[1].find_closed(y) : std::optional<std::size_t>(0);
    if (!column || !line) {
      ++sums.outside;
      if ((result_.edges[0].log() && x <= 0) || (points.y && result_.edges[1].log() && y <= 0))
        ++sums.no_logarithm;
      return;
    }
    const std::size_t cell = *column * rows() + *line;
    sums.sums[cell] += weight;
    sums.squares[cell] += weight * weight;
    ++sums.counts[cell];
  }

  const PhaseRequest& request_;
  Progress& progress_;
  std::vector<PhasePoints> points_;
  PhaseHistogram result_;
};

}  // namespace

PhaseHistogram make_phase_histogram(const ParticleSet& particles, const PhaseRequest& request,
                                    Progress& progress) {
  return PhaseSummer(particles, request, progress).run();
}

}  // namespace haloscope::analysis
