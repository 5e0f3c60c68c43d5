// Edges and core distances that rank 0 collects in many shares: those of all ranks, in the order of
// weights and rows, whichever rank has which.

#include "compute/distributed/collect_edges.h"

#include "compute/exec/ranks.h"
#include "tests/catch.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;
using namespace haloscope::compute::distributed;

namespace {

// A part that was searched: its edges in order.
class FoundPart final : public PartSearch {
 public:
  std::vector<TreeEdge> edge;
  std::vector<std::uint32_t> row;
  std::vector<std::uint64_t> core_of;

  void make() override {}
  std::uint64_t edges() const override { return edge.size(); }
  std::vector<TreeEdge> every_edge(std::uint64_t step) const override {
    std::vector<TreeEdge> some;
    for (std::size_t e = 0; e < edge.size(); e += step) some.push_back(edge[e]);
    return some;
  }
  std::vector<std::uint64_t> edges_before(const std::vector<TreeEdge>& bounds) const override {
    std::vector<std::uint64_t> before;
    for (const TreeEdge& bound : bounds)
      before.push_back(std::uint64_t(std::count_if(
          edge.begin(), edge.end(), [&](const TreeEdge& one) { return one < bound; })));
    return before;
  }
  void copy_edges(std::uint64_t begin, std::span<TreeEdge> to) const override {
    std::copy_n(edge.begin() + std::ptrdiff_t(begin), to.size(), to.begin());
  }
  std::vector<std::uint32_t> rows() const override { return row; }
  std::vector<std::uint64_t> core() const override { return core_of; }
  const TreeOverRanksWork& work() const override { return work_; }

 private:
  TreeOverRanksWork work_;
};

// `weights`: how many different ones. The last rank has no points, the first one half of all.
void check_collecting(std::uint32_t points, int size, unsigned weights) {
  INFO(points << " points, " << size << " ranks, " << weights << " weights");
  std::mt19937 random(7);
  const auto rank_of = [&] {
    return size < 3 ? random() % unsigned(size) : random() % 2 ? 0 : random() % unsigned(size - 1);
  };
  std::vector<FoundPart> parts(static_cast<std::size_t>(size));
  std::vector<TreeEdge> all;
  std::vector<std::uint64_t> core(points);
  for (std::uint32_t row = 0; row < points; ++row) {
    FoundPart& part = parts[rank_of()];
    part.row.push_back(row);
    part.core_of.push_back(core[row] = random());
    if (row == 0) continue;
    const TreeEdge edge{random() % weights, std::uint64_t(random() % row) << 32 | row};
    parts[rank_of()].edge.push_back(edge);
    all.push_back(edge);
  }
  std::sort(all.begin(), all.end());
  for (FoundPart& part : parts) std::sort(part.edge.begin(), part.edge.end());
  clusters::SpanningTree tree;
  run_thread_ranks(size, [&](Ranks& ranks) {
    clusters::SpanningTree own;
    if (ranks.first()) own.points = points;
    const FoundPart& part = parts[std::size_t(ranks.rank())];
    const CollectSettings settings{5, 3, 2, 100};
    collect_edges(ranks, part, own, settings);
    collect_core(ranks, part, own, settings);
    if (ranks.first())
      tree = std::move(own);
    else
      CHECK(own.a.size() + own.squared_core.size() == 0);
  });
  REQUIRE(tree.a.size() == all.size());
  std::vector<TreeEdge> found;
  for (std::size_t e = 0; e < tree.a.size(); ++e)
    found.push_back({tree.squared_weight[e], std::uint64_t(tree.a[e]) << 32 | tree.b[e]});
  CHECK(std::equal(found.begin(), found.end(), all.begin(), all.end(),
                   [](const TreeEdge& a, const TreeEdge& b) {
                     return a.weight == b.weight && a.ends == b.ends;
                   }));
  CHECK(tree.squared_core == core);
}

}  // namespace

TEST_CASE("edges that come in shares are those of all ranks in order", "[ranks][clusters]") {
  for (const int size : {1, 2, 3, 5, 8})
    for (const std::uint32_t points : {0u, 1u, 2u, 17u, 3000u})
      for (const unsigned weights : {1u, 7u, 1000000000u}) check_collecting(points, size, weights);
}
