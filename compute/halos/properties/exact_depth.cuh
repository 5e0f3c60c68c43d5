#pragma once

#include "compute/halos/properties/potential.inl"

#include <cstdint>

// Sums in double of the candidates that are left, on a GPU.
namespace haloscope::compute::halos {

// What the sums in double need of each candidate: parts of as many members as the CPU's.
struct ExactPart {
  std::uint32_t candidate, part;
};
struct PartOfDepth {
  double sum;
  std::uint32_t here;  // members at its place
};
struct SumExactPart {
  const Member* members;
  const std::uint64_t* begin;
  double h;
  const Candidate* candidates;
  const ExactPart* list;
  PartOfDepth* out;
  __device__ void operator()(std::size_t k) const {
    const Candidate& candidate = candidates[list[k].candidate];
    const Member at = members[candidate.member];
    const std::uint64_t first = begin[candidate.halo] + list[k].part * Slice::kSize;
    const std::uint64_t end = begin[candidate.halo + 1];
    PartOfDepth part{0, 0};
    for (std::uint64_t i = first; i < first + Slice::kSize && i < end; ++i) {
      const Member& m = members[i];
      const Offset d = offset_from(m, at.x, at.y, at.z);
      const double r2 = d.x * d.x + d.y * d.y + d.z * d.z;
      if (r2 > 0)
        part.sum -= double(m.mass) * gravity::softened_potential(r2, h);
      else
        ++part.here;
    }
    out[k] = part;
  }
};
// ExactDepth, of parts.
struct FinishExactDepth {
  const Member* members;
  const std::uint64_t* begin;
  double h;
  Candidate* candidates;
  const std::uint64_t* first_part;
  const PartOfDepth* parts;
  double* depth;
  __device__ void operator()(std::size_t c) const {
    Candidate& candidate = candidates[c];
    const Member at = members[candidate.member];
    const std::uint64_t from = begin[candidate.halo], end = begin[candidate.halo + 1];
    double sum = 0;
    std::uint64_t here = 0;
    for (std::uint64_t p = first_part[c]; p < first_part[c + 1]; ++p) {
      sum += parts[p].sum;
      here += parts[p].here;
    }
    double coincident = 0;
    if (here > 1)
      each_here(from, end, at,
                [&](const Member& m, std::uint64_t) { coincident += double(m.mass); });
    else
      coincident = double(at.mass);
    const auto depth_of = [&](const Member& m) {
      return sum + (h > 0 ? 14.0 / 5 / h * (coincident - double(m.mass)) : 0);
    };
    double deepest = depth_of(at);
    if (here > 1)
      each_here(from, end, at, [&](const Member& m, std::uint64_t i) {
        const double d = depth_of(m);
        if (!(d > deepest) && !(d == deepest && i < candidate.member)) return;
        deepest = d;
        candidate.member = std::uint32_t(i);
      });
    depth[c] = deepest;
  }

 private:
  template <class F>
  __device__ void each_here(std::uint64_t from, std::uint64_t end, const Member& at,
                            const F& use) const {
    for (std::uint64_t i = from; i < end; ++i) {
      const Member& m = members[i];
      if (m.x == at.x && m.y == at.y && m.z == at.z) use(m, i);
    }
  }
};

}  // namespace haloscope::compute::halos
