#pragma once

#include "compute/distributed/link_groups.h"
#include "compute/exec/ranks.h"
#include "compute/halos/halo_finder.h"
#include "compute/spatial/neighbors.h"
#include "core/domain.h"
#include "core/progress.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

struct Attaching {
  std::uint64_t at_once = halos::kAttachedAtOnce;  // points of a rank
  Progress* progress = nullptr;                    // reported to, and may end the search
};

// The groups of linked points, for other points that join them. A rank holds the points of its
// part of space, and a tree over them.
class GroupsInSpace {
 public:
  // `groups`: of each linked point of this rank, part after part. All ranks call it, and attach().
  GroupsInSpace(Ranks& ranks, spatial::Neighbors& neighbors, const haloscope::Domain& domain,
                std::span<const NumberedPart> linked, std::span<const std::uint32_t> groups);
  ~GroupsInSpace();
  GroupsInSpace(const GroupsInSpace&) = delete;
  GroupsInSpace& operator=(const GroupsInSpace&) = delete;

  // For each point the group of the linked point nearest to it within halos::attachment_reach(),
  // of equally near ones that with the smallest number; kNoise where there is none.
  // `first_radius`: as FinderInput::Kind has it. Points are asked for in pieces: of each piece a
  // rank holds some 70 bytes for each of its points and each that it is asked about.
  std::vector<std::uint32_t> attach(const PointPart& points, const float* first_radius,
                                    double linking_length, const Attaching& how = {}) const;

 private:
  struct Question {
    std::uint32_t x, y, z, unused;
    std::uint64_t reach;  // squared
  };
  struct Answer {
    std::uint64_t squared;
    std::uint32_t number, group;  // kNoise: nobody is so near
  };
  void attach_piece(const PointPart& points, const float* first_radius, double linking_length,
                    std::uint32_t* groups) const;
  std::vector<Answer> answer(const std::vector<Question>& questions) const;

  struct Linked {
    std::uint32_t x, y, z, number, group;
  };

  Ranks& ranks_;
  spatial::Neighbors& neighbors_;
  const haloscope::Domain domain_;
  std::vector<Linked> here_;  // by number
  std::unique_ptr<Domains> domains_;
};

}  // namespace haloscope::compute::distributed
