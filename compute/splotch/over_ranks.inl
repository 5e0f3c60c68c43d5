#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/named_range.h"
#include "compute/splotch/map_sum.h"
#include "compute/splotch/over_ranks.h"
#include "core/host_device.h"
#include "core/image.h"
#include "core/timings.h"

#include <cstddef>
#include <cstdint>
#include <vector>

// Sums over ranks, once for both executors: pictures stay where they were drawn, and what goes from
// rank to rank goes by DeviceRanks.
namespace haloscope::compute::splotch {

struct AddNumbers {
  template <class T>
  HALOSCOPE_HD T operator()(T sum, T more) const {
    return sum + more;
  }
};

struct AddMapSums {
  HALOSCOPE_HD MapSum operator()(MapSum sum, const MapSum& more) const {
    add(sum, more);
    return sum;
  }
};

// Adds what all ranks have for the same place, in the order of the ranks, so that sums of floats
// too are the same in every run.
template <class T, class Add>
struct AddShares {
  T* own;             // gets the sums
  const T* received;  // of the other ranks, one rank's behind the other's
  std::size_t count;  // values of one rank
  int rank, ranks;
  Add add;

  HALOSCOPE_HD T share(int r, std::size_t i) const {
    return r == rank ? own[i] : received[std::size_t(r < rank ? r : r - 1) * count + i];
  }
  HALOSCOPE_HD void operator()(std::size_t i) const {
    T sum = share(0, i);
    for (int r = 1; r < ranks; ++r) sum = add(sum, share(r, i));
    own[i] = sum;
  }
};

// One picture whose rows are shared out among the ranks.
template <class Exec>
class RowsOfRanks {
 public:
  RowsOfRanks(Exec& exec, const DrawingRanks& ranks, int width, int height)
      : exec_(exec), ranks_(ranks), width_(width), height_(height) {
    ranks_.wire().forget_carried();
  }

  // This rank's.
  std::size_t first_pixel() const { return first_pixel(self()); }
  std::size_t pixels() const { return pixels(self()); }

  // `values`: of the whole picture, `per_pixel` for each. This rank's rows become those of all
  // ranks together; what stands in the others is of no more use.
  template <class Add, class T>
  void sum(T* values, std::size_t per_pixel) {
    const std::size_t own = pixels() * per_pixel;
    Buffer<T, Exec> received(exec_, own * std::size_t(size() - 1), "rows of other ranks");
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    T* place = received.data();
    for (int r = 0; r < size(); ++r) {
      if (r == self()) continue;
      out.push_back({r, values + first_pixel(r) * per_pixel, pixels(r) * per_pixel * sizeof(T)});
      in.push_back({r, place, own * sizeof(T)});
      place += own;
    }
    exec_.synchronize();
    ranks_.wire().move(out, in);
    parallel_for(exec_, "sum over ranks", own,
                 AddShares<T, Add>{values + first_pixel() * per_pixel, received.data(), own, self(),
                                   size(), Add()});
    exec_.synchronize();
  }

  // `rgb`: of the whole picture; this rank's rows count. On the first rank it gets those of all, in
  // its place.
  void gather(float* rgb) {
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    const auto place = [&](int r) { return rgb + 3 * first_pixel(r); };
    const auto bytes = [&](int r) { return 3 * pixels(r) * sizeof(float); };
    if (self() != 0) out.push_back({0, place(self()), bytes(self())});
    for (int r = 1; self() == 0 && r < size(); ++r) in.push_back({r, place(r), bytes(r)});
    exec_.synchronize();
    ranks_.wire().move(out, in);
  }

  // The same, as the host has it; nothing on the other ranks.
  ImageF to_first(float* rgb) {
    gather(rgb);
    return ranks_.ranks().first() ? to_host(rgb) : ImageF();
  }
  ImageF to_host(const float* rgb) {
    ImageF image(width_, height_, 3);
    exec_.download(image.pixels.data(), rgb, image.pixels.size() * sizeof(float));
    return image;
  }

  // Since it was made.
  std::uint64_t sent_bytes() const { return ranks_.wire().carried().sent_bytes; }

 private:
  int self() const { return ranks_.ranks().rank(); }
  int size() const { return ranks_.ranks().size(); }
  std::size_t first_pixel(int rank) const {
    return std::size_t(width_) * std::size_t(rows_of(rank, size(), height_).first);
  }
  std::size_t pixels(int rank) const {
    return std::size_t(width_) * std::size_t(rows_of(rank, size(), height_).count);
  }

  Exec& exec_;
  const DrawingRanks& ranks_;
  int width_, height_;
};

}  // namespace haloscope::compute::splotch
