#include "compute/distributed/grid_shares.h"

#include "compute/distributed/outbox.h"
#include "compute/grids/kernel_deposit.inl"
#include "core/check.h"

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

// Which ranks need a particle.
class RanksOfParticle {
 public:
  RanksOfParticle(const grids::GridRequest& request, const std::vector<Planes>& planes)
      : request_(request), planes_(planes) {
    HALOSCOPE_CHECK(images_along_x(), <=, int(kMostImages));
  }

  // The ranks of the cells along the first axis among which a particle is shared, each once.
  template <class Use>
  void each_rank(const grids::KernelPlaces& kernels, std::size_t i, const Use& use) const {
    const ImagesInCells images = request_.assign == grids::Assign::Kernel
                                     ? images_of_kernel(kernels, i)
                                     : images_of_shares(kernels.values.columns, i);
    for (std::size_t rank = 0; rank < planes_.size(); ++rank)
      if (images.any([&](grids::CellRange cells) { return shares_in(cells, planes_[rank]); }))
        use(rank);
  }

 private:
  int images_along_x() const {
    return request_.frame.last_image(0) - request_.frame.first_image(0) + 1;
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

  const grids::GridRequest& request_;
  const std::vector<Planes>& planes_;
};

GridColumns columns_of(const GridPoints& type) {
  GridColumns columns;
  columns.count = type.count;
  columns.position = {type.position[0], type.position[1], type.position[2]};
  columns.mass = type.mass;
  columns.uniform_mass = type.uniform_mass;
  columns.field = type.field;
  columns.radius = type.radius;
  return columns;
}

}  // namespace

SharesOfRanks::SharesOfRanks(Ranks& ranks, const grids::GridRequest& request)
    : ranks_(ranks), request_(request) {
  for (int r = 0; r < ranks.size(); ++r)
    planes_.push_back(planes_of_rank(request.frame.cells[0], r, ranks.size()));
}

KnownOfType SharesOfRanks::known_of(const GridPoints& type) const {
  struct Told {
    std::uint64_t count;
    double uniform_mass;
    std::uint32_t has_field, masses, radii, unused;
  };
  const Told own{type.count,           type.uniform_mass,      type.field != nullptr,
                 type.mass != nullptr, type.radius != nullptr, 0};
  KnownOfType known;
  known.in_sums = !is_of_field(request_.quantity);
  for (const Told& told : ranks_.all_gather<Told>(std::span(&own, 1))) {
    if (told.count == 0) continue;
    known.in_sums = known.in_sums || told.has_field;
    known.masses = known.masses || told.masses;
    known.radii = known.radii || told.radii;
    known.uniform_mass = told.uniform_mass;
  }
  return known;
}

std::vector<SentShare> SharesOfRanks::exchange(const GridPoints& type, std::uint64_t begin,
                                               std::uint64_t end) const {
  const RanksOfParticle ranks_of(request_, planes_);
  const GridValues values{request_.quantity, columns_of(type)};
  const grids::KernelPlaces kernels{request_.frame, values};
  std::vector<SentShare> sent;
  const std::vector<std::uint64_t> counts = sort_copies(
      ranks_.size(), end - begin,
      [&](std::uint64_t row, const auto& use) {
        ranks_of.each_rank(kernels, std::size_t(begin + row),
                           [&](std::size_t rank) { use(rank, 0); });
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

}  // namespace haloscope::compute::distributed
