#pragma once

#include "compute/spatial/morton.h"
#include "compute/spatial/octree.h"
#include "tests/made/fixed_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

// An octree by inserting one body after the other, as a textbook has it, in the form that
// compute/spatial gives trees. Shares nothing with that but the words.
namespace haloscope::test {

class SlowOctree {
 public:
  SlowOctree(const Points& p, std::uint32_t leaf_size, int depth)
      : p_(p), leaf_size_(leaf_size), depth_(depth) {
    for (std::uint32_t i = 0; i < p[0].size(); ++i) insert(root_, 0, i);
  }

  // Without sums.
  compute::spatial::OctreeCopy copy() {
    compute::spatial::OctreeCopy c;
    if (!root_) return c;
    place(c, *root_);
    c.leaf_begin.push_back(std::uint32_t(c.order.size()));
    std::vector<Cell*> level;
    if (root_->divided) level.push_back(root_.get());
    std::uint32_t number = 0;
    while (!level.empty()) {
      c.level_begin.push_back(number);
      std::vector<Cell*> below;
      for (const Cell* cell : level)
        for (const auto& child : cell->child)
          if (child && child->divided) below.push_back(child.get());
      const auto first_below = std::uint32_t(number + level.size());
      std::uint32_t next = first_below;
      for (const Cell* cell : level) {
        compute::spatial::OctreeNode node{};
        for (std::size_t o = 0; o < 8; ++o) {
          const Cell* child = cell->child[o].get();
          node.child[o] = !child           ? compute::spatial::kNoOctreeRef
                          : child->divided ? next++
                                           : child->leaf | compute::spatial::kOctreeLeaf;
        }
        c.nodes.push_back(node);
        c.node_begin.push_back(cell->begin);
        c.node_count.push_back(cell->count);
      }
      number = first_below;
      level = below;
    }
    c.level_begin.push_back(number);
    return c;
  }

 private:
  struct Cell {
    bool divided = false;
    std::uint32_t begin = 0, count = 0, leaf = 0;
    std::vector<std::uint32_t> bodies;  // of a leaf
    std::array<std::unique_ptr<Cell>, 8> child;
  };

  std::size_t octant(std::uint32_t body, int level) const {
    std::size_t o = 0;
    for (const auto& axis : p_) o = 2 * o + (axis[body] >> (31 - level) & 1);
    return o;
  }
  void insert(std::unique_ptr<Cell>& cell, int level, std::uint32_t body) {
    if (!cell) cell = std::make_unique<Cell>();
    ++cell->count;
    if (cell->divided) {
      insert(cell->child[octant(body, level)], level + 1, body);
      return;
    }
    cell->bodies.push_back(body);
    if (cell->bodies.size() <= leaf_size_ || level == depth_) return;
    cell->divided = true;
    for (const std::uint32_t b : cell->bodies) insert(cell->child[octant(b, level)], level + 1, b);
    cell->bodies.clear();
  }
  void place(compute::spatial::OctreeCopy& c, Cell& cell) {
    cell.begin = std::uint32_t(c.order.size());
    if (cell.divided) {
      for (auto& child : cell.child)
        if (child) place(c, *child);
      return;
    }
    cell.leaf = std::uint32_t(c.leaf_begin.size());
    c.leaf_begin.push_back(cell.begin);
    std::sort(cell.bodies.begin(), cell.bodies.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto code = [&](std::uint32_t i) {
        return compute::spatial::morton_code(p_[0][i], p_[1][i], p_[2][i]);
      };
      return code(a) < code(b) || (code(a) == code(b) && a < b);
    });
    c.order.insert(c.order.end(), cell.bodies.begin(), cell.bodies.end());
  }

  const Points& p_;
  std::uint32_t leaf_size_;
  int depth_;
  std::unique_ptr<Cell> root_;
};

}  // namespace haloscope::test
