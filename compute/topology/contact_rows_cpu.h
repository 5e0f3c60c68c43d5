#pragma once

#include "compute/exec/cpu.h"
#include "compute/exec/parallel_uneven_cpu.h"
#include "compute/topology/contacts.inl"
#include "compute/topology/step_rows_cpu.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Contacts of basins, for the CPU. In the plain version each saddle looks for its upper link by
// itself, twice where it has several contacts; here those of a row are looked for side by side, in
// vectors, and all contacts of a saddle are written at once.
namespace haloscope::compute::topology {

// A contact by the ages of its basins; that of the smaller number comes first.
struct SaddleContact {
  std::uint32_t key, saddle, first, second;

  std::uint64_t moment() const { return moment_of_saddle(key, saddle); }
};

// In the order of their saddles, those of one saddle in the order of their ends.
class ContactRows {
 public:
  ContactRows(Cpu& exec, const hierarchy::AgesView& ages) : exec_(exec), age_(ages.age) {}

  // Throws Error where they are more than 32 bits count.
  template <int C>
  void add(const LinkView<C>& links, const SaddlesView& saddles, std::uint32_t count) {
    const std::size_t first = parts_.size(), parts = (std::size_t(count) + kPart - 1) / kPart;
    parts_.resize(first + parts);
    parallel_uneven(exec_, "contacts", parts, [&](std::size_t p) {
      const auto begin = std::uint32_t(p * kPart);
      Rows<C>(links, saddles, age_, parts_[first + p])
          .find(begin, begin + std::min(kPart, count - begin));
    });
    for (std::size_t p = first; p < parts_.size(); ++p) count_ += parts_[p].size();
    require_countable();
  }

  // Those that were found before, in the order that sort_known() makes, saddle by saddle.
  void add(const Buffer<std::uint64_t, Cpu>& moment, const Buffer<std::uint64_t, Cpu>& ends) {
    std::vector<SaddleContact>& to = parts_.emplace_back(moment.size());
    parallel_for(exec_, "contacts", moment.size(), [&](std::size_t e) {
      const std::uint64_t when = moment.data()[e], which = ends.data()[e];
      to[e] = {key_of_moment(when), saddle_of_moment(when), age_[which >> 32],
               age_[std::uint32_t(which)]};
    });
    count_ += moment.size();
    require_countable();
  }

  Buffer<SaddleContact, Cpu> make() {
    Buffer<SaddleContact, Cpu> all(exec_, count_, "contacts");
    std::vector<std::size_t> begin{0};
    for (const auto& part : parts_) begin.push_back(begin.back() + part.size());
    parallel_uneven(exec_, "contacts", parts_.size(), [&](std::size_t p) {
      std::copy(parts_[p].begin(), parts_[p].end(), all.data() + begin[p]);
      std::vector<SaddleContact>().swap(parts_[p]);  // gives the memory back
    });
    parts_.clear();
    return all;
  }

 private:
  static constexpr std::uint32_t kPart = 1u << 12;  // saddles

  void require_countable() const {
    if (count_ < kNone) return;
    throw Error(std::to_string(count_) + " contacts of basins are more than 32 bits count",
                "merge tree", "smooth the grid or give a threshold");
  }

  template <int C>
  class Rows {
   public:
    Rows(const LinkView<C>& links, const SaddlesView& saddles, const std::uint32_t* age,
         std::vector<SaddleContact>& to)
        : links_(links), saddles_(saddles), age_(age), to_(to) {}

    void find(std::uint32_t begin, std::uint32_t end) {
      to_.reserve(end - begin);
      for (std::uint32_t i = begin; i < end; ++i) {
        const Cell cell = links_.grid.cell(saddles_.cell[i]);
        const bool is_inner = links_.grid.is_inner(cell);
        write(i, cell, is_inner, is_inner ? inner_link(cell, i, end) : links_.link(cell));
      }
    }

   private:
    static constexpr std::uint32_t kFew = 6;  // saddles for which a row is too much

    std::uint32_t inner_link(const Cell& cell, std::uint32_t i, std::uint32_t end) {
      if (cell.index >= row_begin_ && cell.index < row_end_) return link_[cell.index - row_begin_];
      const std::uint32_t length = links_.grid.cells[2], row = cell.index - cell.at[2];
      const std::uint32_t begin = std::max(1u, cell.at[2] / kRowStretch * kRowStretch);
      const std::uint32_t stop =
          std::min(cell.at[2] / kRowStretch * kRowStretch + kRowStretch, length - 1);
      const std::uint32_t last = i + kFew - 1;
      const bool is_flat = links_.grid.stride[0] == 0 || links_.grid.stride[1] == 0 || length < 3;
      if (is_flat || last >= end || saddles_.cell[last] >= row + stop) return links_.link(cell);
      row_begin_ = row + begin;
      row_end_ = row + stop;
      upper_links(C,
                  {links_.sweep.key + row_begin_,
                   row_begin_,
                   stop - begin,
                   {std::ptrdiff_t(links_.grid.stride[0]), std::ptrdiff_t(links_.grid.stride[1])}},
                  link_);
      return link_[cell.index - row_begin_];
    }

    void write(std::uint32_t i, const Cell& cell, bool is_inner, std::uint32_t link) {
      const std::uint32_t own = links_.basin[cell.index], key = links_.sweep.key[cell.index];
      std::uint64_t ends[27];
      int found = 0;
      links_.for_contacts(cell, is_inner, link, [&](std::uint32_t other) {
        ends[found++] = hierarchy::ends_key(own, other);
      });
      if (found > 1) std::sort(ends, ends + found);
      for (int k = 0; k < found; ++k)
        to_.push_back({key, saddles_.first + i, age_[ends[k] >> 32], age_[std::uint32_t(ends[k])]});
    }

    const LinkView<C>& links_;
    const SaddlesView& saddles_;
    const std::uint32_t* age_;
    std::vector<SaddleContact>& to_;
    std::uint32_t row_begin_ = 0, row_end_ = 0;
    std::uint32_t link_[kRowStretch];
  };

  Cpu& exec_;
  const std::uint32_t* age_;
  std::vector<std::vector<SaddleContact>> parts_;
  std::uint64_t count_ = 0;
};

// By saddle, and those of one by their ends.
inline void sort_known(Cpu& exec, Buffer<std::uint64_t, Cpu>& moment,
                       Buffer<std::uint64_t, Cpu>& ends) {
  struct Known {
    std::uint64_t moment, ends;
  };
  std::vector<Known> all(moment.size());
  parallel_for(exec, "contacts", all.size(), [&](std::size_t e) {
    all[e] = {moment.data()[e], ends.data()[e]};
  });
  tbb::parallel_sort(all.begin(), all.end(), [](const Known& one, const Known& other) {
    const std::uint32_t a = saddle_of_moment(one.moment), b = saddle_of_moment(other.moment);
    return a < b || (a == b && one.ends < other.ends);
  });
  parallel_for(exec, "contacts", all.size(), [&](std::size_t e) {
    moment.data()[e] = all[e].moment;
    ends.data()[e] = all[e].ends;
  });
}

inline ContactRows begin_contacts(Cpu& exec, const hierarchy::AgesView& ages) {
  return ContactRows(exec, ages);
}

}  // namespace haloscope::compute::topology
