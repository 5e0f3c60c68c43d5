#pragma once

#include "compute/exec/cuda.h"
#include "compute/grids/deposit.inl"

#include <cmath>
#include <cstdint>
#include <optional>

// Shares of particles in Morton order, for the GPU. In the plain version each share is an atomic in
// the grid. Particles in Morton order fill one cube of the lattice after another. Here a block of
// threads adds up what those of a cube give to the cells that the cube can reach, its window, in
// shared memory; then each cell of the window is one atomic in the grid. The sums are exact, so
// that all ways have the same bits.
//
// The arithmetic is that of the plain version: places, cuts and their roundings, whole numbers in
// doubles in place of integers, which is exact and saves conversions.
namespace haloscope::compute::grids {

// Sums are kept in 2 or 3 words.
template <int W>
struct DepositWindow {
  static constexpr unsigned kThreads = 512, kWarps = kThreads / 32;
  static constexpr unsigned kPoints = 8192;  // of a block: what one window gets at most
  static constexpr unsigned kStage = 2048;   // of them read at once
  static constexpr unsigned kSide = 18, kCells = kSide * kSide * kSide;
  // A word but the last holds so many bits of each of 2¹³ shares, the last one the rest, signed.
  static constexpr int kBits = 19;
  // Shares are below this, so that the last word holds 2¹³ of them, and below 2⁵¹ for rounded().
  static constexpr double kMostQuanta = double(std::uint64_t(1) << (W == 2 ? 37 : 51));

  unsigned sum[W][kCells];
  unsigned at[3][kStage + kStage / 32];  // one word in 33 is free, so that strides meet all banks
  unsigned until;

  __device__ static unsigned slot(unsigned k) { return k + k / 32; }

  __device__ void add(unsigned cell, double part) {
    std::int64_t quanta = rounded(part);
#pragma unroll
    for (int w = 0; w + 1 < W; ++w) {
      atomicAdd(sum[w] + cell, unsigned(quanta) & ((1u << kBits) - 1));
      quanta >>= kBits;
    }
    atomicAdd(sum[W - 1] + cell, unsigned(quanta));
  }

  __device__ void clear() {
    for (unsigned c = threadIdx.x; c < kCells; c += kThreads)
      for (int w = 0; w < W; ++w) sum[w][c] = 0;
  }

  // The sum of a cell, which is zero then.
  __device__ std::int64_t take(unsigned cell) {
    std::int64_t all = int(sum[W - 1][cell]);
#pragma unroll
    for (int w = W - 1; w-- > 0;) all = all * (1 << kBits) + std::int64_t(sum[w][cell]);
    for (int w = 0; w < W; ++w) sum[w][cell] = 0;
    return all;
  }
};

// How cubes of the lattice lie in a grid.
struct WindowCubes {
  int shift;      // a cube has 2^shift steps along each axis
  double quanta;  // of each particle, a whole number

  // None: windows do not serve for these particles.
  static std::optional<WindowCubes> choose(const DepositShares& shares) {
    WindowCubes cubes{};
    const GridColumns& columns = shares.values.columns;
    const GridFrame& frame = shares.frame;
    const Quantity quantity = shares.values.quantity;
    if (!columns.in_morton_order || columns.count == 0 || columns.mass ||
        (quantity != Quantity::Count && quantity != Quantity::Mass))
      return {};
    const double value = quantity == Quantity::Count ? 1 : columns.uniform_mass;
    const double units = value * shares.sums.per_unit[0];
    if (!(std::fabs(units) < DepositWindow<3>::kMostQuanta)) return {};
    cubes.quanta = double(rounded(units));
    for (int axis = 0; axis < 3; ++axis) {
      if (frame.first_image(axis) != 0 || frame.last_image(axis) != 0) return {};
      // Else a cube may lie at both ends of the grid.
      if (frame.period[axis] > 0 && frame.low[axis] > 0) return {};
    }
    constexpr int kMortonShift = 11;  // lower bits are not in order
    for (cubes.shift = 31; cubes.shift >= kMortonShift; --cubes.shift) {
      bool fits = true;
      for (int axis = 0; axis < 3; ++axis) {
        // A cell is reached on either side, and one more where cubes end within cells.
        constexpr double kMost = DepositWindow<2>::kSide - 2;
        const double wide = std::ldexp(frame.per_step[axis], cubes.shift);
        fits = fits && (wide <= kMost - 1 || (wide == kMost && frame.low[axis] == 0));
      }
      if (!fits) continue;
      // All cells of a window are looked at for each cube.
      constexpr double kFewest = 64;  // points of a cube, were they everywhere alike
      if (std::ldexp(double(columns.count), 3 * (cubes.shift - 32)) < kFewest) return {};
      return cubes;
    }
    return {};
  }
};

// The shares of the parts of one axis, as doubles: calls use(k, part) for each cell.
template <int N, class Use>
__device__ void cut_whole(double quanta, const double (&until)[3], const Use& use) {
  double before = 0;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const double end = k + 1 < N ? rounded_whole(quanta * until[k]) : quanta;
    use(unsigned(k), end - before);
    before = end;
  }
}

// N cells along each axis: 1, 2 or 3.
template <int N, int W>
class WindowDeposit {
  using Window = DepositWindow<W>;
  static constexpr Assign kAssign = N == 1   ? Assign::Nearest
                                    : N == 2 ? Assign::CloudInCell
                                             : Assign::Triangular;

 public:
  __device__ WindowDeposit(const DepositShares& shares, const WindowCubes& cubes, Window& window)
      : shares_(shares), cubes_(cubes), window_(window) {}

  __device__ void run() {
    window_.clear();
    const GridColumns& columns = shares_.values.columns;
    const std::uint64_t first = std::uint64_t(blockIdx.x) * Window::kPoints;
    const std::uint64_t end =
        first + Window::kPoints < columns.count ? first + Window::kPoints : columns.count;
    bool is_empty = true;
    for (std::uint64_t stage = first; stage < end; stage += Window::kStage) {
      const unsigned count = end - stage < Window::kStage ? unsigned(end - stage) : Window::kStage;
      __syncthreads();  // the points before are not read any more
      for (unsigned k = threadIdx.x; k < count; k += Window::kThreads) {
        const spatial::FixedPoint p = columns.position.at(std::size_t(stage + k));
        window_.at[0][Window::slot(k)] = p.x;
        window_.at[1][Window::slot(k)] = p.y;
        window_.at[2][Window::slot(k)] = p.z;
      }
      __syncthreads();
      for (unsigned begin = 0; begin < count;) {
        if (is_empty || !is_of_cube(begin)) {
          if (!is_empty) give();
          enter_cube(begin);
          is_empty = false;
        }
        const unsigned until = end_of_cube(begin, count);
        share(begin, until);
        begin = until;
      }
    }
    if (!is_empty) give();
  }

 private:
  __device__ bool is_of_cube(unsigned k) const {
    unsigned differ = 0;
    for (int axis = 0; axis < 3; ++axis) differ |= window_.at[axis][Window::slot(k)] ^ cube_[axis];
    return differ >> cubes_.shift == 0;
  }

  __device__ void enter_cube(unsigned k) {
    for (int axis = 0; axis < 3; ++axis) {
      cube_[axis] = window_.at[axis][Window::slot(k)] >> cubes_.shift << cubes_.shift;
      first_[axis] = floor_to_whole(shares_.frame.place(axis, cube_[axis])) - kReach;
    }
  }

  // The first point from `begin` on that is of another cube.
  __device__ unsigned end_of_cube(unsigned begin, unsigned count) {
    if (is_of_cube(count - 1)) return count;  // those between are too
    if (threadIdx.x == 0) window_.until = count;
    __syncthreads();
    for (unsigned k = begin + threadIdx.x; k < count; k += Window::kThreads)
      if (!is_of_cube(k)) {
        atomicMin(&window_.until, k);
        break;
      }
    __syncthreads();
    const unsigned until = window_.until;
    __syncthreads();
    return until;
  }

  // Lanes of a warp take points far from each other, which seldom give to one cell.
  __device__ void share(unsigned begin, unsigned until) {
    const unsigned count = until - begin, stride = (count + 31) / 32, lane = threadIdx.x % 32;
    for (unsigned k = threadIdx.x / 32; k < stride; k += Window::kWarps) {
      const unsigned point = lane * stride + k;
      if (point < count) share(Window::slot(begin + point));
    }
  }

  __device__ void share(unsigned slot) {
    double ends[3][3];
    unsigned cell[3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const AxisShares shares =
          axis_shares(kAssign, shares_.frame.place(axis, window_.at[axis][slot]));
      cell[axis] = unsigned(shares.first - first_[axis]);
      for (int k = 0; k < 3; ++k) ends[axis][k] = shares.until[k];
    }
    const unsigned corner = (cell[0] * Window::kSide + cell[1]) * Window::kSide + cell[2];
    cut_whole<N>(cubes_.quanta, ends[0], [&](unsigned x, double of_x) {
      cut_whole<N>(of_x, ends[1], [&](unsigned y, double of_y) {
        cut_whole<N>(of_y, ends[2], [&](unsigned z, double of_z) {
          window_.add(corner + (x * Window::kSide + y) * Window::kSide + z, of_z);
        });
      });
    });
  }

  // To the grid; the window is zeros again.
  __device__ void give() {
    __syncthreads();
    for (unsigned c = threadIdx.x; c < Window::kCells; c += Window::kThreads) {
      const std::int64_t sum = window_.take(c);
      if (sum == 0) continue;
      constexpr unsigned kSide = Window::kSide;
      const unsigned in[3] = {c / (kSide * kSide), c / kSide % kSide, c % kSide};
      std::uint64_t cell[3];
      bool is_inside = true;
      for (int axis = 0; axis < 3; ++axis)
        is_inside = shares_.frame.cell(axis, first_[axis] + in[axis], cell[axis]) && is_inside;
      if (is_inside) shares_.sums.add(0, shares_.frame.at(cell[0], cell[1], cell[2]), sum);
    }
    __syncthreads();
  }

  const DepositShares& shares_;
  const WindowCubes& cubes_;
  Window& window_;
  unsigned cube_[3] = {0, 0, 0};       // its lowest corner in the lattice
  std::int64_t first_[3] = {0, 0, 0};  // the first cell of the window
};

template <int N, int W>
__global__ void __launch_bounds__(DepositWindow<W>::kThreads, 5 - W)
    deposit_windows_kernel(const DepositShares shares, const WindowCubes cubes) {
  extern __shared__ std::uint64_t shared[];
  WindowDeposit<N, W>(shares, cubes, *reinterpret_cast<DepositWindow<W>*>(shared)).run();
}

template <int N, int W>
void deposit_windows(Cuda& exec, const DepositShares& shares, const WindowCubes& cubes) {
  using Window = DepositWindow<W>;
  const NamedRange range("grid");
  const auto blocks =
      unsigned((shares.values.columns.count + Window::kPoints - 1) / Window::kPoints);
  check_cuda(cudaFuncSetAttribute(deposit_windows_kernel<N, W>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, int(sizeof(Window))),
             "grid");
  deposit_windows_kernel<N, W>
      <<<blocks, Window::kThreads, sizeof(Window), exec.stream()>>>(shares, cubes);
  check_cuda(cudaGetLastError(), "grid");
}

template <int N>
void deposit_windows(Cuda& exec, const DepositShares& shares, const WindowCubes& cubes) {
  if (std::fabs(cubes.quanta) < DepositWindow<2>::kMostQuanta)
    deposit_windows<N, 2>(exec, shares, cubes);
  else
    deposit_windows<N, 3>(exec, shares, cubes);
}

// In place of the plain way for particles of one mass in Morton order.
inline void deposit_shares(Cuda& exec, const DepositShares& shares) {
  const std::optional<WindowCubes> chosen = WindowCubes::choose(shares);
  if (!chosen || sizeof(DepositWindow<3>) > exec.block_shared_memory()) {
    parallel_for(exec, "grid", std::size_t(shares.values.columns.count), shares);
    return;
  }
  switch (shares.assign) {
    case Assign::Nearest:
      return deposit_windows<1>(exec, shares, *chosen);
    case Assign::CloudInCell:
      return deposit_windows<2>(exec, shares, *chosen);
    default:
      return deposit_windows<3>(exec, shares, *chosen);
  }
}

}  // namespace haloscope::compute::grids
