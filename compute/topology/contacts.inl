#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/elder_rule.inl"
#include "compute/hierarchy/spanning_forest.inl"
#include "compute/topology/cell_lists.inl"
#include "compute/topology/cell_set.inl"
#include "compute/topology/cells.inl"
#include "compute/topology/upper_links.inl"
#include "core/error.h"

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Contacts of basins and their spanning forest, for either executor. A contact is a cell v that has
// a neighbor which is swept before it and lies in another basin; it joins v's basin with that one
// at the moment of v. Joined at these moments basins have the components that the cells have.
// Contacts are ordered by moment, and those of one cell by the numbers of their basins, so that the
// forest is unique. Only cells whose upper link is in pieces have contacts that a forest can need,
// and of each piece only the first (upper_links.inl). These cells, the saddles, are numbered by
// their indices: a contact's moment is the key of its saddle, and then its number.
namespace haloscope::compute::topology {

// The upper link of v, and the basins of its neighbors there.
template <int C>
struct LinkView {
  GridView grid;
  SweepView sweep;
  const std::uint32_t* basin;

  HALOSCOPE_HD std::uint32_t link(const Cell& cell) const {
    std::uint32_t bits = 0;
    for_neighbors<kLinkOf<C>>(grid, cell, [&](std::uint32_t u, int number) {
      bits |= std::uint32_t(sweep.before(u, cell.index)) << number;
    });
    return bits;
  }
  HALOSCOPE_HD std::uint32_t basin_of(const Cell& cell, bool is_inner, int number) const {
    if (is_inner) return basin[inner_neighbor(grid, cell.index, number)];
    std::uint32_t at[3] = {cell.at[0], cell.at[1], cell.at[2]};
    for (int axis = 0; axis < 3; ++axis) grid.step(axis, offset_of(number, axis), at[axis]);
    return basin[(at[0] * grid.cells[1] + at[1]) * grid.cells[2] + at[2]];
  }
  // Calls f(basin) for each piece without a cell of v's own basin: the one of the smallest number.
  template <class F>
  HALOSCOPE_HD void for_contacts(std::uint32_t v, const F& f) const {
    const Cell cell = grid.cell(v);
    for_contacts(cell, grid.is_inner(cell), link(cell), f);
  }
  template <class F>
  HALOSCOPE_HD void for_contacts(const Cell& cell, bool is_inner, std::uint32_t upper,
                                 const F& f) const {
    const std::uint32_t own = basin[cell.index];
    for (std::uint32_t left = upper & neighbor_bits<C>(); left != 0;) {
      const std::uint32_t piece = piece_of_lowest<C>(left, upper);
      std::uint32_t other = kNone;
      bool is_own = false;
      for (std::uint32_t some = left & piece; some != 0 && !is_own; some &= some - 1) {
        const std::uint32_t b = basin_of(cell, is_inner, lowest_bit(some));
        is_own = b == own;
        other = b < other ? b : other;
      }
      if (!is_own) f(other);
      left &= ~piece;
    }
  }
};

inline constexpr std::uint32_t kMostContacts = 26;  // of one cell: its neighbors

// Contacts as edges of a graph of basins; without ends: none.
struct ContactsView {
  std::uint64_t *moment, *ends;
};

// The saddles of a block, and the number of the first of them.
struct SaddlesView {
  const std::uint32_t* cell;
  std::uint32_t first;
};

HALOSCOPE_HD inline std::uint64_t moment_of_saddle(std::uint32_t key, std::uint32_t saddle) {
  return std::uint64_t(key) << 32 | saddle;
}
HALOSCOPE_HD inline std::uint32_t key_of_moment(std::uint64_t moment) {
  return std::uint32_t(moment >> 32);
}
HALOSCOPE_HD inline std::uint32_t saddle_of_moment(std::uint64_t moment) {
  return std::uint32_t(moment);
}

// The first contact of each saddle has the saddle's own place; what more it has comes behind all of
// these. Seldom there is more.
template <int C>
struct FindFirstContacts {
  LinkView<C> links;
  SaddlesView saddles;
  ContactsView contacts;
  std::uint32_t* more;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t v = saddles.cell[i];
    std::uint32_t found = 0;
    std::uint64_t ends = hierarchy::kNoEdge;
    links.for_contacts(v, [&](std::uint32_t other) {
      if (found++ == 0) ends = hierarchy::ends_key(links.basin[v], other);
    });
    contacts.moment[i] = moment_of_saddle(links.sweep.key[v], saddles.first + std::uint32_t(i));
    contacts.ends[i] = ends;
    more[i] = found > 1 ? found - 1 : 0;
  }
};

template <int C>
struct FindMoreContacts {
  LinkView<C> links;
  SaddlesView saddles;
  const std::uint32_t* end;  // where each saddle's contacts end
  ContactsView contacts;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t begin = i == 0 ? 0 : end[i - 1];
    if (begin == end[i]) return;
    const std::uint32_t v = saddles.cell[i];
    std::uint32_t found = 0;
    links.for_contacts(v, [&](std::uint32_t other) {
      if (found++ == 0) return;
      const std::uint32_t e = begin + found - 2;
      contacts.moment[e] = moment_of_saddle(links.sweep.key[v], saddles.first + std::uint32_t(i));
      contacts.ends[e] = hierarchy::ends_key(links.basin[v], other);
    });
  }
};

// Contacts in no order. Some have no ends.
template <class Exec>
struct ContactsOn {
  Buffer<std::uint64_t, Exec> moment, ends;

  std::size_t count() const { return moment.size(); }
  ContactsView view() { return {moment.data(), ends.data()}; }
};

// Those of blocks, one after another. The CPU has its own: contact_rows_cpu.h.
template <class Exec>
class ContactLists {
 public:
  explicit ContactLists(Exec& exec) : exec_(exec) {}

  // Throws Error where they are more than 32 bits count.
  template <int C>
  void add(const LinkView<C>& links, const SaddlesView& saddles, std::uint32_t count) {
    if (count == 0) return;
    Buffer<std::uint32_t, Exec> more(exec_, count, "contacts");
    parallel_for(exec_, "contacts", count,
                 FindFirstContacts<C>{links, saddles, append(count), more.data()});
    // A cell has at most 26 contacts: those of fewer saddles do not exceed 32 bits.
    if (count > kNone / kMostContacts)
      require_countable(thrust::reduce(exec_.policy(), more.begin(), more.end(), std::uint64_t(0)));
    thrust::inclusive_scan(exec_.policy(), more.begin(), more.end(), more.begin());
    std::uint32_t all_more = 0;
    exec_.download(&all_more, more.data() + count - 1, sizeof(all_more));
    if (all_more == 0) return;
    parallel_for(exec_, "contacts", count,
                 FindMoreContacts<C>{links, saddles, more.data(), append(all_more)});
  }

  // Those that were found before, in any order.
  void add(Buffer<std::uint64_t, Exec> moment, Buffer<std::uint64_t, Exec> ends) {
    require_countable(moment.size());
    count_ += moment.size();
    moments_.push_back(std::move(moment));
    ends_.push_back(std::move(ends));
  }

  ContactsOn<Exec> make() {
    return {joined(exec_, std::move(moments_), "contacts"),
            joined(exec_, std::move(ends_), "contacts")};
  }

 private:
  ContactsView append(std::uint32_t count) {
    require_countable(count);
    count_ += count;
    moments_.emplace_back(exec_, count, "contacts");
    ends_.emplace_back(exec_, count, "contacts");
    return {moments_.back().data(), ends_.back().data()};
  }

  void require_countable(std::uint64_t more) const {
    if (count_ + more < kNone) return;
    throw Error(std::to_string(count_ + more) + " contacts of basins are more than 32 bits count",
                "merge tree", "smooth the grid or give a threshold");
  }

  Exec& exec_;
  std::uint64_t count_ = 0;
  std::vector<Buffer<std::uint64_t, Exec>> moments_, ends_;
};

// Puts contacts in the order in which add() takes those that were found before: here any will do.
template <class Exec>
void sort_known(Exec& /*exec*/, Buffer<std::uint64_t, Exec>& /*moment*/,
                Buffer<std::uint64_t, Exec>& /*ends*/) {}

struct TakeMoments {
  ContactsView contacts;
  const std::uint32_t *left, *color;
  hierarchy::TakenView<std::uint64_t> taken;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t e = left[i];
    const std::uint64_t ends = contacts.ends[e], moment = contacts.moment[e];
    atomic_minimum(taken.key + color[ends >> 32], moment);
    atomic_minimum(taken.key + color[std::uint32_t(ends)], moment);
  }
};

struct TakeContactEnds {
  ContactsView contacts;
  const std::uint32_t *left, *color;
  hierarchy::TakenView<std::uint64_t> taken;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t e = left[i];
    const std::uint64_t ends = contacts.ends[e], moment = contacts.moment[e];
    const std::uint32_t a = color[ends >> 32], b = color[std::uint32_t(ends)];
    if (moment == taken.key[a]) atomic_minimum(taken.ends + a, ends);
    if (moment == taken.key[b]) atomic_minimum(taken.ends + b, ends);
  }
};

struct JoinsComponents {
  const std::uint64_t* ends;
  const std::uint32_t* color;
  HALOSCOPE_HD bool operator()(std::uint32_t e) const {
    return ends[e] != hierarchy::kNoEdge && color[ends[e] >> 32] != color[std::uint32_t(ends[e])];
  }
};

struct WriteSaddle {
  const std::uint32_t* order;
  const std::uint64_t *moment, *ends;  // of each edge, as it was found
  std::uint64_t* moment_to;
  std::uint32_t *a, *b;
  HALOSCOPE_HD void operator()(std::size_t rank) const {
    const std::uint32_t e = order[rank];
    moment_to[rank] = moment[e];
    a[rank] = std::uint32_t(ends[e] >> 32);
    b[rank] = std::uint32_t(ends[e]);
  }
};

template <class Exec>
ContactLists<Exec> begin_contacts(Exec& exec, const hierarchy::AgesView& /*ages*/) {
  return ContactLists<Exec>(exec);
}

// The edges of the forest in the order in which they join basins.
template <class Exec>
struct SaddlesOn {
  std::uint32_t count = 0;
  Buffer<std::uint64_t, Exec> moment;
  Buffer<std::uint32_t, Exec> a, b;  // basins, the smaller first
};

template <class Exec>
class ContactForest {
 public:
  ContactForest(Exec& exec, ContactsOn<Exec> contacts, std::uint32_t basins)
      : exec_(exec), contacts_(std::move(contacts)), grower_(exec, basins) {}

  SaddlesOn<Exec> make() {
    join_basins();
    contacts_ = {};
    return sorted();
  }

 private:
  // Borůvka's rounds.
  void join_basins() {
    const auto contacts = std::uint32_t(contacts_.count());
    Buffer<std::uint32_t, Exec> left(exec_, contacts, "contacts"),
        next(exec_, contacts, "contacts");
    const thrust::counting_iterator<std::uint32_t> first(0);
    auto count = std::uint32_t(
        thrust::copy_if(exec_.policy(), first, first + contacts, left.data(), still_apart()) -
        left.data());
    while (count > 0) {
      grower_.take_nothing();
      parallel_for(exec_, "contacts", count,
                   TakeMoments{contacts_.view(), left.data(), grower_.color(), grower_.taken()});
      parallel_for(
          exec_, "contacts", count,
          TakeContactEnds{contacts_.view(), left.data(), grower_.color(), grower_.taken()});
      count = grower_.join_and_select(left.data(), count, next.data(), still_apart());
      std::swap(left, next);
    }
  }

  JoinsComponents still_apart() const { return {contacts_.ends.data(), grower_.color()}; }

  SaddlesOn<Exec> sorted() {
    SaddlesOn<Exec> saddles;
    const std::uint32_t edges = grower_.edges();
    saddles.count = edges;
    saddles.moment = Buffer<std::uint64_t, Exec>(exec_, edges, "saddles");
    saddles.a = Buffer<std::uint32_t, Exec>(exec_, edges, "saddles");
    saddles.b = Buffer<std::uint32_t, Exec>(exec_, edges, "saddles");
    const Buffer<std::uint32_t, Exec> order = grower_.order();
    parallel_for(exec_, "saddles", edges,
                 WriteSaddle{order.data(), grower_.keys(), grower_.ends(), saddles.moment.data(),
                             saddles.a.data(), saddles.b.data()});
    return saddles;
  }

  Exec& exec_;
  ContactsOn<Exec> contacts_;
  hierarchy::ForestGrower<Exec, std::uint64_t> grower_;
};

}  // namespace haloscope::compute::topology
