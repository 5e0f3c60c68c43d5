#include "compute/topology/merge_contacts_cpu.h"

#include "compute/exec/sort.h"

#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace haloscope::compute::topology {

namespace {

// Basins are called by their ages here, so that the older one is the smaller number, and contacts
// by their ranks. A word has the rank of the contact that ends a branch in its upper half, or
// kNone, and in its lower half an older basin that was joined there.
constexpr std::uint64_t word_of(std::uint32_t rank, std::uint32_t older) {
  return std::uint64_t(rank) << 32 | older;
}
constexpr std::uint32_t rank_of(std::uint64_t word) { return std::uint32_t(word >> 32); }
constexpr std::uint32_t older_of(std::uint64_t word) { return std::uint32_t(word); }

// On which side of a contact the branch is that it ends.
enum Side : std::uint8_t { kFirst, kSecond, kUnknown };

std::uint64_t load(const std::uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

struct Contact {
  std::uint32_t first, second;  // basins
};

class ContactMerger {
 public:
  ContactMerger(Cpu& exec, ContactsOn<Cpu> contacts, const hierarchy::AgesView& ages,
                std::uint32_t basins)
      : exec_(exec), ages_(ages), basins_(basins), found_(std::move(contacts)) {}

  BasinBranches<Cpu> make() {
    sort();
    merge();
    return write();
  }

 private:
  void sort() {
    const auto all = std::uint32_t(found_.count());
    order_ = Buffer<std::uint32_t, Cpu>(exec_, all, "contacts");
    const std::uint64_t* const ends = found_.ends.data();
    const thrust::counting_iterator<std::uint32_t> first(0);
    count_ = std::uint32_t(
        thrust::copy_if(exec_.policy(), first, first + all, order_.data(),
                        [ends](std::uint32_t e) { return ends[e] != hierarchy::kNoEdge; }) -
        order_.data());
    Buffer<std::uint32_t, Cpu> order(exec_, count_, "contacts");
    moment_ = Buffer<std::uint64_t, Cpu>(exec_, count_, "contacts");
    parallel_for(exec_, "contacts", count_, [&](std::size_t k) {
      order.data()[k] = order_.data()[k];
      moment_.data()[k] = found_.moment.data()[order_.data()[k]];
    });
    found_.moment = {};
    sort_pairs(exec_, moment_, order, 64);
    order_ = std::move(order);
    contact_ = Buffer<Contact, Cpu>(exec_, count_, "contacts");
    parallel_for(exec_, "contacts", count_, [&](std::size_t rank) { place_run(rank); });
    found_.ends = {};
    order_ = {};
  }

  // Of the contacts of one cell, which lie side by side, those that begin with this rank: by ends.
  void place_run(std::size_t rank) {
    const std::uint64_t* const moment = moment_.data();
    if (rank > 0 && moment[rank - 1] == moment[rank]) return;
    std::uint32_t* const order = order_.data();
    std::size_t end = rank + 1;
    while (end < count_ && moment[end] == moment[rank]) ++end;
    const std::uint64_t* const ends = found_.ends.data();
    std::sort(order + rank, order + end,
              [ends](std::uint32_t a, std::uint32_t b) { return ends[a] < ends[b]; });
    for (std::size_t r = rank; r < end; ++r)
      contact_.data()[r] = {std::uint32_t(ends[order[r]] >> 32), std::uint32_t(ends[order[r]])};
  }

  void merge() {
    word_ = Buffer<std::uint64_t, Cpu>(exec_, basins_, "branches");
    settled_ = Buffer<std::uint32_t, Cpu>(exec_, basins_, "branches");
    side_ = Buffer<std::uint8_t, Cpu>(exec_, count_, "contacts");
    parallel_for(exec_, "branches", basins_, [&](std::size_t b) {
      word_.data()[b] = word_of(kNone, std::uint32_t(b));
      settled_.data()[b] = std::uint32_t(b);
    });
    // What the contacts before a stretch say does not change any more.
    constexpr std::uint32_t kStretch = 1u << 17;
    for (std::uint32_t begin = 0; begin < count_;) {
      const std::uint32_t end = begin + std::min(kStretch, count_ - begin);
      parallel_for(exec_, "merge", end - begin, [&](std::size_t i) {
        merge_contact(begin + std::uint32_t(i), begin);
      });
      begin = end;
    }
  }

  // The oldest basin that `b` is known to be joined with before the contact of a rank, and its word
  // as it was seen. Contacts before `begin` are settled.
  std::uint32_t representative(std::uint32_t b, std::uint32_t rank, std::uint32_t begin,
                               std::uint64_t& seen) {
    std::uint32_t* const settled = settled_.data();
    const std::uint32_t from = b;
    const std::uint32_t known = atomic_load(settled + from);
    b = known;
    std::uint32_t last_settled = known;
    for (;;) {
      seen = load(word_.data()[b]);
      if (rank_of(seen) >= rank) break;
      if (rank_of(seen) < begin && last_settled == b) last_settled = older_of(seen);
      b = older_of(seen);
    }
    if (last_settled != known) atomic_store(settled + from, last_settled);
    return b;
  }

  void merge_contact(std::uint32_t rank, std::uint32_t begin) {
    const Contact contact = contact_.data()[rank];
    std::uint32_t u = ages_.age[contact.first], v = ages_.age[contact.second];
    // Whose side is whose is known as long as nothing has been said again.
    bool is_first = true;
    for (;;) {
      std::uint64_t word_of_u = 0, seen = 0;
      u = representative(u, rank, begin, word_of_u);
      v = representative(v, rank, begin, seen);
      if (u == v) return;
      Side side = kSecond;
      if (v < u) {
        std::swap(u, v);
        seen = word_of_u;
        side = kFirst;
      }
      // Seen by who changes this word.
      __atomic_store_n(side_.data() + rank, is_first ? side : kUnknown, __ATOMIC_RELAXED);
      if (!__atomic_compare_exchange_n(word_.data() + v, &seen, word_of(rank, u), false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        if (side == kFirst) std::swap(u, v);  // the sides as they were
        continue;
      }
      if (rank_of(seen) == kNone) return;
      // What the word said before is said again of its representative, at a later contact.
      rank = rank_of(seen);
      v = older_of(seen);
      is_first = false;
    }
  }

  BasinBranches<Cpu> write() {
    const std::uint32_t edges = number_edges();
    BasinBranches<Cpu> made;
    made.saddles.count = edges;
    made.saddles.moment = Buffer<std::uint64_t, Cpu>(exec_, edges, "saddles");
    made.saddles.a = Buffer<std::uint32_t, Cpu>(exec_, edges, "saddles");
    made.saddles.b = Buffer<std::uint32_t, Cpu>(exec_, edges, "saddles");
    hierarchy::EldersOn<Cpu>& elders = made.elders;
    for (auto* const column : {&elders.death, &elders.parent, &elders.across})
      *column = Buffer<std::uint32_t, Cpu>(exec_, basins_, "branches");
    parallel_for(exec_, "branches", basins_,
                 [&](std::size_t b) { write_branch(std::uint32_t(b), made); });
    return made;
  }

  // Ranks that end a branch get numbers without gaps. Returns how many there are.
  std::uint32_t number_edges() {
    edge_ = Buffer<std::uint32_t, Cpu>(exec_, count_, "saddles");
    thrust::fill(exec_.policy(), edge_.begin(), edge_.end(), 0u);
    parallel_for(exec_, "branches", basins_, [&](std::size_t b) {
      const std::uint32_t rank = rank_of(word_.data()[b]);
      if (rank != kNone) edge_.data()[rank] = 1;
    });
    if (count_ == 0) return 0;
    thrust::inclusive_scan(exec_.policy(), edge_.begin(), edge_.end(), edge_.begin());
    return edge_.data()[count_ - 1];
  }

  void write_branch(std::uint32_t b, BasinBranches<Cpu>& made) {
    hierarchy::EldersOn<Cpu>& elders = made.elders;
    const std::uint32_t basin = ages_.by_age[b];
    const std::uint64_t word = word_.data()[b];
    const std::uint32_t rank = rank_of(word);
    if (rank == kNone) {
      elders.death.data()[basin] = elders.parent.data()[basin] = elders.across.data()[basin] = kNone;
      return;
    }
    const std::uint32_t edge = edge_.data()[rank] - 1;
    const Contact contact = contact_.data()[rank];
    made.saddles.moment.data()[edge] = moment_.data()[rank];
    made.saddles.a.data()[edge] = contact.first;
    made.saddles.b.data()[edge] = contact.second;
    elders.death.data()[basin] = edge;
    elders.parent.data()[basin] = ages_.by_age[oldest(older_of(word), rank)];
    const bool is_first = side_.data()[rank] == kUnknown ? reaches(contact.first, b, rank)
                                                         : side_.data()[rank] == kFirst;
    elders.across.data()[basin] = is_first ? contact.second : contact.first;
  }

  // With all that has merged at the moment of a rank.
  std::uint32_t oldest(std::uint32_t b, std::uint32_t rank) const {
    const std::uint64_t moment = moment_.data()[rank];
    for (;;) {
      const std::uint64_t word = word_.data()[b];
      if (rank_of(word) == kNone || moment_.data()[rank_of(word)] > moment) return b;
      b = older_of(word);
    }
  }

  // Whether a basin is in the branch `b` before the contact of a rank.
  bool reaches(std::uint32_t basin, std::uint32_t b, std::uint32_t rank) const {
    std::uint32_t at = ages_.age[basin];
    while (at != b && rank_of(word_.data()[at]) < rank) at = older_of(word_.data()[at]);
    return at == b;
  }

  Cpu& exec_;
  hierarchy::AgesView ages_;
  std::uint32_t basins_, count_ = 0;
  ContactsOn<Cpu> found_;
  Buffer<std::uint32_t, Cpu> order_;
  Buffer<std::uint64_t, Cpu> moment_;  // of each rank
  Buffer<Contact, Cpu> contact_;       // of each rank
  Buffer<std::uint64_t, Cpu> word_;    // of each basin
  Buffer<std::uint32_t, Cpu> settled_;  // of each basin: where its way leads for certain
  Buffer<std::uint8_t, Cpu> side_;     // of each rank
  Buffer<std::uint32_t, Cpu> edge_;    // of each rank: the edges up to it
};

}  // namespace

BasinBranches<Cpu> join_basins(Cpu& exec, ContactsOn<Cpu> contacts,
                               const hierarchy::AgesView& ages, std::uint32_t basins) {
  return ContactMerger(exec, std::move(contacts), ages, basins).make();
}

}  // namespace haloscope::compute::topology
