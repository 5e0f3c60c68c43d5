#pragma once

#include "compute/exec/buffer.h"
#include "compute/hierarchy/dendrogram.h"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>
#include <vector>

// The nearest larger number before or after a place of a list, for either executor.
namespace haloscope::compute::clusters {

// The largest of sixteen numbers each, of sixteen of these, and so on, up to one of all.
struct RankMaxima {
  static constexpr std::uint32_t kFan = 16, kBits = 4;
  static constexpr int kMostLevels = 9;     // for 2³² numbers
  const std::uint32_t* level[kMostLevels];  // 0: the numbers
  std::uint32_t size[kMostLevels];
  int levels;

  // The first place from `at` on with a number above `limit`; kNone: there is none.
  HALOSCOPE_HD std::uint32_t next_above(std::uint32_t at, std::uint32_t limit) const {
    int up = 0;
    for (;;) {
      // To the end of its group of sixteen, or of the list.
      for (;; ++at) {
        if (at >= size[up]) return hierarchy::kNone;
        if (level[up][at] > limit) return first_below(up, at, limit);
        if (at % kFan == kFan - 1) break;
      }
      if (up + 1 == levels) return hierarchy::kNone;
      at = (at >> kBits) + 1;
      ++up;
    }
  }

  // The last place before `end` with a number above `limit`; kNone: there is none.
  HALOSCOPE_HD std::uint32_t last_above(std::uint32_t end, std::uint32_t limit) const {
    int up = 0;
    while (end > 0) {
      do {
        --end;
        if (level[up][end] > limit) return last_below(up, end, limit);
      } while (end % kFan != 0);
      if (up + 1 == levels) break;
      end >>= kBits;
      ++up;
    }
    return hierarchy::kNone;
  }

 private:
  HALOSCOPE_HD std::uint32_t first_below(int up, std::uint32_t at, std::uint32_t limit) const {
    for (; up > 0; --up)
      for (at <<= kBits; level[up - 1][at] <= limit;) ++at;
    return at;
  }
  HALOSCOPE_HD std::uint32_t last_below(int up, std::uint32_t at, std::uint32_t limit) const {
    for (; up > 0; --up) {
      const std::uint32_t end = (at + 1) << kBits;
      at = (end < size[up - 1] ? end : size[up - 1]) - 1;
      while (level[up - 1][at] <= limit) --at;
    }
    return at;
  }
};

struct LargestOfGroup {
  const std::uint32_t* below;
  std::uint32_t size;
  std::uint32_t* above;
  HALOSCOPE_HD void operator()(std::size_t group) const {
    std::uint32_t most = 0;
    const std::size_t end = (group + 1) * RankMaxima::kFan;
    for (std::size_t k = group * RankMaxima::kFan; k < end && k < size; ++k)
      most = below[k] > most ? below[k] : most;
    above[group] = most;
  }
};

template <class Exec>
class RankMaximaOn {
 public:
  // `numbers` outlive it.
  RankMaximaOn(Exec& exec, const Buffer<std::uint32_t, Exec>& numbers) {
    view_.level[0] = numbers.data();
    view_.size[0] = std::uint32_t(numbers.size());
    view_.levels = 1;
    while (view_.size[view_.levels - 1] > 1) {
      const int below = view_.levels - 1;
      const std::uint32_t size = (view_.size[below] - 1) / RankMaxima::kFan + 1;
      above_.emplace_back(exec, size, "condensed tree");
      parallel_for(exec, "condensed tree", size,
                   LargestOfGroup{view_.level[below], view_.size[below], above_.back().data()});
      view_.level[below + 1] = above_.back().data();
      view_.size[below + 1] = size;
      ++view_.levels;
    }
  }
  const RankMaxima& view() const { return view_; }

 private:
  std::vector<Buffer<std::uint32_t, Exec>> above_;
  RankMaxima view_{};
};

}  // namespace haloscope::compute::clusters
