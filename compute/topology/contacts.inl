#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/spanning_forest.inl"
#include "compute/topology/basins.inl"
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

// The spanning forest of basins, for either executor. A contact is a cell v that has a neighbor
// which is swept before it and lies in another basin; it joins v's basin with that one at the
// moment of v. Joined at these moments basins have the components that the cells have. Contacts
// are ordered by moment, and those of one cell by the numbers of their basins, so that the forest
// is unique. Only cells whose upper link is in pieces have contacts that a forest can need, and of
// each piece only the first (upper_links.inl).
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
    const std::uint32_t own = basin[v], upper = link(cell);
    const bool is_inner = grid.is_inner(cell);
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

// Contacts as edges of a graph of basins; without ends: none.
struct ContactsView {
  std::uint64_t *moment, *ends;
};

// The first contact of each saddle has the saddle's own place; what more it has comes behind all of
// these. Seldom there is more.
template <int C>
struct FindFirstContacts {
  LinkView<C> links;
  const std::uint32_t* saddle;
  ContactsView contacts;
  std::uint32_t* more;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t v = saddle[i];
    std::uint32_t found = 0;
    std::uint64_t ends = hierarchy::kNoEdge;
    links.for_contacts(v, [&](std::uint32_t other) {
      if (found++ == 0) ends = hierarchy::ends_key(links.basin[v], other);
    });
    contacts.moment[i] = links.sweep.moment(v);
    contacts.ends[i] = ends;
    more[i] = found > 1 ? found - 1 : 0;
  }
};

template <int C>
struct FindMoreContacts {
  LinkView<C> links;
  const std::uint32_t *saddle, *end;  // where each saddle's contacts end
  std::uint32_t saddles;
  ContactsView contacts;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t begin = i == 0 ? 0 : end[i - 1];
    if (begin == end[i]) return;
    const std::uint32_t v = saddle[i];
    std::uint32_t found = 0;
    links.for_contacts(v, [&](std::uint32_t other) {
      if (found++ == 0) return;
      const std::uint32_t e = saddles + begin + found - 2;
      contacts.moment[e] = links.sweep.moment(v);
      contacts.ends[e] = hierarchy::ends_key(links.basin[v], other);
    });
  }
};

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

// The edges of the forest in the order in which they join basins.
template <class Exec>
struct SaddlesOn {
  std::uint32_t count = 0;
  Buffer<std::uint64_t, Exec> moment;
  Buffer<std::uint32_t, Exec> a, b;  // basins, the smaller first
};

template <int C, class Exec>
class ContactForest {
 public:
  ContactForest(Exec& exec, const GridView& grid, const SweepView& sweep,
                const BasinsOn<Exec>& basins)
      : exec_(exec),
        links_{grid, sweep, basins.of_cell.data()},
        saddle_(basins.saddle.data()),
        saddles_(std::uint32_t(basins.saddle.size())),
        grower_(exec, basins.count) {}

  SaddlesOn<Exec> make() {
    collect();
    join_basins();
    return sorted();
  }

 private:
  void collect() {
    if (saddles_ == 0) return;
    Buffer<std::uint32_t, Exec> more(exec_, saddles_, "contacts");
    resize(saddles_);
    parallel_for(exec_, "contacts", saddles_,
                 FindFirstContacts<C>{links_, saddle_, contacts(), more.data()});
    // The contacts of fewer saddles are never too many.
    if (saddles_ > kNone / kMostContacts) require_countable(more);
    thrust::inclusive_scan(exec_.policy(), more.begin(), more.end(), more.begin());
    std::uint32_t all_more = 0;
    exec_.download(&all_more, more.data() + saddles_ - 1, sizeof(all_more));
    if (all_more == 0) return;
    const auto moment = std::move(moment_), ends = std::move(ends_);
    resize(saddles_ + all_more);
    thrust::copy_n(exec_.policy(), moment.data(), saddles_, moment_.data());
    thrust::copy_n(exec_.policy(), ends.data(), saddles_, ends_.data());
    parallel_for(exec_, "contacts", saddles_,
                 FindMoreContacts<C>{links_, saddle_, more.data(), saddles_, contacts()});
  }

  static constexpr std::uint32_t kMostContacts = 26;  // of one cell: its neighbors

  void require_countable(Buffer<std::uint32_t, Exec>& more) {
    const std::uint64_t all =
        saddles_ + thrust::reduce(exec_.policy(), more.begin(), more.end(), std::uint64_t(0));
    if (all >= kNone)
      throw Error(std::to_string(all) + " contacts of basins are more than 32 bits count",
                  "merge tree", "smooth the grid or give a threshold");
  }

  void resize(std::uint32_t count) {
    moment_ = Buffer<std::uint64_t, Exec>(exec_, count, "contacts");
    ends_ = Buffer<std::uint64_t, Exec>(exec_, count, "contacts");
    contacts_ = count;
  }

  // Borůvka's rounds.
  void join_basins() {
    Buffer<std::uint32_t, Exec> left(exec_, contacts_, "contacts"),
        next(exec_, contacts_, "contacts");
    const thrust::counting_iterator<std::uint32_t> first(0);
    auto count = std::uint32_t(
        thrust::copy_if(exec_.policy(), first, first + contacts_, left.data(), still_apart()) -
        left.data());
    while (count > 0) {
      grower_.take_nothing();
      parallel_for(exec_, "contacts", count,
                   TakeMoments{contacts(), left.data(), grower_.color(), grower_.taken()});
      parallel_for(exec_, "contacts", count,
                   TakeContactEnds{contacts(), left.data(), grower_.color(), grower_.taken()});
      count = grower_.join_and_select(left.data(), count, next.data(), still_apart());
      std::swap(left, next);
    }
  }

  JoinsComponents still_apart() const { return {ends_.data(), grower_.color()}; }

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

  ContactsView contacts() { return {moment_.data(), ends_.data()}; }

  Exec& exec_;
  LinkView<C> links_;
  const std::uint32_t* saddle_;
  std::uint32_t saddles_, contacts_ = 0;
  hierarchy::ForestGrower<Exec, std::uint64_t> grower_;
  Buffer<std::uint64_t, Exec> moment_, ends_;
};

}  // namespace haloscope::compute::topology
