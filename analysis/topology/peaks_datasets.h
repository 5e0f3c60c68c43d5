#pragma once

#include "analysis/topology/structures.h"
#include "analysis/topology/tree_arcs.h"
#include "core/labels.h"
#include "io/catalogs/plain_dataset.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Pairs of a tree in its grid's own type (compute/topology/persistence.h), as bytes.
struct PairColumns {
  GridScalar scalar = GridScalar::Float32;
  std::vector<std::byte> birth, death;
  std::vector<std::uint64_t> birth_index, death_index;

  std::size_t count() const { return birth_index.size(); }
};
PairColumns pairs_of(const GridTree& tree, bool zero_pairs);

// What a catalog of peaks holds beside its table: Pairs/birth, death, birth_index, death_index;
// Tree with TTK's names; Segmentation/Branch and Watershed, in the grid's shape; labels of
// particles. Holds what it makes for that; what it is given is borrowed.
class PeaksDatasets {
 public:
  void add_pairs(const GridTree& tree, bool zero_pairs);
  void add_tree(const GridTree& tree);
  void add_segmentation(const GridTree& tree, const Structures& found);
  void add_labels(const Labels& labels);

  const std::vector<io::PlainDataset>& all() const { return all_; }

 private:
  void add(const std::string& name, const std::string& unit, const std::string& description,
           GridScalar scalar, std::vector<std::uint64_t> shape, const void* data);

  std::vector<io::PlainDataset> all_;
  PairColumns pairs_;
  TreeArcs arcs_;
  std::vector<std::byte> scalars_;  // of nodes
};

}  // namespace haloscope::analysis
