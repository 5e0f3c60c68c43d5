#pragma once

#include "compute/exec/buffer.h"
#include "core/host_device.h"

#include <cstdint>
#include <vector>

// Sums over the runs of a list in slices of fixed size, added in fixed order: the result depends on
// neither threads nor executor, and a halo of a third of all particles is no longer than the rest.
namespace haloscope::compute {

struct Slice {
  static constexpr std::uint64_t kSize = 512;
  std::uint64_t begin, end;
  std::uint32_t run;
};

template <class T, class Allocator, class Exec>
Buffer<T, Exec> upload(Exec& exec, const std::vector<T, Allocator>& values, const char* name) {
  Buffer<T, Exec> buffer(exec, values.size(), name);
  if (!values.empty()) exec.upload(buffer.data(), values.data(), values.size() * sizeof(T));
  return buffer;
}

template <class T, class Exec>
std::vector<T> download(Exec& exec, const Buffer<T, Exec>& buffer) {
  std::vector<T> values(buffer.size());
  if (!values.empty()) exec.download(values.data(), buffer.data(), values.size() * sizeof(T));
  return values;
}

// Slices of runs [begin[r], begin[r + 1]).
template <class Exec>
struct Slices {
  Buffer<Slice, Exec> slices;
  Buffer<std::uint32_t, Exec> first;  // of each run in `slices`, and the end
  std::size_t runs = 0;

  Slices() = default;
  Slices(Exec& exec, const std::vector<std::uint64_t>& begin) : runs(begin.size() - 1) {
    std::vector<Slice> list;
    std::vector<std::uint32_t> firsts;
    for (std::size_t r = 0; r < runs; ++r) {
      firsts.push_back(std::uint32_t(list.size()));
      for (std::uint64_t i = begin[r]; i < begin[r + 1]; i += Slice::kSize)
        list.push_back({i, i + Slice::kSize < begin[r + 1] ? i + Slice::kSize : begin[r + 1],
                        std::uint32_t(r)});
    }
    firsts.push_back(std::uint32_t(list.size()));
    slices = upload(exec, list, "slices");
    first = upload(exec, firsts, "slices");
  }
};

template <int N>
struct Sums {
  double value[N];
};

// Term: void operator()(std::uint64_t i, std::uint32_t run, Sums<N>&) const adds element i.
template <int N, class Term>
struct SumSlice {
  const Slice* slices;
  Term term;
  Sums<N>* sums;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    Sums<N> sum{};
    const Slice slice = slices[s];
    for (std::uint64_t i = slice.begin; i < slice.end; ++i) term(i, slice.run, sum);
    sums[s] = sum;
  }
};

template <int N>
struct AddSlices {
  const std::uint32_t* first;
  const Sums<N>* of_slices;
  Sums<N>* of_runs;
  HALOSCOPE_HD void operator()(std::size_t run) const {
    Sums<N> sum{};
    for (std::uint32_t s = first[run]; s < first[run + 1]; ++s)
      for (int k = 0; k < N; ++k) sum.value[k] += of_slices[s].value[k];
    of_runs[run] = sum;
  }
};

// Sums of N terms over each run.
template <int N, class Exec, class Term>
Buffer<Sums<N>, Exec> sum_runs(Exec& exec, const char* name, const Slices<Exec>& slices,
                               const Term& term) {
  Buffer<Sums<N>, Exec> of_slices(exec, slices.slices.size(), name);
  Buffer<Sums<N>, Exec> of_runs(exec, slices.runs, name);
  parallel_for(exec, name, slices.slices.size(),
               SumSlice<N, Term>{slices.slices.data(), term, of_slices.data()});
  parallel_for(exec, name, slices.runs,
               AddSlices<N>{slices.first.data(), of_slices.data(), of_runs.data()});
  return of_runs;
}

}  // namespace haloscope::compute
