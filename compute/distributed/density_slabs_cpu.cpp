#include "compute/distributed/density_slabs.h"
#include "compute/distributed/grid_slabs.h"
#include "compute/distributed/outbox.h"
#include "compute/distributed/pieces.h"
#include "compute/distributed/smooth_slabs.h"
#include "compute/exec/cpu.h"
#include "compute/grids/density_grid.inl"
#include "compute/grids/smoothing.h"
#include "core/array.h"
#include "core/check.h"

#include <tbb/parallel_for.h>
#include <thrust/reduce.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace haloscope::compute::distributed {

namespace {

using grids::Edge;
using grids::GridColumns;
using grids::GridFrame;
using grids::GridPoints;
using grids::GridValues;

// Whatever goes to a rank of one particle; columns that the type lacks are of no account.
struct SentShare {
  std::uint32_t x, y, z;
  float mass, field, radius;
};

// Values of all ranks' particles, from which the quanta are chosen.
class OfAllRanks {
 public:
  explicit OfAllRanks(Ranks& ranks) : ranks_(ranks) {}

  void join(grids::ValueBounds& bounds, std::uint64_t& count) const {
    ranks_.all_reduce(std::span(&bounds, 1), grids::JoinBounds{});
    count = ranks_.sum(count);
  }
  void join(grids::ValueSums& sums) const {
    ranks_.all_reduce(std::span(&sums, 1), grids::AddSums{});
  }

 private:
  Ranks& ranks_;
};

// The sums of some planes of a grid; what falls into others is none of theirs.
struct SlabSums : grids::SumsView {
  std::uint64_t first = 0, count = 0;  // cells

  void add(int channel, std::uint64_t cell, std::int64_t quanta) const {
    if (cell - first < count) SumsView::add(channel, cell - first, quanta);
  }
};

// What a type has on any of the ranks: one that has no particles of it here knows nothing.
struct KnownOfType {
  bool in_sums = true, masses = false, radii = false;
  double uniform_mass = 1;
};

// A region and what smoothing looks at around it are at most nine times as long as the box.
constexpr std::size_t kMostImages = 16;

// The cells along the first axis among which the copies of a particle are shared.
struct ImagesInCells {
  std::size_t count = 0;
  std::array<grids::CellRange, kMostImages> cells{};

  template <class Is>
  bool any(const Is& is) const {
    return std::any_of(cells.begin(), cells.begin() + std::ptrdiff_t(count), is);
  }
};

class SlabDeposit {
 public:
  SlabDeposit(Ranks& ranks, const grids::GridRequest& request, std::uint64_t at_once,
              Progress& progress)
      : ranks_(ranks),
        request_(request),
        at_once_(std::max<std::uint64_t>(1, at_once / std::uint64_t(ranks.size()))),
        progress_(progress),
        exec_(progress),
        plane_(std::uint64_t(request.frame.cells[1]) * request.frame.cells[2]) {
    HALOSCOPE_CHECK(images_along_x(), <=, int(kMostImages));
    for (int r = 0; r < ranks.size(); ++r)
      planes_.push_back(planes_of_rank(request.frame.cells[0], r, ranks.size()));
    const Planes& own = planes_[std::size_t(ranks.rank())];
    view_.first = own.begin * plane_;
    view_.count = own.count() * plane_;
  }

  grids::DensityGrid make(const std::vector<GridPoints>& points) {
    grids::DensityGrid grid;
    {
      const TimedRange timer(grid.timings, "quanta");
      quanta_ = grids::choose_quanta(exec_, request_, points, progress_, OfAllRanks(ranks_));
    }
    grid.left_out = quanta_.left_out;
    grid.quantum = quanta_.of[0].quantum();
    {
      const TimedRange timer(grid.timings, "assign");
      deposit(points);
    }
    const std::uint64_t total =
        thrust::reduce(exec_.policy(), sums_[0].begin(), sums_[0].end(), std::uint64_t(0));
    grid.total = double(std::int64_t(ranks_.sum(total))) * grid.quantum;
    const TimedRange timer(grid.timings, "smooth");
    finish(grid);
    return grid;
  }

 private:
  bool is_mean() const { return request_.quantity == grids::Quantity::Mean; }
  bool is_of_field() const { return is_mean() || request_.quantity == grids::Quantity::Sum; }
  bool by_kernel() const { return request_.assign == grids::Assign::Kernel; }

  KnownOfType known_of(const GridPoints& type) const {
    struct Told {
      std::uint64_t count;
      double uniform_mass;
      std::uint32_t has_field, masses, radii, unused;
    };
    const Told own{type.count,           type.uniform_mass,      type.field != nullptr,
                   type.mass != nullptr, type.radius != nullptr, 0};
    KnownOfType known;
    known.in_sums = !is_of_field();
    for (const Told& told : ranks_.all_gather<Told>(std::span(&own, 1))) {
      if (told.count == 0) continue;
      known.in_sums = known.in_sums || told.has_field;
      known.masses = known.masses || told.masses;
      known.radii = known.radii || told.radii;
      known.uniform_mass = told.uniform_mass;
    }
    return known;
  }

  void deposit(const std::vector<GridPoints>& points) {
    view_.channels = grids::channels_of(request_.quantity);
    for (int c = 0; c < view_.channels; ++c) {
      sums_[c].assign(std::size_t(view_.count), 0);
      view_.sums[c] = sums_[c].data();
      view_.per_unit[c] = quanta_.of[c].per_unit;
    }
    std::uint64_t all = 1, done = 0;
    for (const GridPoints& type : points) all += type.count;
    for (const GridPoints& type : points) {
      const KnownOfType known = known_of(type);
      if (!known.in_sums) continue;
      for_pieces(ranks_, type.count, at_once_, [&](std::uint64_t begin, std::uint64_t end) {
        progress_.report("grid", double(done) / double(all));
        deposit(known, exchange(type, begin, end));
        done += end - begin;
      });
    }
  }

  GridColumns columns_of(const GridPoints& type) const {
    GridColumns columns;
    columns.count = type.count;
    columns.position = {type.position[0], type.position[1], type.position[2]};
    columns.mass = type.mass;
    columns.uniform_mass = type.uniform_mass;
    columns.field = type.field;
    columns.radius = type.radius;
    return columns;
  }

  // Rows [begin, end) of a type go to the ranks into whose planes they share; what has come.
  std::vector<SentShare> exchange(const GridPoints& type, std::uint64_t begin,
                                  std::uint64_t end) const {
    const GridValues values{request_.quantity, columns_of(type)};
    const grids::KernelPlaces kernels{request_.frame, values};
    std::vector<SentShare> sent;
    const std::vector<std::uint64_t> counts = sort_copies(
        ranks_.size(), end - begin,
        [&](std::uint64_t row, const auto& use) {
          each_rank(kernels, std::size_t(begin + row), [&](std::size_t rank) { use(rank, 0); });
        },
        [&](std::size_t copies) { sent.resize(copies); },
        [&](std::size_t to, std::uint64_t row, int) {
          const auto i = std::size_t(begin + row);
          sent[to] = {type.position[0][i],
                      type.position[1][i],
                      type.position[2][i],
                      type.mass ? type.mass[i] : 0,
                      type.field ? type.field[i] : 0,
                      type.radius ? type.radius[i] : 0};
        });
    std::vector<std::uint64_t> received;
    return ranks_.exchange<SentShare>(sent, counts, received);
  }

  int images_along_x() const {
    return request_.frame.last_image(0) - request_.frame.first_image(0) + 1;
  }

  // The ranks of the cells along the first axis among which a particle is shared, each once.
  template <class Use>
  void each_rank(const grids::KernelPlaces& kernels, std::size_t i, const Use& use) const {
    const ImagesInCells images =
        by_kernel() ? images_of_kernel(kernels, i) : images_of_shares(kernels.values.columns, i);
    for (std::size_t rank = 0; rank < planes_.size(); ++rank)
      if (images.any([&](grids::CellRange cells) { return shares_in(cells, planes_[rank]); }))
        use(rank);
  }

  ImagesInCells images_of_shares(const GridColumns& columns, std::size_t i) const {
    const GridFrame& frame = request_.frame;
    ImagesInCells images;
    grids::for_images(frame, 0, frame.place(0, columns.position.x[i]), [&](double u) {
      const grids::AxisShares shares = grids::axis_shares(request_.assign, u);
      images.cells[images.count++] = {shares.first, shares.first + shares.count - 1};
    });
    return images;
  }

  // Copies along the other axes have the same cells along the first one.
  ImagesInCells images_of_kernel(const grids::KernelPlaces& kernels, std::size_t i) const {
    ImagesInCells images;
    images.count = std::size_t(images_along_x());
    images.cells.fill({0, -1});
    const std::uint64_t copies = kernels.copies();
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
      grids::KernelPlace place{};
      if (!kernels.get(i * copies + copy, place)) continue;
      images.cells[copy % images.count] = place.is_narrow()
                                              ? grids::NarrowAxis(place.u[0], place.radius[0]).cells
                                              : grids::WideKernel(place, request_.frame).range[0];
    }
    return images;
  }

  bool shares_in(grids::CellRange cells, const Planes& planes) const {
    if (planes.count() == 0 || cells.count() == 0) return false;
    const auto n = std::int64_t(request_.frame.cells[0]);
    const auto begin = std::int64_t(planes.begin), end = std::int64_t(planes.end);
    if (request_.frame.edge[0] == Edge::Cut) return cells.first < end && cells.last >= begin;
    if (request_.frame.edge[0] == Edge::Keep)
      return std::clamp(cells.first, std::int64_t(0), n - 1) < end &&
             std::clamp(cells.last, std::int64_t(0), n - 1) >= begin;
    // Around the axis: the first of either lies in the other.
    const auto around = [n](std::int64_t i) { return (i % n + n) % n; };
    return around(cells.first - begin) < end - begin ||
           around(begin - cells.first) <= cells.last - cells.first;
  }

  void deposit(const KnownOfType& known, const std::vector<SentShare>& here) {
    const std::size_t n = here.size();
    if (n == 0) return;
    std::array<std::vector<std::uint32_t>, 3> position;
    for (auto& axis : position) axis.resize(n);
    std::vector<float> mass(known.masses ? n : 0), field(is_of_field() ? n : 0),
        radius(known.radii ? n : 0);
    tbb::parallel_for(std::size_t(0), n, [&](std::size_t i) {
      const SentShare& one = here[i];
      position[0][i] = one.x;
      position[1][i] = one.y;
      position[2][i] = one.z;
      if (!mass.empty()) mass[i] = one.mass;
      if (!field.empty()) field[i] = one.field;
      if (!radius.empty()) radius[i] = one.radius;
    });
    GridColumns columns;
    columns.count = n;
    columns.position = {position[0].data(), position[1].data(), position[2].data()};
    columns.mass = mass.empty() ? nullptr : mass.data();
    columns.uniform_mass = known.uniform_mass;
    columns.field = field.empty() ? nullptr : field.data();
    columns.radius = radius.empty() ? nullptr : radius.data();
    const GridValues values{request_.quantity, columns};
    if (by_kernel())
      grids::deposit_kernels(exec_, request_.frame, values, view_, progress_);
    else
      grids::deposit_shares(
          exec_, grids::DepositSharesIn<SlabSums>{request_.frame, request_.assign, values, view_});
  }

  void finish(grids::DensityGrid& grid) {
    const auto n = std::size_t(view_.count);
    const bool smooth = request_.smoothing != std::array<double, 3>{0, 0, 0};
    if (is_mean() && !smooth) {
      grid.values = Array<float>(n);
      parallel_for(exec_, "grid", n,
                   grids::MeanOfSums{sums_[0].data(),
                                     sums_[1].data(),
                                     {quanta_.of[0].quantum(), quanta_.of[1].quantum()},
                                     grid.values.data()});
      return;
    }
    Array<float> values[2];
    for (int c = 0; c < view_.channels; ++c) {
      values[c] = Array<float>(n);
      tbb::parallel_for(std::size_t(0), n, [&](std::size_t i) {
        values[c][i] = float(double(std::int64_t(sums_[c][i])) * quanta_.of[c].quantum());
      });
      sums_[c] = {};
      if (smooth)
        values[c] =
            smooth_slabs(ranks_, Device::cpu(), request_.frame, request_.smoothing, values[c]);
    }
    if (is_mean())
      parallel_for(exec_, "grid", n, grids::MeanOfValues{values[0].data(), values[1].data()});
    grid.values = std::move(values[is_mean() ? 1 : 0]);
  }

  Ranks& ranks_;
  const grids::GridRequest& request_;
  const std::uint64_t at_once_;  // of one rank
  Progress& progress_;
  Cpu exec_;
  const std::uint64_t plane_;   // cells
  std::vector<Planes> planes_;  // by rank
  grids::ChosenQuanta quanta_;
  LargeVector<std::uint64_t> sums_[2];
  SlabSums view_;
};

}  // namespace

grids::DensityGrid make_density_slabs(Ranks& ranks, const grids::GridRequest& request,
                                      const std::vector<GridPoints>& points, Progress& progress,
                                      std::uint64_t at_once) {
  grids::check_smoothing(request.smoothing, request.frame.cells);
  return SlabDeposit(ranks, request, at_once, progress).make(points);
}

}  // namespace haloscope::compute::distributed
