#include "compute/splotch/voronoi_map.h"

#include "compute/exec/atomics.h"
#include "compute/exec/rounded.h"
#include "compute/splotch/nearest_pieces.h"
#include "compute/splotch/projection.h"
#include "core/array.h"
#include "core/check.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

namespace haloscope::compute::splotch {

namespace {

// A cell, or a copy of it across the edge of the box, as the picture sees it. All in pixels.
struct SeenCell {
  double x, y, depth;
  float reach;
  std::uint32_t cell;
  bool home;  // where the generator itself lies
};

// Chords are summed in whole numbers of such a part of the cell's reach, which is exact in any
// order. 2³³ chords fit.
constexpr double kChordQuanta = 1 << 30;

// Cells are listed by tile; each thread takes blocks of a tile.
constexpr int kTile = 64;
constexpr int kBlock = 8;

// The box about the target, in which all points of a periodic domain are seen once.
struct SeenBox {
  const Projector<double>& projector;
  double half;  // world length; infinite: no box

  // The part of the line of sight of a pixel that lies in the box, in pixels of depth.
  bool cut(double x, double y, double& low, double& high) const {
    low = -std::numeric_limits<double>::infinity();
    high = -low;
    if (!std::isfinite(half)) return true;
    // In the camera's axes relative to the anchor, at depth 0.
    const double scale = projector.ortho_scale;
    const double at[3] = {
        (x - projector.center_x) / scale - projector.anchor_in_camera[0],
        (y - projector.center_y) / (scale * projector.y_sign) - projector.anchor_in_camera[1],
        -projector.anchor_in_camera[2]};
    for (int axis = 0; axis < 3; ++axis) {
      double from = 0;
      for (int row = 0; row < 3; ++row) from += projector.rotation[row][axis] * at[row];
      const double along = -projector.rotation[2][axis];
      if (std::fabs(along) < 1e-12) {
        if (!(std::fabs(from) <= half)) return false;
        continue;
      }
      const double one = (-half - from) / along, other = (half - from) / along;
      low = std::max(low, std::min(one, other) * scale);
      high = std::min(high, std::max(one, other) * scale);
    }
    return low < high;
  }
};

// How the cells lie in the view.
class SeenCells {
 public:
  SeenCells(const View& view, const Domain& domain, const VoronoiCells& cells)
      : projector_(make_projector<double>(view, domain, Mode::Map)),
        domain_(domain),
        cells_(cells),
        box_{projector_,
             domain.periodic ? 0.5 * domain.side : std::numeric_limits<double>::infinity()},
        covered_(domain.periodic && covers_box()),
        whole_(cells.count) {
    seen_.reserve(cells.count);
    for (std::size_t i = 0; i < cells.count; ++i) add(i);
    // Lists of them ascend by depth as well, which lines of sight need.
    ::tbb::parallel_sort(seen_.begin(), seen_.end(), [](const SeenCell& a, const SeenCell& b) {
      return std::tie(a.depth, a.cell, a.x, a.y) < std::tie(b.depth, b.cell, b.x, b.y);
    });
  }

  const std::vector<SeenCell>& seen() const { return seen_; }
  const SeenBox& box() const { return box_; }
  double scale() const { return projector_.ortho_scale; }
  // Of cells, whatever copies they have.
  std::size_t count() const { return count_; }
  // Whether all of a cell lies in the view.
  bool whole(std::size_t cell) const { return whole_[cell] != 0; }

 private:
  // Whether all corners of the box are in the picture.
  bool covers_box() const {
    for (int corner = 0; corner < 8; ++corner) {
      const SeenCell at =
          place({corner & 1 ? box_.half : -box_.half, corner & 2 ? box_.half : -box_.half,
                 corner & 4 ? box_.half : -box_.half},
                0);
      const double slack = 1e-6 * std::max(projector_.width, projector_.height);
      if (!in_picture(at.x, at.y, -slack)) return false;
    }
    return true;
  }
  bool in_picture(double x, double y, double margin) const {
    return x - margin >= -0.5 && x + margin <= projector_.width - 0.5 && y - margin >= -0.5 &&
           y + margin <= projector_.height - 0.5;
  }

  // `offset`: from the anchor, world lengths.
  SeenCell place(const std::array<double, 3>& offset, std::uint32_t cell) const {
    double camera[3];
    projector_.to_camera(offset[0], offset[1], offset[2], camera);
    return {projector_.center_x + scale() * camera[0],
            projector_.center_y + scale() * projector_.y_sign * camera[1],
            -scale() * camera[2],
            0,
            cell,
            false};
  }

  void add(std::size_t i) {
    double reach = kCellReach * double(cells_.radius[i]);
    if (!(reach > 0) || !std::isfinite(reach)) return;
    reach = std::min(reach, box_.half);
    std::array<double, 3> offset{};
    int shifts[3]{};  // to where the cell comes in over the edge of the box
    for (std::size_t a = 0; a < 3; ++a) {
      const std::uint32_t steps = cells_.position[a][i] - projector_.anchor[a];
      offset[a] = double(std::int32_t(steps)) * domain_.step();
      shifts[a] = offset[a] + reach > box_.half ? -1 : offset[a] - reach < -box_.half ? 1 : 0;
    }
    bool inside = true;
    const std::size_t before = seen_.size();
    for (int copy = 0; copy < 8; ++copy) {
      std::array<double, 3> at = offset;
      bool has = true;
      for (std::size_t a = 0; a < 3; ++a) {
        const bool shifted = (copy >> a & 1) != 0;
        has = has && (!shifted || shifts[a] != 0);
        if (shifted) at[a] += shifts[a] * domain_.side;
      }
      if (!has) continue;
      SeenCell cell = place(at, std::uint32_t(i));
      cell.reach = float(reach * scale());
      cell.home = copy == 0;
      // A generator on the edge of the box is on the picture's edge, and not beyond.
      if (covered_ && cell.home) {
        cell.x = std::clamp(cell.x, -0.5, std::nextafter(projector_.width - 0.5, 0.));
        cell.y = std::clamp(cell.y, -0.5, std::nextafter(projector_.height - 0.5, 0.));
      }
      inside = inside && copy == 0 && in_picture(cell.x, cell.y, double(cell.reach));
      if (meets_picture(cell)) seen_.push_back(cell);
    }
    whole_[i] = covered_ || inside ? 1 : 0;
    if (seen_.size() > before) ++count_;
  }
  bool meets_picture(const SeenCell& cell) const {
    return in_picture(cell.x, cell.y, -double(cell.reach));
  }

  Projector<double> projector_;
  const Domain domain_;
  const VoronoiCells& cells_;
  SeenBox box_;
  bool covered_;  // all of the box is in the picture
  std::vector<std::uint8_t> whole_;
  std::vector<SeenCell> seen_;
  std::size_t count_ = 0;
};

// Pixels [x0, x1) × [y0, y1).
struct PixelRect {
  int x0, y0, x1, y1;

  bool meets(const SeenCell& cell) const {
    const double x = std::clamp(cell.x, double(x0), double(x1 - 1)) - cell.x;
    const double y = std::clamp(cell.y, double(y0), double(y1 - 1)) - cell.y;
    const double reach = double(cell.reach);
    return x * x + y * y < reach * reach || holds(cell);
  }
  bool holds(const SeenCell& cell) const {
    return cell.x >= x0 - 0.5 && cell.x < x1 - 0.5 && cell.y >= y0 - 0.5 && cell.y < y1 - 0.5;
  }
};

// The seen cells that may be met in each tile, as places in `seen`, ascending.
class TileCells {
 public:
  TileCells(const std::vector<SeenCell>& seen, int width, int height)
      : width_(width), height_(height), across_((width + kTile - 1) / kTile) {
    begins_.assign(std::size_t(count()) + 1, 0);
    for (const SeenCell& cell : seen) for_each_tile(cell, [&](std::size_t t) { ++begins_[t + 1]; });
    for (std::size_t t = 0; t + 1 < begins_.size(); ++t) begins_[t + 1] += begins_[t];
    require_host_memory(begins_.back() * sizeof(std::uint32_t), "the cells of a map's tiles");
    list_ = Array<std::uint32_t>(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t k = 0; k < seen.size(); ++k)
      for_each_tile(seen[k], [&](std::size_t t) { list_[next[t]++] = std::uint32_t(k); });
  }

  int count() const { return across_ * ((height_ + kTile - 1) / kTile); }
  PixelRect pixels(int tile) const {
    const int x0 = tile % across_ * kTile, y0 = tile / across_ * kTile;
    return {x0, y0, std::min(x0 + kTile, width_), std::min(y0 + kTile, height_)};
  }
  std::span<const std::uint32_t> of(int tile) const {
    const std::size_t begin = begins_[std::size_t(tile)], end = begins_[std::size_t(tile) + 1];
    return {list_.data() + begin, end - begin};
  }

 private:
  template <class F>
  void for_each_tile(const SeenCell& cell, const F& f) const {
    const double reach = double(cell.reach);
    const auto tile = [](double pixel, int size) {
      return int(std::clamp(std::floor(pixel + 0.5), 0., double(size - 1))) / kTile;
    };
    for (int y = tile(cell.y - reach, height_); y <= tile(cell.y + reach, height_); ++y)
      for (int x = tile(cell.x - reach, width_); x <= tile(cell.x + reach, width_); ++x)
        if (pixels(y * across_ + x).meets(cell)) f(std::size_t(y * across_ + x));
  }

  int width_, height_, across_;
  std::vector<std::size_t> begins_;
  Array<std::uint32_t> list_;
};

// One thread's memory.
struct LineScratch {
  std::vector<std::uint32_t> listed;  // of a block
  std::vector<LineCell> cells;        // of a line
  NearestPieces nearest;
};

class VoronoiMapper {
 public:
  VoronoiMapper(const View& view, const Domain& domain, const VoronoiCells& cells)
      : cells_(cells),
        seen_(view, domain, cells),
        tiles_(seen_.seen(), view.width, view.height),
        chords_(cells.count),
        image_(view.width, view.height, 3) {}

  SeenMap draw(Progress& progress) {
    // First how much of each cell is met, then what of it each pixel has.
    sweep(progress, 0, [&](const PixelRect& block, LineScratch& scratch) {
      for_each_pixel(block, scratch, [&](int, int, const LineCell& line, double length) {
        const SeenCell& cell = seen_.seen()[line.cell];
        const double quanta = length / double(cell.reach) * kChordQuanta;
        atomic_add(&chords_[cell.cell], std::uint64_t(rounded(quanta)));
      });
    });
    sweep(progress, 0.5,
          [&](const PixelRect& block, LineScratch& scratch) { add_masses(block, scratch); });
    return {std::move(image_), seen_.count()};
  }

 private:
  template <class F>
  void sweep(Progress& progress, double done, const F& f) {
    const int count = tiles_.count();
    // A tile after the other where there are few, so that all threads share its blocks.
    constexpr int kAtOnce = 64;
    for (int first = 0; first < count; first += kAtOnce) {
      progress.report("render", done + 0.5 * first / count);
      ::tbb::parallel_for(first, std::min(first + kAtOnce, count), [&](int tile) {
        const PixelRect all = tiles_.pixels(tile);
        const int across = (all.x1 - all.x0 + kBlock - 1) / kBlock;
        const int down = (all.y1 - all.y0 + kBlock - 1) / kBlock;
        ::tbb::parallel_for(0, across * down, [&](int at) {
          const int x0 = all.x0 + at % across * kBlock, y0 = all.y0 + at / across * kBlock;
          const PixelRect block{x0, y0, std::min(x0 + kBlock, all.x1),
                                std::min(y0 + kBlock, all.y1)};
          LineScratch& scratch = scratch_.local();
          scratch.listed.clear();
          for (const std::uint32_t k : tiles_.of(tile))
            if (block.meets(seen_.seen()[k])) scratch.listed.push_back(k);
          f(block, scratch);
        });
      });
    }
  }

  // f(x, y, cell, length) for each stretch of each line of sight, in order.
  template <class F>
  void for_each_pixel(const PixelRect& block, LineScratch& scratch, const F& f) {
    for (int y = block.y0; y < block.y1; ++y)
      for (int x = block.x0; x < block.x1; ++x) {
        double low, high;
        if (!seen_.box().cut(x, y, low, high)) continue;
        scratch.cells.clear();
        for (const std::uint32_t k : scratch.listed) {
          const SeenCell& cell = seen_.seen()[k];
          const double dx = cell.x - x, dy = cell.y - y, distance2 = dx * dx + dy * dy;
          const double chord2 = double(cell.reach) * double(cell.reach) - distance2;
          if (chord2 > 0) scratch.cells.push_back({cell.depth, distance2, chord2, k});
        }
        for (const LinePiece& piece : scratch.nearest.find(scratch.cells, low, high))
          f(x, y, scratch.cells[piece.of], piece.end - piece.begin);
      }
  }

  double mass(std::uint32_t cell) const {
    return double(cells_.mass ? cells_.mass[cell] : cells_.uniform_mass);
  }
  double field(std::uint32_t cell) const { return cells_.field ? double(cells_.field[cell]) : 0; }

  // Mass per cubic pixel of the lines of sight that are followed.
  double density(const SeenCell& cell) const {
    if (seen_.whole(cell.cell))
      return mass(cell.cell) * kChordQuanta / (double(chords_[cell.cell]) * double(cell.reach));
    const double radius = double(cells_.radius[cell.cell]) * seen_.scale();
    constexpr double kBall = 4.1887902047863905;  // 4π/3
    return mass(cell.cell) / (kBall * radius * radius * radius);
  }

  void add_masses(const PixelRect& block, LineScratch& scratch) {
    double sums[kBlock * kBlock][2]{};
    const auto add = [&](int x, int y, std::uint32_t cell, double part) {
      double* const sum = sums[(y - block.y0) * kBlock + x - block.x0];
      sum[0] += part;
      sum[1] += part * field(cell);
    };
    for (const std::uint32_t k : scratch.listed) {
      const SeenCell& cell = seen_.seen()[k];
      const bool missed = cell.home && chords_[cell.cell] == 0 && seen_.whole(cell.cell);
      if (missed && block.holds(cell))
        add(int(std::floor(cell.x + 0.5)), int(std::floor(cell.y + 0.5)), cell.cell,
            mass(cell.cell));
    }
    for_each_pixel(block, scratch, [&](int x, int y, const LineCell& line, double length) {
      const SeenCell& cell = seen_.seen()[line.cell];
      if (seen_.whole(cell.cell) && chords_[cell.cell] == 0) return;
      add(x, y, cell.cell, density(cell) * length);
    });
    const double per_area = seen_.scale() * seen_.scale();
    for (int y = block.y0; y < block.y1; ++y)
      for (int x = block.x0; x < block.x1; ++x) {
        const double* const sum = sums[(y - block.y0) * kBlock + x - block.x0];
        float* const pixel = image_.at(x, y);
        pixel[0] = float(sum[0] * per_area);
        pixel[1] = float(sum[1] * per_area);
        pixel[2] = 0;
      }
  }

  const VoronoiCells& cells_;
  SeenCells seen_;
  TileCells tiles_;
  std::vector<std::uint64_t> chords_;  // of each cell, in quanta of its reach
  ImageF image_;
  ::tbb::enumerable_thread_specific<LineScratch> scratch_;
};

}  // namespace

SeenMap voronoi_map(const View& view, const Domain& domain, const VoronoiCells& cells,
                    Progress& progress) {
  HALOSCOPE_CHECK(view.perspective || view.planes.has_value(), ==, false);
  require_host_memory(cells.count * (sizeof(SeenCell) + 3 * sizeof(std::uint64_t)),
                      "the cells of a map");
  VoronoiMapper mapper(view, domain, cells);
  return mapper.draw(progress);
}

}  // namespace haloscope::compute::splotch
