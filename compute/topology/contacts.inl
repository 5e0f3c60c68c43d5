#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/spanning_forest.inl"
#include "compute/topology/basins.inl"
#include "compute/topology/cells.inl"
#include "compute/topology/pair_table.inl"

#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>

#include <cstdint>
#include <utility>

// The spanning forest of basins, for either executor. A contact is a cell v that has a neighbor
// which is swept before it and lies in another basin; it joins v's basin with that one at the
// moment of v. Joined at these moments basins have the components that the cells have. Contacts
// are ordered by moment, and those of one cell by the numbers of their basins, so that the forest
// is unique.
namespace haloscope::compute::topology {

HALOSCOPE_HD inline int lowest_bit(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __ffs(int(bits)) - 1;
#else
  return __builtin_ctz(bits);
#endif
}

// Which neighbors of an inner cell are contacts, as bits. Without branches that nobody can predict:
// most cells have neighbors in other basins, few of them before the cell.
template <int C>
HALOSCOPE_HD std::uint32_t contact_bits(const GridView& grid, const SweepView& sweep,
                                        const std::uint32_t* basin, std::uint32_t v) {
  const std::uint32_t own = basin[v];
  std::uint32_t bits = 0;
  for_inner_neighbors<C>(
      grid, v,
      [&](std::uint32_t u, int number) { bits |= std::uint32_t(basin[u] != own) << number; },
      NeighborNumbers());
  if (bits == 0) return 0;
  const std::uint32_t key = sweep.key[v];
  for_inner_neighbors<C>(
      grid, v,
      [&](std::uint32_t u, int number) {
        const bool is_before =
            bool(int(sweep.key[u] < key) | (int(sweep.key[u] == key) & int(u < v)));
        bits &= ~(std::uint32_t(!is_before) << number);
      },
      NeighborNumbers());
  return bits;
}

// Calls f(basin) for the basins that v joins its own with; some are called several times. What is
// not looked at is before no cell that is.
template <int C, class F>
HALOSCOPE_HD void for_contacts(const GridView& grid, const SweepView& sweep,
                               const std::uint32_t* basin, const Cell& cell, const F& f) {
  const std::uint32_t v = cell.index;
  if (grid.is_inner(cell)) {
    for (std::uint32_t bits = contact_bits<C>(grid, sweep, basin, v); bits != 0; bits &= bits - 1)
      f(basin[inner_neighbor(grid, v, lowest_bit(bits))]);
    return;
  }
  for_outer_neighbors<C>(grid, cell, [&](std::uint32_t u) {
    if (basin[u] != basin[v] && sweep.before(u, v)) f(basin[u]);
  });
}

// Borůvka's first round: the first contact of each basin, with no list of contacts.
template <int C>
struct OfferContacts {
  GridView grid;
  SweepView sweep;
  const std::uint32_t* basin;
  std::uint64_t* first;  // moment, of each basin
  HALOSCOPE_HD void operator()(const Cell& cell) const {
    const std::uint32_t own = basin[cell.index];
    if (own == kNone) return;
    const std::uint64_t moment = sweep.moment(cell.index);
    bool any = false;
    for_contacts<C>(grid, sweep, basin, cell, [&](std::uint32_t other) {
      atomic_minimum(first + other, moment);
      any = true;
    });
    if (any) atomic_minimum(first + own, moment);
  }
};

// Which basins the first contact joins: v's own and, of those that meet there, this one, or for
// this one's own v the one of the smallest number.
template <int C>
struct FindFirstEnds {
  GridView grid;
  SweepView sweep;
  const std::uint32_t* basin;
  hierarchy::TakenView<std::uint64_t> taken;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto b = std::uint32_t(i);
    if (taken.key[b] == hierarchy::kNoKey<std::uint64_t>) return;
    const std::uint32_t v = cell_of_moment(taken.key[b]), own = basin[v];
    std::uint32_t other = b;
    if (own == b) {
      other = kNone;
      for_contacts<C>(grid, sweep, basin, grid.cell(v),
                      [&](std::uint32_t c) { other = c < other ? c : other; });
    }
    taken.ends[b] = hierarchy::ends_key(own, other);
  }
};

// Components of the first round, numbered without gaps.
struct MarkRootBasins {
  const std::uint32_t* color;
  std::uint32_t* is_root;
  HALOSCOPE_HD void operator()(std::size_t b) const { is_root[b] = color[b] == b; }
};

struct NumberComponents {
  const std::uint32_t *color, *number;  // of roots
  std::uint32_t* component;
  HALOSCOPE_HD void operator()(std::size_t b) const { component[b] = number[color[b]]; }
};

// The first contact of each two components that touch.
template <int C>
struct CollectContacts {
  GridView grid;
  SweepView sweep;
  const std::uint32_t *basin, *component;
  PairTableView table;
  std::uint32_t* is_full;
  HALOSCOPE_HD void operator()(const Cell& cell) const {
    const std::uint32_t b = basin[cell.index];
    if (b == kNone) return;
    const std::uint32_t own = component[b];
    std::uint32_t last = own;
    for_contacts<C>(grid, sweep, basin, cell, [&](std::uint32_t c) {
      const std::uint32_t other = component[c];
      if (other == own || other == last) return;
      last = other;
      const std::uint64_t slot = table.find_or_add(own, other);
      if (slot == kNoSlot)
        atomic_store(is_full, 1);
      else
        atomic_minimum(table.moment + slot, sweep.moment(cell.index));
    });
  }
};

// Contacts as edges of a graph of basins.
struct ContactsView {
  std::uint64_t *moment, *ends;
};

template <int C>
struct ListContacts {
  GridView grid;
  SweepView sweep;
  const std::uint32_t *basin, *component;
  PairTableView table;
  const std::uint64_t* slot;
  ContactsView contacts;
  HALOSCOPE_HD void operator()(std::size_t e) const {
    const std::uint64_t pair = table.pair[slot[e]], moment = table.moment[slot[e]];
    const std::uint32_t v = cell_of_moment(moment), own = basin[v];
    const auto low = std::uint32_t(pair >> 32), high = std::uint32_t(pair);
    const std::uint32_t beyond = component[own] == low ? high : low;
    std::uint32_t other = kNone;
    for_contacts<C>(grid, sweep, basin, grid.cell(v), [&](std::uint32_t c) {
      if (component[c] == beyond && c < other) other = c;
    });
    contacts.moment[e] = moment;
    contacts.ends[e] = hierarchy::ends_key(own, other);
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
    return color[ends[e] >> 32] != color[std::uint32_t(ends[e])];
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
        grid_(grid),
        sweep_(sweep),
        basin_(basins.of_cell.data()),
        count_(basins.count),
        grower_(exec, basins.count) {}

  SaddlesOn<Exec> make() {
    if (count_ > 1 && join_basins()) {
      find_components();
      if (components_ > 1) {
        while (!collect()) width_ *= 2;
        join_components();
      }
    }
    return sorted();
  }

 private:
  bool join_basins() {
    grower_.take_nothing();
    for_cells(exec_, "contacts", grid_,
              OfferContacts<C>{grid_, sweep_, basin_, grower_.taken().key});
    parallel_for(exec_, "contacts", count_,
                 FindFirstEnds<C>{grid_, sweep_, basin_, grower_.taken()});
    return grower_.join();
  }

  void find_components() {
    component_ = Buffer<std::uint32_t, Exec>(exec_, count_, "components");
    Buffer<std::uint32_t, Exec> number(exec_, count_, "components");
    parallel_for(exec_, "components", count_, MarkRootBasins{grower_.color(), number.data()});
    thrust::exclusive_scan(exec_.policy(), number.begin(), number.end(), number.begin());
    parallel_for(exec_, "components", count_,
                 NumberComponents{grower_.color(), number.data(), component_.data()});
    components_ = count_ - grower_.edges();
  }

  // False: the table was too small.
  bool collect() {
    PairTable<Exec> table(exec_, components_, width_);
    Buffer<std::uint32_t, Exec> is_full(exec_, 1, "contacts");
    exec_.zero(is_full.data(), sizeof(std::uint32_t));
    for_cells(
        exec_, "contacts", grid_,
        CollectContacts<C>{grid_, sweep_, basin_, component_.data(), table.view(), is_full.data()});
    if (hierarchy::is_set(exec_, is_full.data())) return false;
    const Buffer<std::uint64_t, Exec> slot = table.used();
    contacts_ = std::uint32_t(slot.size());
    moment_ = Buffer<std::uint64_t, Exec>(exec_, contacts_, "contacts");
    ends_ = Buffer<std::uint64_t, Exec>(exec_, contacts_, "contacts");
    parallel_for(exec_, "contacts", contacts_,
                 ListContacts<C>{grid_, sweep_, basin_, component_.data(), table.view(),
                                 slot.data(), contacts()});
    return true;
  }

  void join_components() {
    if (contacts_ == 0) return;
    Buffer<std::uint32_t, Exec> left(exec_, contacts_, "contacts"),
        next(exec_, contacts_, "contacts");
    thrust::sequence(exec_.policy(), left.begin(), left.end());
    std::uint32_t count = contacts_;
    while (count > 0) {
      grower_.take_nothing();
      parallel_for(exec_, "contacts", count,
                   TakeMoments{contacts(), left.data(), grower_.color(), grower_.taken()});
      parallel_for(exec_, "contacts", count,
                   TakeContactEnds{contacts(), left.data(), grower_.color(), grower_.taken()});
      grower_.join();
      const auto* const end =
          thrust::copy_if(exec_.policy(), left.data(), left.data() + count, next.data(),
                          JoinsComponents{ends_.data(), grower_.color()});
      count = std::uint32_t(end - next.data());
      std::swap(left, next);
    }
  }

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
  GridView grid_;
  SweepView sweep_;
  const std::uint32_t* basin_;
  std::uint32_t count_, components_ = 0, contacts_ = 0;
  std::uint32_t width_ = 8;  // slots of the table for each component
  hierarchy::ForestGrower<Exec, std::uint64_t> grower_;
  Buffer<std::uint32_t, Exec> component_;
  Buffer<std::uint64_t, Exec> moment_, ends_;
};

}  // namespace haloscope::compute::topology
