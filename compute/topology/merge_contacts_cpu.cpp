#include "compute/topology/merge_contacts_cpu.h"

#include "compute/exec/atomics.h"
#include "compute/exec/sort.h"

#include <thrust/fill.h>
#include <thrust/scan.h>

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
constexpr std::uint32_t rank_of(std::uint64_t word) {
  return std::uint32_t(word >> 32);
}
constexpr std::uint32_t older_of(std::uint64_t word) {
  return std::uint32_t(word);
}

// A word, and where the basin's way leads for certain, in one line of the cache.
struct alignas(16) BasinWord {
  std::uint64_t word;
  std::uint32_t settled;
};

// On which side of a contact the branch is that it ends.
enum Side : std::uint8_t { kFirst, kSecond, kUnknown };

std::uint64_t load(const std::uint64_t& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

class ContactMerger {
 public:
  ContactMerger(Cpu& exec, Buffer<SaddleContact, Cpu> contacts, const hierarchy::AgesView& ages,
                std::uint32_t basins, std::uint32_t stretch)
      : exec_(exec),
        ages_(ages),
        basins_(basins),
        stretch_(stretch),
        count_(std::uint32_t(contacts.size())),
        contact_(std::move(contacts)) {}

  BasinBranches<Cpu> make() {
    sort();
    merge();
    return write();
  }

 private:
  // By moment: they come in the order of their saddles, which a sort by keys keeps.
  void sort() {
    Buffer<std::uint32_t, Cpu> key(exec_, count_, "contacts"), order(exec_, count_, "contacts");
    parallel_for(exec_, "contacts", count_, [&](std::size_t i) {
      key.data()[i] = contact_.data()[i].key;
      order.data()[i] = std::uint32_t(i);
    });
    sort_pairs(exec_, key, order, 32);
    Buffer<SaddleContact, Cpu> sorted(exec_, count_, "contacts");
    parallel_for(exec_, "contacts", count_, [&](std::size_t rank) {
      sorted.data()[rank] = contact_.data()[order.data()[rank]];
    });
    contact_ = std::move(sorted);
  }

  void merge() {
    basin_ = Buffer<BasinWord, Cpu>(exec_, basins_, "branches");
    side_ = Buffer<std::uint8_t, Cpu>(exec_, count_, "contacts");
    parallel_for(exec_, "branches", basins_, [&](std::size_t b) {
      basin_.data()[b] = {word_of(kNone, std::uint32_t(b)), std::uint32_t(b)};
    });
    for (std::uint32_t begin = 0; begin < count_;) {
      const std::uint32_t end = begin + std::min(stretch_, count_ - begin);
      parallel_for(exec_, "merge", end - begin,
                   [&](std::size_t i) { merge_contact(begin + std::uint32_t(i), begin); });
      begin = end;
    }
  }

  // The oldest basin that `b` is known to be joined with before the contact of a rank, and its word
  // as it was seen. Contacts before `begin` are settled.
  std::uint32_t representative(std::uint32_t b, std::uint32_t rank, std::uint32_t begin,
                               std::uint64_t& seen) {
    BasinWord* const basin = basin_.data();
    const std::uint32_t from = b, known = atomic_load(&basin[from].settled);
    b = known;
    std::uint32_t last_settled = known;
    for (;;) {
      seen = load(basin[b].word);
      if (rank_of(seen) >= rank) break;
      if (rank_of(seen) < begin && last_settled == b) last_settled = older_of(seen);
      b = older_of(seen);
    }
    if (last_settled != known) atomic_store(&basin[from].settled, last_settled);
    return b;
  }

  void merge_contact(std::uint32_t rank, std::uint32_t begin) {
    std::uint32_t u = contact_.data()[rank].first, v = contact_.data()[rank].second;
    // Basins lie all over the memory.
    constexpr std::uint32_t kAhead = 16;
    if (rank + kAhead < count_) {
      const SaddleContact& next = contact_.data()[rank + kAhead];
      __builtin_prefetch(basin_.data() + next.first);
      __builtin_prefetch(basin_.data() + next.second);
    }
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
      // The exchange below publishes it; whoever replaces the word later stores over it.
      atomic_store(side_.data() + rank, is_first ? side : kUnknown);
      if (!__atomic_compare_exchange_n(&basin_.data()[v].word, &seen, word_of(rank, u), false,
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
    parallel_for(exec_, "saddles", count_, [&](std::size_t rank) {
      const std::uint32_t up_to = edge_.data()[rank];
      if (up_to > (rank > 0 ? edge_.data()[rank - 1] : 0))
        made.saddles.moment.data()[up_to - 1] = contact_.data()[rank].moment();
    });
    made.end = Buffer<BranchEnd, Cpu>(exec_, basins_, "branches");
    parallel_for(exec_, "branches", basins_, WriteEnds{*this, made.end.data()});
    return made;
  }

  struct WriteEnds {
    const ContactMerger& merger;
    BranchEnd* end;
    void operator()(std::size_t b) const { end[b] = merger.end_of(std::uint32_t(b)); }
    void prefetch(std::size_t b) const { merger.prefetch_end(b); }
  };

  // What end_of() needs lies all over the memory.
  void prefetch_end(std::size_t b) const {
    constexpr std::size_t kAhead = 16;
    if (b + kAhead >= basins_) return;
    const std::uint64_t word = basin_.data()[b + kAhead].word;
    if (rank_of(word) == kNone) return;
    __builtin_prefetch(edge_.data() + rank_of(word));
    __builtin_prefetch(contact_.data() + rank_of(word));
    __builtin_prefetch(side_.data() + rank_of(word));
    __builtin_prefetch(basin_.data() + older_of(word));
  }

  // Ranks that end a branch get numbers without gaps. Returns how many there are.
  std::uint32_t number_edges() {
    edge_ = Buffer<std::uint32_t, Cpu>(exec_, count_, "saddles");
    thrust::fill(exec_.policy(), edge_.begin(), edge_.end(), 0u);
    parallel_for(exec_, "branches", basins_, [&](std::size_t b) {
      const std::uint32_t rank = rank_of(basin_.data()[b].word);
      if (rank != kNone) edge_.data()[rank] = 1;
    });
    if (count_ == 0) return 0;
    thrust::inclusive_scan(exec_.policy(), edge_.begin(), edge_.end(), edge_.begin());
    return edge_.data()[count_ - 1];
  }

  BranchEnd end_of(std::uint32_t b) const {
    const std::uint64_t word = basin_.data()[b].word;
    const std::uint32_t rank = rank_of(word);
    if (rank == kNone) return {kNone, kNone, kNone, kNone, kNone};
    const SaddleContact& contact = contact_.data()[rank];
    const bool is_first = side_.data()[rank] == kUnknown ? reaches(contact.first, b, rank)
                                                         : side_.data()[rank] == kFirst;
    return {edge_.data()[rank] - 1, contact.saddle, oldest(older_of(word), rank),
            is_first ? contact.first : contact.second, is_first ? contact.second : contact.first};
  }

  // With all that has merged at the moment of a rank.
  std::uint32_t oldest(std::uint32_t b, std::uint32_t rank) const {
    const std::uint64_t moment = contact_.data()[rank].moment();
    for (;;) {
      const std::uint64_t word = basin_.data()[b].word;
      const std::uint32_t end = rank_of(word);
      // Only contacts of one saddle, which follow one another, have one moment.
      if (end == kNone ||
          (end > rank && (end - rank >= kMostContacts || contact_.data()[end].moment() > moment)))
        return b;
      b = older_of(word);
    }
  }

  // Whether one is in the branch `b` before the contact of a rank.
  bool reaches(std::uint32_t at, std::uint32_t b, std::uint32_t rank) const {
    while (at != b && rank_of(basin_.data()[at].word) < rank) at = older_of(basin_.data()[at].word);
    return at == b;
  }

  Cpu& exec_;
  hierarchy::AgesView ages_;
  std::uint32_t basins_, stretch_, count_ = 0;
  Buffer<SaddleContact, Cpu> contact_;  // of each rank
  Buffer<BasinWord, Cpu> basin_;        // of each age
  Buffer<std::uint8_t, Cpu> side_;      // of each rank
  Buffer<std::uint32_t, Cpu> edge_;     // of each rank: the edges up to it
};

}  // namespace

BasinBranches<Cpu> join_basins(Cpu& exec, ContactRows contacts, const hierarchy::AgesView& ages,
                               std::uint32_t basins, std::uint32_t stretch) {
  return ContactMerger(exec, contacts.make(), ages, basins, stretch).make();
}

}  // namespace haloscope::compute::topology
