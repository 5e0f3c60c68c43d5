#pragma once

#include "compute/exec/buffer.h"
#include "compute/splotch/sample.h"
#include "compute/splotch/splat.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace haloscope::compute::splotch {

// Calls f with the pointer to each column that there is.
template <class AnyColumns, class F>
void for_each_column(AnyColumns& c, const F& f) {
  auto call = [&f](auto& column) {
    if (column) f(column);
  };
  call(c.position.x);
  call(c.position.y);
  call(c.position.z);
  call(c.radius);
  for (auto& color : c.color) call(color);
  call(c.weight);
  call(c.label);
}

// Of 4 bytes, that `count` particles of a column take.
template <class T>
std::uint64_t words_of_column(const T*, std::uint64_t count) {
  return (count * sizeof(T) + 3) / 4;
}

// Of `count` particles of all columns.
inline std::uint64_t words_of(const Columns& columns, std::uint64_t count) {
  std::uint64_t words = 0;
  for_each_column(columns, [&](const auto* column) { words += words_of_column(column, count); });
  return words;
}

template <class T>
struct TakeColumn {
  const T* from;  // of the sample of 1 in `fine`
  T* to;
  std::uint64_t first;  // in the sample of 1 in `coarse`
  int coarse, fine;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    to[i] = from[place_in_finer(first + i, coarse, fine)];
  }
};

// The same of packed places and radii, which a sample has unpacked.
struct TakePlaces {
  Columns from;
  std::uint32_t *x, *y, *z;
  float* radius;
  std::uint64_t first;
  int coarse, fine;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const PlaceAndRadius p =
        unpack(from, load_place(from, place_in_finer(first + i, coarse, fine)));
    x[i] = p.at.x;
    y[i] = p.at.y;
    z[i] = p.at.z;
    radius[i] = p.radius;
  }
};

// Columns of a sample, or a stretch of one, in an executor's memory, one after the other.
template <class Exec>
class SampleColumns {
 public:
  // Particles [first, first + count) of the sample of 1 in `coarse`; `given` is that of 1 in `fine`
  // on the same executor.
  void take(Exec& exec, const Columns& given, int coarse, int fine, std::uint64_t first,
            std::uint64_t count) {
    place(exec, given, count, [&](auto* from, auto* to) {
      using T = std::remove_pointer_t<decltype(to)>;
      if (given.packed() && is_place(given, from)) return;
      parallel_for(exec, "sample of the particles", count,
                   TakeColumn<T>{from, to, first, coarse, fine});
    });
    if (given.packed() && count > 0)
      parallel_for(exec, "sample of the particles", count,
                   TakePlaces{given, const_cast<std::uint32_t*>(columns_.position.x),
                              const_cast<std::uint32_t*>(columns_.position.y),
                              const_cast<std::uint32_t*>(columns_.position.z),
                              const_cast<float*>(columns_.radius), first, coarse, fine});
  }

  // The same columns as they stand in host memory.
  void upload(Exec& exec, const Columns& host) {
    place(exec, host, host.count,
          [&](auto* from, auto* to) { exec.upload(to, from, host.count * sizeof(*to)); });
  }

  // Takes the colors of `given` again: the same particles as were taken, whose other columns have
  // not changed. False, and nothing is taken: `given` has other columns than before.
  bool take_colors(Exec& exec, const Columns& given, int coarse, int fine) {
    if (columns_.count == 0) return true;  // a sample without particles has no columns
    if (!given.weight != !columns_.weight) return false;
    for (int k = 0; k < 3; ++k)
      if (!given.color[k] != !columns_.color[k]) return false;
    columns_.uniform_weight = given.uniform_weight;
    columns_.density_color = given.density_color;
    for (int k = 0; k < 3; ++k)
      if (given.color[k])
        // The column lies in words_.
        parallel_for(exec, "sample of the particles", columns_.count,
                     TakeColumn<float>{given.color[k], const_cast<float*>(columns_.color[k]), 0,
                                       coarse, fine});
    return true;
  }

  const Columns& columns() const { return columns_; }

 private:
  static bool is_place(const Columns& c, const void* column) {
    return column == c.position.x || column == c.position.y || column == c.position.z ||
           column == c.radius;
  }
  template <class Fill>
  void place(Exec& exec, const Columns& given, std::uint64_t count, const Fill& fill) {
    words_.reserve(exec, words_of(given, count), "sample of the particles");
    columns_ = given;
    columns_.count = count;
    columns_.position.blocks = nullptr;
    std::uint32_t* at = words_.data();
    for_each_column(columns_, [&](auto*& column) {
      using T =
          std::remove_const_t<std::remove_pointer_t<std::remove_reference_t<decltype(column)>>>;
      T* const to = reinterpret_cast<T*>(at);
      fill(column, to);
      column = to;
      at += words_of_column(to, count);
    });
  }

  Buffer<std::uint32_t, Exec> words_;
  Columns columns_;
};

// Samples of all types that are kept, so that drawing one does not read the particles that are not
// in it; those in between are cut from the next finer one when they are drawn.
template <class Exec>
class Samples {
 public:
  struct Kept {
    int n;
    std::vector<SampleColumns<Exec>> types;
    std::vector<Columns> columns() const {
      std::vector<Columns> out;
      for (const auto& type : types) out.push_back(type.columns());
      return out;
    }
  };

  // The sample of 1 in n, coarser than those that are kept; of `all` where it is the first.
  Kept make(Exec& exec, const std::vector<Columns>& all, int n) const {
    const Kept* const finer = find(n);
    const std::vector<Columns> from = finer ? finer->columns() : all;
    Kept made{n, {}};
    made.types.resize(from.size());
    const int fine = finer ? finer->n : 1;
    for (std::size_t t = 0; t < from.size(); ++t)
      made.types[t].take(exec, from[t], n, fine, 0, sample_size(from[t].count, n, fine));
    return made;
  }
  void keep(Exec& exec, const std::vector<Columns>& all, int n) { keep(make(exec, all, n)); }
  void keep(Kept kept) { kept_.push_back(std::move(kept)); }

  // Columns of the particles have changed.
  void forget() { kept_.clear(); }

  // Colors of the particles have changed, and nothing else. False: there are other columns now, and
  // all samples must be made again.
  bool take_colors(Exec& exec, const std::vector<Columns>& all) {
    int fine = 1;
    std::vector<Columns> from = all;
    for (Kept& kept : kept_) {
      for (std::size_t t = 0; t < from.size(); ++t)
        if (!kept.types[t].take_colors(exec, from[t], kept.n, fine)) return false;
      from = kept.columns();
      fine = kept.n;
    }
    return true;
  }

  bool empty() const { return kept_.empty(); }
  const Kept& finest() const { return kept_.front(); }
  // The coarsest kept one that holds that of 1 in n; null: only all particles do.
  const Kept* find(int n) const {
    const Kept* found = nullptr;
    for (const Kept& kept : kept_)
      if (kept.n <= n) found = &kept;
    return found;
  }

  // Hands out stretches of the sample of 1 in n, of at most `most` particles of one type, as
  // f(columns, type, part done); each is overwritten by the next. `all` may be empty where
  // find(n) is not null.
  template <class F>
  void cut(Exec& exec, const std::vector<Columns>& all, int n, std::uint64_t most, const F& f) {
    const Kept* const finer = find(n);
    const std::vector<Columns> from = finer ? finer->columns() : all;
    for (std::size_t t = 0; t < from.size(); ++t) {
      const int fine = finer ? finer->n : 1;
      const std::uint64_t size = sample_size(from[t].count, n, fine);
      for (std::uint64_t first = 0; first < size; first += most) {
        stretch_.take(exec, from[t], n, fine, first, std::min(most, size - first));
        f(stretch_.columns(), t, double(t) / double(from.size()));
      }
    }
  }

 private:
  std::vector<Kept> kept_;  // from fine to coarse
  SampleColumns<Exec> stretch_;
};

}  // namespace haloscope::compute::splotch
