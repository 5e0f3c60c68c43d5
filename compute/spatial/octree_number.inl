#pragma once

#include "compute/spatial/octree_slots.inl"
#include "compute/spatial/octree_store.inl"

#include <cstddef>
#include <cstdint>

// From slots, whose nodes are numbered as threads came, to the tree that a set has: nodes level by
// level, bodies in Morton order, nodes that a leaf can hold made leaves.
namespace haloscope::compute::spatial {

// Nodes level by level, those of one level in Morton order.
struct LevelList {
  const Slot* slots;
  std::uint32_t* raw;          // their numbers in the slots
  OctreeNode* copy;            // their slots, side by side for the passes that follow
  std::uint32_t* first_child;  // that is a node, in the list
  std::uint32_t* begin;        // place of the first body
  std::uint32_t* count;        // of bodies
};

struct CountChildNodes {
  LevelList list;
  std::uint32_t first;
  std::uint32_t* number;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const Slot* const slots = list.slots + std::size_t(list.raw[first + k]) * 8;
    OctreeNode node;
    std::uint32_t n = 0;
    for (int o = 0; o < 8; ++o) {
      node.child[o] = slots[o];
      n += is_node_slot(slots[o]);
    }
    list.copy[first + k] = node;
    number[k] = n;
  }
};

struct ListChildNodes {
  LevelList list;
  std::uint32_t first, end;     // of the level; the next one begins there
  const std::uint32_t* before;  // child nodes of nodes before
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const Slot* const slots = list.copy[first + k].child;
    std::uint32_t to = end + before[k];
    list.first_child[first + k] = to;
    for (int o = 0; o < 8; ++o)
      if (is_node_slot(slots[o])) list.raw[to++] = slots[o] & ~kNodeSlot;
  }
};

// Lists up to this long are walked and put in order by the thread that finds them.
inline constexpr std::uint32_t kShortList = 64;

// Of a list, but no more than one beyond a short one.
HALOSCOPE_HD inline std::uint32_t length_of(const std::uint32_t* next, Slot s) {
  std::uint32_t n = 0;
  for (; s != kEmptySlot && n <= kShortList; s = next[s - 1]) ++n;
  return n;
}

struct CountBodies {
  LevelList list;
  std::uint32_t first;
  const std::uint32_t* next;  // null: slots of this level have one body
  std::uint32_t* long_lists;  // set where there are any
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const Slot* const slots = list.copy[first + k].child;
    std::uint32_t child = list.first_child[first + k], all = 0;
    for (int o = 0; o < 8; ++o) {
      if (is_node_slot(slots[o])) {
        all += list.count[child++];
      } else if (slots[o] != kEmptySlot) {
        const std::uint32_t length = next ? length_of(next, slots[o]) : 1;
        if (length > kShortList) atomic_store(long_lists, 1);
        all += length;
      }
    }
    list.count[first + k] = all;
  }
};

// A body's own index; bodies may be numbered as a sort left them.
struct BodyNames {
  const std::uint64_t* code;
  const std::uint32_t* index;  // null: they are numbered by index
  HALOSCOPE_HD std::uint32_t name(std::uint32_t body) const { return index ? index[body] : body; }
  HALOSCOPE_HD bool before(std::uint32_t a, std::uint32_t b) const {
    return code[a] < code[b] || (code[a] == code[b] && name(a) < name(b));
  }
};

struct PlaceBodies {
  LevelList list;
  std::uint32_t first;
  const std::uint32_t* next;
  BodyNames bodies;
  std::uint32_t* order;  // bodies by place

  HALOSCOPE_HD void operator()(std::size_t k) const {
    const Slot* const slots = list.copy[first + k].child;
    std::uint32_t child = list.first_child[first + k], place = list.begin[first + k];
    for (int o = 0; o < 8; ++o) {
      if (is_node_slot(slots[o])) {
        list.begin[child] = place;
        place += list.count[child++];
      } else if (slots[o] != kEmptySlot) {
        place = put(slots[o], place);
      }
    }
  }

 private:
  HALOSCOPE_HD std::uint32_t put(Slot s, std::uint32_t place) const {
    const std::uint32_t begin = place;
    order[place++] = s - 1;
    if (!next) return place;
    for (s = next[s - 1]; s != kEmptySlot; s = next[s - 1]) order[place++] = s - 1;
    for (std::uint32_t i = begin + 1; i < place; ++i) {
      const std::uint32_t body = order[i];
      std::uint32_t to = i;
      for (; to > begin && bodies.before(body, order[to - 1]); --to) order[to] = order[to - 1];
      order[to] = body;
    }
    return place;
  }
};

struct NameBodies {
  const std::uint32_t* index;
  std::uint32_t* order;
  HALOSCOPE_HD void operator()(std::size_t k) const { order[k] = index[order[k]]; }
};

struct MarkNodes {
  const std::uint32_t* count;
  std::uint32_t leaf_size;
  std::uint32_t* number;  // 1: is a node of the tree
  HALOSCOPE_HD void operator()(std::size_t m) const { number[m] = count[m] > leaf_size; }
};

// Calls see(octant, child, begin, count) for the children of a node that are not empty; child: in
// the list, or kNoNode.
template <class See>
HALOSCOPE_HD void for_children(const LevelList& list, std::uint32_t m, const std::uint32_t* next,
                               const See& see) {
  const Slot* const slots = list.copy[m].child;
  std::uint32_t child = list.first_child[m], place = list.begin[m];
  for (std::uint32_t o = 0; o < 8; ++o) {
    if (slots[o] == kEmptySlot) continue;
    const bool node = is_node_slot(slots[o]);
    const std::uint32_t count = node ? list.count[child] : next ? length_of(next, slots[o]) : 1;
    see(o, node ? child++ : kNoNode, place, count);
    place += count;
  }
}

struct MarkLeaves {
  LevelList list;
  std::uint32_t first;
  const std::uint32_t* next;
  std::uint32_t leaf_size;
  std::uint32_t* begins;  // by place: 1 where a leaf begins
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto m = std::uint32_t(first + k);
    if (list.count[m] <= leaf_size) return;
    for_children(list, m, next,
                 [&](std::uint32_t, std::uint32_t child, std::uint32_t begin, std::uint32_t count) {
                   if (child == kNoNode || count <= leaf_size) begins[begin] = 1;
                 });
  }
};

struct WriteTree {
  LevelList list;
  std::uint32_t first;
  const std::uint32_t* next;
  std::uint32_t leaf_size;
  const std::uint32_t* number;       // of nodes
  const std::uint32_t* leaf_number;  // by place
  OctreeNode* nodes;
  std::uint32_t *node_begin, *leaf_begin;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto m = std::uint32_t(first + k);
    if (list.count[m] <= leaf_size) return;
    OctreeNode& node = nodes[number[m]];
    node_begin[number[m]] = list.begin[m];
    for_children(
        list, m, next,
        [&](std::uint32_t o, std::uint32_t child, std::uint32_t begin, std::uint32_t count) {
          if (child != kNoNode && count > leaf_size) {
            node.child[o] = number[child];
          } else {
            node.child[o] = leaf_number[begin] | kOctreeLeaf;
            leaf_begin[leaf_number[begin]] = begin;
          }
        });
  }
};

template <class Exec>
struct NumberedLevels {
  Buffer<std::uint32_t, Exec> raw, first_child, begin, count;
  Buffer<OctreeNode, Exec> copy;
  std::uint32_t level_begin[kMostOctreeDepth + 2] = {};
  int levels = 0;
  LevelList list{};

  std::uint32_t size(int level) const { return level_begin[level + 1] - level_begin[level]; }
  std::uint32_t all() const { return level_begin[levels]; }

  NumberedLevels(Exec& exec, const Slot* slots, std::uint32_t most)
      : raw(exec, most, "octree levels"),
        first_child(exec, most, "octree levels"),
        begin(exec, most, "octree levels"),
        count(exec, most, "octree levels"),
        copy(exec, most, "octree levels") {
    list = {slots, raw.data(), copy.data(), first_child.data(), begin.data(), count.data()};
    const std::uint32_t root = 0;
    exec.upload(raw.data(), &root, sizeof(root));
    exec.upload(begin.data(), &root, sizeof(root));
    exec.synchronize();
    Buffer<std::uint32_t, Exec> number(exec, std::size_t(most) + 1, "octree levels");
    level_begin[1] = 1;
    for (levels = 1; levels <= kMostOctreeDepth; ++levels) {
      const std::uint32_t first = level_begin[levels - 1], end = level_begin[levels];
      parallel_for(exec, "octree levels", end - first, CountChildNodes{list, first, number.data()});
      const std::uint32_t more = scan_numbers(exec, number, end - first);
      parallel_for(exec, "octree levels", end - first,
                   ListChildNodes{list, first, end, number.data()});
      if (more == 0) break;
      level_begin[levels + 1] = end + more;
    }
  }
};

// `index`: of bodies that are numbered otherwise, or null. False where very many bodies lie in one
// cell of the deepest level: the tree is sooner made from sorted codes than one thread walks there.
template <class Exec>
bool number_tree(Exec& exec, const SlotTree& slots, std::uint32_t taken, const std::uint32_t* index,
                 std::uint32_t leaf_size, OctreeStore<Exec>& tree) {
  NumberedLevels<Exec> levels(exec, slots.slots, taken);
  const LevelList& list = levels.list;
  const auto next_of = [&](int level) { return level + 1 == slots.depth ? slots.next : nullptr; };
  Buffer<std::uint32_t, Exec> long_lists(exec, 1, "octree levels");
  exec.zero(long_lists.data(), sizeof(std::uint32_t));
  for (int l = levels.levels; l-- > 0;)
    parallel_for(exec, "octree levels", levels.size(l),
                 CountBodies{list, levels.level_begin[l], next_of(l), long_lists.data()});
  if (last_of(exec, long_lists.data() + 1) != 0) return false;
  for (int l = 0; l < levels.levels; ++l)
    parallel_for(
        exec, "octree levels", levels.size(l),
        PlaceBodies{
            list, levels.level_begin[l], next_of(l), {slots.code, index}, tree.order.data()});
  const std::size_t all = levels.all(), bodies = tree.bodies;
  Buffer<std::uint32_t, Exec> number(exec, all + 1, "octree levels"),
      leaf_number(exec, bodies + 1, "octree levels");
  parallel_for(exec, "octree levels", all, MarkNodes{list.count, leaf_size, number.data()});
  const std::uint32_t nodes = scan_numbers(exec, number, all);
  exec.zero(leaf_number.data(), bodies * sizeof(std::uint32_t));
  for (int l = 0; l < levels.levels; ++l)
    parallel_for(
        exec, "octree levels", levels.size(l),
        MarkLeaves{list, levels.level_begin[l], next_of(l), leaf_size, leaf_number.data()});
  const std::uint32_t leaves = scan_numbers(exec, leaf_number, bodies);
  // Where all bodies are one leaf nobody has marked it.
  tree.make_room(exec, nodes, nodes > 0 ? leaves : 1);
  if (nodes == 0) exec.zero(tree.leaf_begin.data(), sizeof(std::uint32_t));
  for (int l = 0; l < levels.levels; ++l)
    parallel_for(exec, "octree levels", levels.size(l),
                 WriteTree{list, levels.level_begin[l], next_of(l), leaf_size, number.data(),
                           leaf_number.data(), tree.nodes.data(), tree.node_begin.data(),
                           tree.leaf_begin.data()});
  std::uint32_t begin[kMostOctreeDepth + 1];
  for (int l = 0; l <= kMostOctreeDepth; ++l) {
    begin[l] = nodes;
    if (l < levels.levels) begin[l] = last_of(exec, number.data() + levels.level_begin[l] + 1);
  }
  tree.set_levels(begin);
  if (index) parallel_for(exec, "octree", bodies, NameBodies{index, tree.order.data()});
  return true;
}

}  // namespace haloscope::compute::spatial
