#pragma once

#include "compute/halos/properties/members.inl"
#include "compute/halos/properties/most_bound_screening.inl"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

// The member of lowest potential of each halo: that of sums over all pairs in double precision.
// Nobody asks for the potentials of the others, so most are only bounded. All members are screened
// in single precision, in large halos by a tree, first from one side and then in rounds of ever
// smaller error; those whose potential cannot be the lowest drop out, block by block. Those left
// are summed in double.
//
// The bounds hold for masses that are not negative and, in large halos, for halos less wide than
// half the domain: beyond that nobody knows which images of members attract one another.
namespace haloscope::compute::halos {

// Halos of more members get a tree.
inline constexpr std::uint64_t kDirectSum = 1024;

// A member's place from the first member of its halo.
struct PlacedMember {
  std::uint32_t p[3];
  std::uint32_t member;
  HALOSCOPE_HD bool operator<(const PlacedMember& other) const { return member < other.member; }
};

struct PlaceMembers {
  const Member* members;
  const Slice* slices;         // of halos
  const std::uint64_t* begin;  // of halos
  PlacedMember* placed;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    const Member& first = members[begin[slices[s].run]];
    constexpr std::uint32_t kMiddle = 1u << 31;  // a halo at the box edge is like any other
    for (std::uint64_t i = slices[s].begin; i < slices[s].end; ++i) {
      const Member& m = members[i];
      placed[i] = {{m.x - first.x + kMiddle, m.y - first.y + kMiddle, m.z - first.z + kMiddle},
                   std::uint32_t(i)};
    }
  }
};

struct MakeSources {
  const Member* members;
  const Slice* slices;
  const std::uint64_t *begin, *source_begin;  // of halos
  const Sums<FirstMoments::kTerms>* halos;
  const PlacedMember* order;
  std::uint32_t *x, *y, *z;
  float* mass;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    const std::uint32_t halo = slices[s].run;
    const double total = halos[halo].value[0];
    const double per_total = total > 0 ? 1 / total : 0;
    std::uint64_t to = source_begin[halo] + slices[s].begin - begin[halo];
    for (std::uint64_t i = slices[s].begin; i < slices[s].end; ++i, ++to) {
      const Member& m = members[order[i].member];
      put(to, m, float(double(m.mass) * per_total));
    }
    if (slices[s].end == begin[halo + 1])
      for (; to < source_begin[halo + 1]; ++to) put(to, members[begin[halo]], 0);
  }

 private:
  HALOSCOPE_HD void put(std::uint64_t to, const Member& m, float part) const {
    x[to] = m.x;
    y[to] = m.y;
    z[to] = m.z;
    mass[to] = part;
  }
};

// A member that may be the most bound one.
struct Candidate {
  std::uint32_t halo, member;
  std::uint64_t source;
};

// Depths in double precision: code mass / lattice step, G = 1. Of each candidate a part by each
// slice of its halo's members, and then the sum of its parts, in order.
struct DepthPart {
  std::uint32_t candidate, slice;
};
struct PartialDepth {
  double sum;
  std::uint32_t here;  // members at the candidate's place
};
struct SumDepthPart {
  const Member* members;
  const std::uint64_t* begin;  // of halos
  double h;                    // steps
  const Candidate* candidates;
  const DepthPart* parts;
  PartialDepth* out;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const Candidate& candidate = candidates[parts[k].candidate];
    const Member at = members[candidate.member];
    const std::uint64_t first = begin[candidate.halo] + parts[k].slice * Slice::kSize;
    const std::uint64_t end = begin[candidate.halo + 1];
    PartialDepth part{0, 0};
    for (std::uint64_t i = first; i < first + Slice::kSize && i < end; ++i) {
      const Member& m = members[i];
      const Offset d = offset_from(m, at.x, at.y, at.z);
      const double r2 = d.x * d.x + d.y * d.y + d.z * d.z;
      if (r2 > 0)
        part.sum -= double(m.mass) * gravity::softened_potential(r2, h);
      else
        ++part.here;
    }
    out[k] = part;
  }
};

// What lies at a candidate's place is counted by its mass, so that members there differ by their
// own part alone, and one sum serves them all: the candidate becomes the deepest of them, the first
// in the list of members where several are.
struct AddDepthParts {
  const Member* members;
  const std::uint64_t* begin;  // of halos
  double h;                    // steps
  Candidate* candidates;
  const std::uint64_t* first_part;  // of each candidate, and the end
  const PartialDepth* parts;
  double* depth;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    Candidate& candidate = candidates[c];
    const Member at = members[candidate.member];
    const std::uint64_t from = begin[candidate.halo], end = begin[candidate.halo + 1];
    double sum = 0;
    std::uint64_t here = 0;
    for (std::uint64_t p = first_part[c]; p < first_part[c + 1]; ++p) {
      sum += parts[p].sum;
      here += parts[p].here;
    }
    double coincident = here > 1 ? 0 : double(at.mass);
    for (std::uint64_t i = from; here > 1 && i < end; ++i)
      if (is_at(members[i], at)) coincident += double(members[i].mass);
    const auto depth_of = [&](const Member& m) {
      return sum + (h > 0 ? 14.0 / 5 / h * (coincident - double(m.mass)) : 0);
    };
    double deepest = depth_of(at);
    for (std::uint64_t i = from; here > 1 && i < end; ++i) {
      if (!is_at(members[i], at)) continue;
      const double d = depth_of(members[i]);
      if (!(d > deepest) && !(d == deepest && i < candidate.member)) continue;
      deepest = d;
      candidate.member = std::uint32_t(i);
    }
    depth[c] = deepest;
  }

 private:
  HALOSCOPE_HD static bool is_at(const Member& m, const Member& at) {
    return m.x == at.x && m.y == at.y && m.z == at.z;
  }
};

struct MostBound {
  std::uint32_t member;
  double potential;
};

// Of each halo the deepest of its candidates, of equals the first in the list of members. Masses
// that are no numbers leave no lowest: the first member then.
inline std::vector<MostBound> deepest_of(const std::vector<std::uint64_t>& begin,
                                         const std::vector<Candidate>& candidates,
                                         const std::vector<double>& depth) {
  std::vector<MostBound> chosen;
  for (std::size_t h = 0; h + 1 < begin.size(); ++h)
    chosen.push_back({std::uint32_t(begin[h]), std::numeric_limits<double>::infinity()});
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    MostBound& best = chosen[candidates[c].halo];
    const double potential = -depth[c];
    if (potential < best.potential ||
        (potential == best.potential && candidates[c].member < best.member))
      best = {candidates[c].member, potential};
  }
  return chosen;
}

// The deepest of each halo's candidates, by sums over all members; `begin` of each halo's members,
// `begins` the same there, `h` the support of the softening in steps.
template <class Exec>
std::vector<MostBound> choose_deepest(Exec& exec, const Member* members,
                                      const std::vector<std::uint64_t>& begin,
                                      const Buffer<std::uint64_t, Exec>& begins,
                                      const std::vector<Candidate>& list, double h) {
  const char* const name = "potentials";
  std::vector<DepthPart> parts;
  std::vector<std::uint64_t> first_part{0};
  for (std::size_t c = 0; c < list.size(); ++c) {
    const std::uint64_t count = begin[list[c].halo + 1] - begin[list[c].halo];
    for (std::uint32_t k = 0; k * Slice::kSize < count; ++k) parts.push_back({std::uint32_t(c), k});
    first_part.push_back(parts.size());
  }
  auto candidates = upload(exec, list, name);
  const auto all_parts = upload(exec, parts, name);
  const auto first_parts = upload(exec, first_part, name);
  Buffer<PartialDepth, Exec> sums(exec, parts.size(), name);
  Buffer<double, Exec> depth(exec, list.size(), name);
  parallel_for(
      exec, name, parts.size(),
      SumDepthPart{members, begins.data(), h, candidates.data(), all_parts.data(), sums.data()});
  parallel_for(exec, name, list.size(),
               AddDepthParts{members, begins.data(), h, candidates.data(), first_parts.data(),
                             sums.data(), depth.data()});
  return deepest_of(begin, download(exec, candidates), download(exec, depth));
}

// Blocks, trees, and places for their nodes and sources, of all halos.
struct BlockPlan {
  std::vector<gravity::Block> blocks;
  std::vector<gravity::HaloTree> trees;
  std::vector<std::uint64_t> source_begin;  // of halos, and the end
  std::uint64_t nodes = 0, fans = 0;

  explicit BlockPlan(const std::vector<std::uint64_t>& begin) {
    std::uint64_t source = 0;
    for (std::size_t h = 0; h + 1 < begin.size(); ++h) {
      const std::uint64_t members = begin[h + 1] - begin[h];
      source_begin.push_back(source);
      std::uint32_t number = 0;
      for (std::uint64_t i = 0; i < members; i += gravity::Block::kSize, ++number)
        blocks.push_back(
            {source + i, std::uint32_t(std::min<std::uint64_t>(members - i, gravity::Block::kSize)),
             std::uint32_t(h), number});
      gravity::HaloTree tree;
      if (members > kDirectSum) tree = gravity::make_tree(nodes, members);
      tree.fans = fans;
      nodes += tree.level_begin[tree.levels];
      if (tree.levels > 0) fans += tree.level_begin[tree.levels] - tree.level_begin[1];
      trees.push_back(tree);
      constexpr std::uint64_t kMultiple = gravity::SourceView::kMultiple;
      source += (members + kMultiple - 1) / kMultiple * kMultiple;
    }
    source_begin.push_back(source);
  }
};

// The search, for one list of halos. `begin` of each halo's members, `halos` their first moments,
// `h` the support of the softening in lattice steps.
template <class Exec>
class MostBoundSearch {
 public:
  MostBoundSearch(Exec& exec, const Member* members, const std::vector<std::uint64_t>& begin,
                  const Slices<Exec>& slices, const Sums<FirstMoments::kTerms>* halos, double h)
      : exec_(exec), members_(members), begin_(begin), h_(h), plan_(begin) {
    blocks_ = upload(exec, plan_.blocks, kName);
    trees_ = upload(exec, plan_.trees, kName);
    begins_ = upload(exec, begin, kName);
    source_begins_ = upload(exec, plan_.source_begin, kName);
    known_ = upload(exec, std::vector<float>(begin.size() - 1, -INFINITY), kName);
    depth_ = Buffer<float, Exec>(exec, plan_.source_begin.back(), kName);
    states_ = Buffer<BlockState, Exec>(exec, plan_.blocks.size(), kName);
    make_sources(slices, halos);
    make_trees();
  }

  // One of each halo; potentials in code mass per lattice step.
  std::vector<MostBound> run() {
    std::vector<std::uint32_t> in_trees, live;
    for (std::uint32_t b = 0; b < plan_.blocks.size(); ++b)
      (plan_.trees[plan_.blocks[b].halo].levels > 0 ? in_trees : live).push_back(b);
    parallel_uneven(exec_, kName, plan_.trees.size(), FindFirstBound{screening(), known_.data()});
    bound_all(in_trees, live);
    in_trees = remaining(in_trees);
    live = remaining(live);
    for (const float allowed : kAllowed) in_trees = screen(in_trees, allowed);
    in_trees = without_ties(in_trees);
    live.insert(live.end(), in_trees.begin(), in_trees.end());
    return choose_deepest(exec_, members_, begin_, begins_, candidates(sum_directly(live)), h_);
  }

 private:
  static constexpr const char* kName = "potentials";
  // Errors of single nodes in the rounds, per depth of the deepest member known.
  static constexpr float kFirstAllowed = 0.4f, kAllowed[] = {0.1f, 0.025f};

  void make_sources(const Slices<Exec>& slices, const Sums<FirstMoments::kTerms>* halos) {
    order_ = Buffer<PlacedMember, Exec>(exec_, begin_.back(), kName);
    parallel_for(exec_, kName, slices.slices.size(),
                 PlaceMembers{members_, slices.slices.data(), begins_.data(), order_.data()});
    order_compactly(exec_, kName, order_.data(), begin_, kDirectSum, gravity::HaloTree::kLeaf);
    for (auto* axis : {&x_, &y_, &z_})
      *axis = Buffer<std::uint32_t, Exec>(exec_, plan_.source_begin.back(), kName);
    mass_ = Buffer<float, Exec>(exec_, plan_.source_begin.back(), kName);
    parallel_for(exec_, kName, slices.slices.size(),
                 MakeSources{members_, slices.slices.data(), begins_.data(), source_begins_.data(),
                             halos, order_.data(), x_.data(), y_.data(), z_.data(), mass_.data()});
  }

  void make_trees() {
    nodes_ = Buffer<gravity::TreeNode, Exec>(exec_, plan_.nodes, kName);
    const gravity::SourceView sources{x_.data(), y_.data(), z_.data(), mass_.data()};
    parallel_for(exec_, kName, plan_.blocks.size(),
                 gravity::MakeLeaves{blocks_.data(), sources, trees_.data(), nodes_.data()});
    parallel_uneven(exec_, kName, plan_.trees.size(),
                    gravity::MakeUpperNodes{trees_.data(), nodes_.data()});
    fans_ = Buffer<gravity::NodeFan, Exec>(exec_, plan_.fans, kName);
    parallel_uneven(exec_, kName, plan_.trees.size(),
                    gravity::MakeFans{trees_.data(), nodes_.data(), fans_.data()});
  }

  Screening screening() {
    return {{x_.data(), y_.data(), z_.data(), mass_.data()},
            begins_.data(),
            source_begins_.data(),
            blocks_.data(),
            trees_.data(),
            nodes_.data(),
            fans_.data(),
            known_.data(),
            float(h_),
            depth_.data(),
            states_.data()};
  }

  // Bounds from above of all members, and a better one from below of what each halo has.
  void bound_all(const std::vector<std::uint32_t>& in_trees,
                 const std::vector<std::uint32_t>& directly) {
    const auto by_trees = upload(exec_, in_trees, kName), others = upload(exec_, directly, kName);
    parallel_uneven(exec_, kName, in_trees.size(),
                    ScreenBlock{screening(), by_trees.data(), kFirstAllowed, true});
    parallel_uneven(exec_, kName, directly.size(), BoundDirectly{screening(), others.data()});
    const auto states = download(exec_, states_);
    std::vector<std::uint32_t> best(plan_.trees.size());
    for (std::size_t b = plan_.blocks.size(); b-- > 0;) {
      std::uint32_t& of_halo = best[plan_.blocks[b].halo];
      if (plan_.blocks[of_halo].halo != plan_.blocks[b].halo ||
          !(states[b].possible < states[of_halo].possible))
        of_halo = std::uint32_t(b);
    }
    const auto best_blocks = upload(exec_, best, kName);
    parallel_uneven(exec_, kName, best.size(),
                    RaiseBound{screening(), best_blocks.data(), known_.data()});
  }

  // Blocks of those listed that may hold the deepest member.
  std::vector<std::uint32_t> screen(const std::vector<std::uint32_t>& blocks, float allowed) {
    const auto live = upload(exec_, blocks, kName);
    parallel_uneven(exec_, kName, blocks.size(),
                    ScreenBlock{screening(), live.data(), allowed, false});
    return remaining(blocks);
  }

  std::vector<std::uint32_t> sum_directly(const std::vector<std::uint32_t>& blocks) {
    const auto live = upload(exec_, blocks, kName);
    parallel_uneven(exec_, kName, blocks.size(), SumDirectly{screening(), live.data()});
    return remaining(blocks);
  }

  std::vector<std::uint32_t> remaining(const std::vector<std::uint32_t>& blocks) {
    const auto states = download(exec_, states_);
    auto known = download(exec_, known_);
    for (const std::uint32_t b : blocks) {
      float& best = known[plan_.blocks[b].halo];
      best = std::max(best, states[b].sure);
    }
    std::vector<std::uint32_t> left;
    for (const std::uint32_t b : blocks)
      if (states[b].possible >= known[plan_.blocks[b].halo]) left.push_back(b);
    known_ = upload(exec_, known, kName);
    return left;
  }

  // Members of blocks that may be the deepest; of those at one place perhaps only one.
  std::vector<Candidate> candidates(const std::vector<std::uint32_t>& blocks) {
    const auto depth = download(exec_, depth_);
    const auto known = download(exec_, known_);
    const auto order = download(exec_, order_);
    const auto states = download(exec_, states_);
    std::vector<Candidate> list;
    for (const std::uint32_t b : blocks) {
      const gravity::Block& block = plan_.blocks[b];
      for (std::uint64_t s = block.begin; s < block.begin + block.count; ++s)
        if (may_be_deepest(depth[s], states[b].error, known[block.halo]))
          list.push_back({block.halo,
                          order[begin_[block.halo] + (s - plan_.source_begin[block.halo])].member,
                          s});
    }
    drop_ties(list, known);
    return list;
  }

  // Of members at one place all but the lightest, which its own part takes least from: no other
  // there is deeper. And all but the first of halos in which nothing attracts. There may be
  // millions of either.
  void drop_ties(std::vector<Candidate>& list, const std::vector<float>& known) {
    constexpr std::size_t kFew = 1000;
    if (list.size() < kFew) return;
    const auto x = download(exec_, x_), y = download(exec_, y_), z = download(exec_, z_);
    const auto mass = download(exec_, mass_);
    const auto place = [&](const Candidate& c) {
      return known[c.halo] > 0 ? std::tuple(c.halo, x[c.source], y[c.source], z[c.source])
                               : std::tuple(c.halo, 0u, 0u, 0u);
    };
    const auto order = [&](const Candidate& c) {
      return std::tuple(place(c), known[c.halo] > 0 ? mass[c.source] : 0.f, c.member);
    };
    std::sort(list.begin(), list.end(),
              [&](const Candidate& a, const Candidate& b) { return order(a) < order(b); });
    list.erase(
        std::unique(list.begin(), list.end(),
                    [&](const Candidate& a, const Candidate& b) { return place(a) == place(b); }),
        list.end());
  }

  // Drops ties before anything is summed for them; those of the blocks that still hold a candidate.
  std::vector<std::uint32_t> without_ties(const std::vector<std::uint32_t>& blocks) {
    auto depth = download(exec_, depth_);
    std::vector<std::pair<std::uint64_t, float>> kept;
    for (const Candidate& c : candidates(blocks)) kept.emplace_back(c.source, depth[c.source]);
    for (const std::uint32_t b : blocks)
      std::fill_n(depth.begin() + std::ptrdiff_t(plan_.blocks[b].begin), plan_.blocks[b].count,
                  kDropped);
    for (const auto& [source, d] : kept) depth[source] = d;
    depth_ = upload(exec_, depth, kName);
    std::vector<std::uint32_t> left;
    for (const std::uint32_t b : blocks) {
      const auto first = depth.begin() + std::ptrdiff_t(plan_.blocks[b].begin);
      if (std::any_of(first, first + plan_.blocks[b].count, [](float d) { return d != kDropped; }))
        left.push_back(b);
    }
    return left;
  }

  Exec& exec_;
  const Member* members_;
  const std::vector<std::uint64_t>& begin_;
  double h_;
  BlockPlan plan_;
  Buffer<gravity::Block, Exec> blocks_;
  Buffer<gravity::HaloTree, Exec> trees_;
  Buffer<std::uint64_t, Exec> begins_, source_begins_;
  Buffer<PlacedMember, Exec> order_;
  Buffer<std::uint32_t, Exec> x_, y_, z_;
  Buffer<float, Exec> mass_;
  Buffer<gravity::TreeNode, Exec> nodes_;
  Buffer<gravity::NodeFan, Exec> fans_;
  Buffer<float, Exec> known_, depth_;
  Buffer<BlockState, Exec> states_;
};

}  // namespace haloscope::compute::halos
