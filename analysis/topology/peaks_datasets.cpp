#include "analysis/topology/peaks_datasets.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace haloscope::analysis {

namespace topology = compute::topology;

namespace {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

PairColumns pairs_of(const GridTree& tree, bool zero_pairs) {
  PairColumns columns;
  columns.scalar = tree.grid().scalar;
  with_grid_type(columns.scalar, [&](auto zero) {
    auto pairs = topology::pairs_of<decltype(zero)>(tree.branches(), tree.levels(), zero_pairs);
    columns.birth = bytes_of(pairs.birth);
    columns.death = bytes_of(pairs.death);
    columns.birth_index = std::move(pairs.birth_index);
    columns.death_index = std::move(pairs.death_index);
  });
  return columns;
}

void PeaksDatasets::add(const std::string& name, const std::string& unit,
                        const std::string& description, GridScalar scalar,
                        std::vector<std::uint64_t> shape, const void* data) {
  io::PlainDataset& dataset = all_.emplace_back();
  dataset.name = name;
  dataset.unit = unit;
  dataset.description = description;
  dataset.grid_scalar = scalar;
  dataset.shape = std::move(shape);
  dataset.data = data;
}

void PeaksDatasets::add_pairs(const GridTree& tree, bool zero_pairs) {
  pairs_ = pairs_of(tree, zero_pairs);
  const bool super = tree.levels() == topology::Levels::Super;
  const std::vector<std::uint64_t> shape{pairs_.count()};
  const std::string& unit = tree.grid().unit;
  add("Pairs/birth", unit,
      fmt::format("Value at each {} of the grid, from the {} on", super ? "maximum" : "minimum",
                  super ? "highest" : "lowest"),
      pairs_.scalar, shape, pairs_.birth.data());
  add("Pairs/death", unit,
      fmt::format(
          "Value at the saddle where its branch joins an older one; {}: it joins none",
          super ? "-inf, or the type's lowest number" : "inf, or the type's largest number"),
      pairs_.scalar, shape, pairs_.death.data());
  add("Pairs/birth_index", "", "Its cell, a flat index of the grid in C's order",
      GridScalar::UInt64, shape, pairs_.birth_index.data());
  add("Pairs/death_index", "", "The saddle's cell; all bits set: it joins none", GridScalar::UInt64,
      shape, pairs_.death_index.data());
}

void PeaksDatasets::add_tree(const GridTree& tree) {
  arcs_ = arcs_of(tree);
  const std::vector<std::uint64_t> nodes{arcs_.vertex.size()}, arcs{arcs_.up.size()},
      branches{tree.branches().count()};
  with_values(tree.grid(), [&](auto values) {
    using T = typename decltype(values)::value_type;
    std::vector<T> scalars;
    for (const std::uint64_t cell : arcs_.vertex) scalars.push_back(values[std::size_t(cell)]);
    scalars_ = bytes_of(scalars);
  });
  add("Tree/VertexId", "", "Cell of each node: of all maxima, then saddles, then the last cell",
      GridScalar::UInt64, nodes, arcs_.vertex.data());
  add("Tree/Scalar", tree.grid().unit, "Value there", tree.grid().scalar, nodes, scalars_.data());
  add("Tree/CriticalType", "", "0: minimum, 1 and 2: saddle, 3: maximum, as TTK numbers them",
      GridScalar::Int8, nodes, arcs_.type.data());
  add("Tree/upNodeId", "", "Node of the higher value of each arc", GridScalar::UInt32, arcs,
      arcs_.up.data());
  add("Tree/downNodeId", "", "Node of the lower value of each arc", GridScalar::UInt32, arcs,
      arcs_.down.data());
  add("Tree/Branch/Parent", "",
      "Of each branch, which begins at the node of its number: the branch that goes on where it "
      "ends; -1: it never ends",
      GridScalar::Int32, branches, tree.branches().parent.data());
  add("Tree/Branch/Saddle", "", "The cell where it ends; all bits set: it never does",
      GridScalar::UInt64, branches, tree.branches().saddle.data());
}

void PeaksDatasets::add_segmentation(const GridTree& tree, const Structures& found) {
  const std::vector<std::uint64_t> shape(tree.grid().cells.begin(), tree.grid().cells.end());
  add("Segmentation/Branch", "",
      "Of each cell the structure, a row of Group, that is the oldest in the cell's component at "
      "its own level; -1: none",
      GridScalar::Int32, shape, found.by_branch.data());
  if (!found.by_watershed.empty())
    add("Segmentation/Watershed", "",
        "Of each cell the structure, a row of Group, that the steepest way leads to; -1: none",
        GridScalar::Int32, shape, found.by_watershed.data());
}

void PeaksDatasets::add_labels(const Labels& labels) {
  for (const auto& [type, of] : labels.of)
    add(fmt::format("Labels/PartType{}/Label", type), "",
        "Structure of each row, counted from 0: a row of Group; -1: none", GridScalar::Int32,
        {of.size()}, of.data());
}

}  // namespace haloscope::analysis
