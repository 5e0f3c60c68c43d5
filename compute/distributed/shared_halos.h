#pragma once

#include "compute/distributed/ranked_rows.h"
#include "compute/exec/ranks.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// What a rank has of one kind of particles. All ranks name the same kinds in the same order.
struct KindPart {
  // Linked ones make the halos, others join them; else they are counted by spheres alone.
  bool linked = true, members = true;
  std::uint64_t count = 0;
  std::array<const std::uint32_t*, 3> position{};
  bool moving = false;  // the snapshot has velocities of it: the same on all ranks
  std::array<const float*, 3> velocity{};  // null where it has none, or this rank no particles
  const float* mass = nullptr;             // null: all uniform_mass
  double uniform_mass = 1;
  const std::uint64_t* id = nullptr;  // null: no IDs
  // The label of the halo of each row, or kNoise; empty for kinds without members. Where groups
  // were linked it is the smallest number in the group.
  std::span<const std::uint32_t> groups;

  float mass_of(std::uint64_t row) const { return mass ? mass[row] : float(uniform_mass); }
};

// Numbers of the linked particles: those of the first linked kind in their order, then those of the
// next.
class LinkedNumbers {
 public:
  LinkedNumbers(const RankedRows& rows, std::span<const KindPart> kinds);
  // Of this rank's first row of a kind, and of all.
  std::uint32_t first(std::size_t kind) const {
    return std::uint32_t(base_[kind] + rows_.first(kind));
  }
  std::uint64_t total() const { return base_.back(); }
  struct Place {
    std::size_t kind;
    std::uint64_t row;  // of all ranks' rows
  };
  Place place(std::uint32_t number) const;
  int rank_of(std::uint32_t number) const {
    const Place at = place(number);
    return rows_.rank_of(at.kind, at.row);
  }

 private:
  const RankedRows& rows_;
  std::vector<std::uint64_t> base_;  // by kind, and the end
};

// A halo that all ranks know of.
struct SharedHalo {
  std::uint32_t label = 0;    // that its members have in KindPart::groups
  std::uint32_t members = 0;  // 2³² − 1: that many or more
  // Of one of its members, or near them: how far they reach is measured from there.
  std::array<std::uint32_t, 3> at{};
};

// The halos of at least `min_members`, in the order of HaloMembership. All ranks call it and get
// all halos.
std::vector<SharedHalo> share_halos(Ranks& ranks, const LinkedNumbers& numbers,
                                    std::span<const KindPart> kinds, std::uint64_t min_members);

// By halo the rank that measures it: neighbors in Morton order together, so that their surroundings
// are few, and equal numbers of members for each rank as far as that goes.
std::vector<int> workers_of(const std::vector<SharedHalo>& halos, int ranks);

}  // namespace haloscope::compute::distributed
