#pragma once

#include "compute/exec/cuda.h"
#include "compute/exec/select.inl"
#include "compute/exec/sort.h"
#include "compute/halos/properties/bound_members.cuh"
#include "compute/halos/properties/large_halos.cuh"
#include "compute/halos/properties/potential.inl"
#include "compute/halos/properties/small_halos.cuh"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>
#include <vector>

// The search for most bound members on a GPU. What is chosen is what the CPU chooses: the bounds
// are of the same formulas, and the last sums are added in the same order. A warp has the 32
// members of a block, one a thread, and walks the tree for all of them. Members of small halos are
// summed at once, and those of large ones that the tree leaves by a block of threads each.
namespace haloscope::compute::halos {

struct TakeDepth {
  const FoundCandidate* list;
  const float* depth;
  float* out;
  __device__ void operator()(std::size_t k) const { out[k] = depth[list[k].source]; }
};

template <>
class MostBoundSearch<Cuda> {
 public:
  MostBoundSearch(Cuda& exec, const Member* members, const std::vector<std::uint64_t>& begin,
                  const Slices<Cuda>& slices, const Sums<FirstMoments::kTerms>* halos, double h)
      : exec_(exec), members_(members), begin_(begin), halos_(halos), h_(h) {
    begins_ = upload(exec, begin, kName);
    list_halos();
    if (!large_.empty()) make_sources(slices);
  }

  std::vector<MostBound> run() {
    std::vector<Candidate> candidates;
    for (const FoundCandidate& one : small_candidates())
      candidates.push_back({one.halo, one.member, 0});
    for (const FoundCandidate& one : large_candidates())
      candidates.push_back({large_[one.halo], one.member, 0});
    return choose_deepest(exec_, members_, begin_, begins_, candidates, h_);
  }

 private:
  static constexpr const char* kName = "potentials";
  // As on the CPU.
  static constexpr float kFirstAllowed = 0.4f, kAllowed[] = {0.1f, 0.025f};

  template <class Kernel, class... Arguments>
  void launch(Kernel kernel, std::uint64_t threads, unsigned of_block, Arguments... arguments) {
    if (threads == 0) return;
    const NamedRange range(kName);
    kernel<<<unsigned((threads + of_block - 1) / of_block), of_block, 0, exec_.stream()>>>(
        arguments...);
    check_cuda(cudaGetLastError(), kName);
  }

  void list_halos() {
    large_of_.assign(begin_.size() - 1, ~std::uint32_t(0));
    large_begin_.push_back(0);
    source_begin_.push_back(0);
    for (std::uint32_t halo = 0; halo + 1 < begin_.size(); ++halo) {
      const std::uint64_t count = begin_[halo + 1] - begin_[halo];
      constexpr std::uint32_t kSize = gravity::Block::kSize;
      const auto of_block = [&](std::uint64_t i) {
        return std::uint32_t(std::min<std::uint64_t>(count - i, kSize));
      };
      if (count <= kDirectSum) {
        for (std::uint64_t i = 0; i < count; i += kSize)
          small_.push_back({begin_[halo] + i, of_block(i), halo});
        continue;
      }
      const auto number = std::uint32_t(large_.size());
      std::uint32_t in_halo = 0;
      for (std::uint64_t i = 0; i < count; i += kSize, ++in_halo)
        blocks_.push_back({source_begin_.back() + i, of_block(i), number, in_halo});
      trees_.push_back(gravity::make_tree(nodes_, count));
      nodes_ += trees_.back().level_begin[trees_.back().levels];
      large_of_[halo] = number;
      large_.push_back(halo);
      large_begin_.push_back(large_begin_.back() + count);
      constexpr std::uint64_t kMultiple = gravity::SourceView::kMultiple;
      source_begin_.push_back(source_begin_.back() +
                              (count + kMultiple - 1) / kMultiple * kMultiple);
    }
  }

  std::vector<FoundCandidate> small_candidates() {
    if (small_.empty()) return {};
    const auto blocks = upload(exec_, small_, kName);
    auto known = upload(exec_, std::vector<float>(begin_.size() - 1, -INFINITY), kName);
    Buffer<float, Cuda> depth(exec_, begin_.back(), kName);
    const SmallHalos in{
        members_,  begins_.data(), halos_,      blocks.data(), std::uint32_t(small_.size()),
        float(h_), known.data(),   depth.data()};
    launch(sum_small_halos, 32 * std::uint64_t(small_.size()), 32 * kWarpsOfBlock, in);
    return listed([&](FoundCandidate* out, std::uint32_t* count) {
      launch(list_small_candidates, 32 * std::uint64_t(small_.size()), 256, in, out, count);
    });
  }

  // Counts first, then lists.
  template <class List>
  std::vector<FoundCandidate> listed(const List& list) {
    Buffer<std::uint32_t, Cuda> count(exec_, 1, kName);
    exec_.zero(count.data(), sizeof(std::uint32_t));
    list(nullptr, count.data());
    std::uint32_t n = 0;
    exec_.download(&n, count.data(), sizeof n);
    Buffer<FoundCandidate, Cuda> found(exec_, n, kName);
    exec_.zero(count.data(), sizeof(std::uint32_t));
    list(found.data(), count.data());
    return download(exec_, found);
  }

  void make_sources(const Slices<Cuda>& slices) {
    const std::uint64_t members = large_begin_.back(), sources = source_begin_.back();
    const auto large_of = upload(exec_, large_of_, kName);
    const auto halo_of = upload(exec_, large_, kName);
    const auto large_begins = upload(exec_, large_begin_, kName);
    large_begins_ = upload(exec_, large_begin_, kName);
    source_begins_ = upload(exec_, source_begin_, kName);
    Buffer<std::uint32_t, Cuda> reach(exec_, large_.size(), kName);
    exec_.zero(reach.data(), large_.size() * sizeof(std::uint32_t));
    const std::size_t n = slices.slices.size();
    parallel_for(
        exec_, kName, n,
        FindReach{members_, begins_.data(), slices.slices.data(), large_of.data(), reach.data()});
    Buffer<std::uint64_t, Cuda> keys(exec_, members, kName);
    Buffer<std::uint32_t, Cuda> order(exec_, members, kName);
    parallel_for(exec_, kName, n,
                 KeyLargeMembers{members_, begins_.data(), slices.slices.data(), large_of.data(),
                                 reach.data(), large_begins.data(), keys.data(), order.data()});
    sort_pairs(exec_, keys, order,
               3 * KeyLargeMembers::kAxisBits + int(std::bit_width(large_.size())));
    for (auto* column : {&x_, &y_, &z_, &member_of_}) {
      *column = Buffer<std::uint32_t, Cuda>(exec_, sources, kName);
      exec_.zero(column->data(), sources * sizeof(std::uint32_t));
    }
    mass_ = Buffer<float, Cuda>(exec_, sources, kName);
    exec_.zero(mass_.data(), sources * sizeof(float));
    parallel_for(exec_, kName, members,
                 MakeLargeSources{members_, halos_, halo_of.data(), large_begins.data(),
                                  source_begins_.data(), keys.data(), order.data(), x_.data(),
                                  y_.data(), z_.data(), member_of_.data(), mass_.data()});
    on_device_ = upload(exec_, blocks_, kName);
    trees_there_ = upload(exec_, trees_, kName);
    make_trees();
    depth_ = Buffer<float, Cuda>(exec_, sources, kName);
    states_ = Buffer<BlockState, Cuda>(exec_, blocks_.size(), kName);
    known_ = upload(exec_, std::vector<float>(large_.size(), -INFINITY), kName);
  }

  void make_trees() {
    nodes_there_ = Buffer<gravity::TreeNode, Cuda>(exec_, nodes_, kName);
    const gravity::SourceView sources{x_.data(), y_.data(), z_.data(), mass_.data()};
    parallel_for(
        exec_, kName, blocks_.size(),
        gravity::MakeLeaves{on_device_.data(), sources, trees_there_.data(), nodes_there_.data()});
    int levels = 0;
    for (const gravity::HaloTree& tree : trees_) levels = std::max(levels, tree.levels);
    for (int level = 1; level < levels; ++level) {
      std::vector<std::uint64_t> first{0};
      for (const gravity::HaloTree& tree : trees_)
        first.push_back(first.back() + (level < tree.levels ? tree.level_size(level) : 0));
      const auto firsts = upload(exec_, first, kName);
      parallel_for(exec_, kName, first.back(),
                   JoinLevel{trees_there_.data(), firsts.data(), std::uint32_t(trees_.size()),
                             level, nodes_there_.data()});
    }
  }

  Screening screening() {
    return {{x_.data(), y_.data(), z_.data(), mass_.data()},
            large_begins_.data(),
            source_begins_.data(),
            on_device_.data(),
            trees_there_.data(),
            nodes_there_.data(),
            nullptr,
            known_.data(),
            float(h_),
            depth_.data(),
            states_.data()};
  }

  void screen(float allowed, bool first, unsigned long long* best) {
    launch(screen_blocks, 32 * std::uint64_t(live_count_), 32 * kWarpsOfBlock, screening(),
           live_.data(), live_count_, allowed, first, known_.data(), best);
    if (!first) keep_live();
  }

  // Blocks that may hold the deepest member.
  void keep_live() {
    Buffer<std::uint32_t, Cuda> left(exec_, live_count_, kName), count(exec_, 1, kName);
    select_if(exec_, kName, live_.data(), live_count_, left.data(), count.data(),
              MayHoldDeepest{on_device_.data(), states_.data(), known_.data()});
    exec_.download(&live_count_, count.data(), sizeof live_count_);
    live_ = std::move(left);
  }

  std::vector<FoundCandidate> live_members() {
    return listed([&](FoundCandidate* out, std::uint32_t* count) {
      launch(list_members, 32 * std::uint64_t(live_count_), 256, screening(), live_.data(),
             live_count_, member_of_.data(), out, count);
    });
  }

  // Their `halo` counts large halos.
  std::vector<FoundCandidate> large_candidates() {
    if (large_.empty()) return {};
    std::vector<std::uint32_t> all(blocks_.size());
    for (std::uint32_t b = 0; b < all.size(); ++b) all[b] = b;
    live_ = upload(exec_, all, kName);
    live_count_ = std::uint32_t(all.size());
    const auto halos = std::uint64_t(large_.size());
    launch(find_first_bounds, halos * kThreadsOfSum, kThreadsOfSum, screening(), known_.data());
    Buffer<unsigned long long, Cuda> best(exec_, large_.size(), kName);
    exec_.zero(best.data(), large_.size() * sizeof(unsigned long long));
    screen(kFirstAllowed, true, best.data());
    launch(raise_bounds, halos * kThreadsOfSum, kThreadsOfSum, screening(), best.data(),
           known_.data());
    keep_live();
    for (const float allowed : kAllowed) screen(allowed, false, nullptr);

    std::vector<FoundCandidate> left = live_members();
    auto known = download(exec_, known_);
    drop_ties(left, [&](const FoundCandidate& c) { return known[c.halo] > 0; });
    const auto list = upload(exec_, left, kName);
    launch(sum_directly, left.size() * std::uint64_t(kThreadsOfSum), kThreadsOfSum, screening(),
           list.data(), known_.data());
    known = download(exec_, known_);
    const auto depth = depths_of(list);
    std::vector<FoundCandidate> found;
    for (std::size_t k = 0; k < left.size(); ++k)
      if (may_be_deepest(depth[k], 0, known[left[k].halo])) found.push_back(left[k]);
    return found;
  }

  std::vector<float> depths_of(const Buffer<FoundCandidate, Cuda>& list) {
    Buffer<float, Cuda> depth(exec_, list.size(), kName);
    parallel_for(exec_, kName, list.size(), TakeDepth{list.data(), depth_.data(), depth.data()});
    return download(exec_, depth);
  }

  // As on the CPU: of members at one place all but the lightest, and all but the first of halos in
  // which nothing attracts.
  template <class Attracts>
  static void drop_ties(std::vector<FoundCandidate>& list, const Attracts& attracts) {
    constexpr std::size_t kFew = 1000;
    if (list.size() < kFew) return;
    const auto place = [&](const FoundCandidate& c) {
      return attracts(c) ? std::tuple(c.halo, c.p[0], c.p[1], c.p[2])
                         : std::tuple(c.halo, 0u, 0u, 0u);
    };
    const auto order = [&](const FoundCandidate& c) {
      return std::tuple(place(c), attracts(c) ? c.mass : 0.f, c.member);
    };
    std::sort(list.begin(), list.end(), [&](const FoundCandidate& a, const FoundCandidate& b) {
      return order(a) < order(b);
    });
    list.erase(std::unique(list.begin(), list.end(),
                           [&](const FoundCandidate& a, const FoundCandidate& b) {
                             return place(a) == place(b);
                           }),
               list.end());
  }

  Cuda& exec_;
  const Member* members_;
  const std::vector<std::uint64_t>& begin_;
  const Sums<FirstMoments::kTerms>* halos_;
  double h_;
  std::vector<SmallBlock> small_;
  std::vector<std::uint32_t> large_, large_of_;            // halos; their numbers among the large
  std::vector<std::uint64_t> large_begin_, source_begin_;  // of large halos
  std::vector<gravity::Block> blocks_;
  std::vector<gravity::HaloTree> trees_;
  std::uint64_t nodes_ = 0;
  Buffer<std::uint64_t, Cuda> begins_, large_begins_, source_begins_;
  Buffer<std::uint32_t, Cuda> x_, y_, z_, member_of_;
  Buffer<float, Cuda> mass_, depth_, known_;
  Buffer<gravity::Block, Cuda> on_device_;
  Buffer<gravity::HaloTree, Cuda> trees_there_;
  Buffer<gravity::TreeNode, Cuda> nodes_there_;
  Buffer<BlockState, Cuda> states_;
  Buffer<std::uint32_t, Cuda> live_;
  std::uint32_t live_count_ = 0;
};

}  // namespace haloscope::compute::halos
