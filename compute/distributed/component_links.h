#pragma once

#include "compute/distributed/part_search.h"
#include "compute/exec/ranks.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

// Borůvka's rounds over the fragments of all ranks, as one rank knows them: their components, which
// have numbers without gaps and the same on all ranks, and the links of this rank that leave them.
class ComponentLinks {
 public:
  // This rank's fragments and the links between them, by their numbers here. All ranks call it.
  ComponentLinks(Ranks& ranks, std::uint32_t fragments, std::vector<Link> links);

  std::uint32_t count() const { return count_; }  // of components
  const std::vector<std::uint32_t>& of_fragments() const { return component_; }

  // A link of one of this rank's points, by its place, to another rank's.
  void add(std::uint32_t place, const Link& link);

  // Finds the first link that leaves each component. All ranks call it.
  void choose(Ranks& ranks);
  // The weights of these, squared; clusters::kFarAway: none is known.
  std::vector<std::uint64_t> limits() const;

  // Joins components by the links that were chosen; a rank keeps those of a share of them. Returns
  // the places of this rank's points whose links leave their components no longer.
  std::vector<std::uint32_t> join(Ranks& ranks);
  const std::vector<TreeEdge>& joined() const { return joined_; }

 private:
  std::vector<std::uint32_t> first_of(const std::vector<Link>& links) const;

  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> component_;  // of each fragment of this rank
  std::vector<Link> links_;               // between components; those of points are the last
  std::vector<std::uint32_t> place_;      // of these points
  std::vector<Link> offered_;             // by all ranks
  std::vector<std::uint32_t> chosen_;     // of each component, among these
  std::vector<TreeEdge> joined_;
};

}  // namespace haloscope::compute::distributed
