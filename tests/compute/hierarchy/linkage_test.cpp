// Linkage matrices as SciPy's cluster.hierarchy.linkage writes them.

#include "compute/hierarchy/linkage.h"

#include "core/error.h"
#include "tests/catch.h"

#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::hierarchy;

namespace {

std::vector<LinkageRow> linkage_of(const RankedForest& forest, const std::vector<double>& height) {
  return linkage_matrix(make_dendrogram(compute::Device::cpu(), forest), height);
}

}  // namespace

TEST_CASE("a linkage matrix is SciPy's", "[hierarchy]") {
  // linkage([[0], [1], [3], [7], [7.5], [20]], 'single') of SciPy 1.17.1.
  const std::vector<LinkageRow> expected{
      {3, 4, 0.5, 2}, {0, 1, 1, 2}, {2, 7, 2, 3}, {6, 8, 4, 5}, {5, 9, 12.5, 6}};
  CHECK(linkage_of({6, {3, 0, 1, 2, 4}, {4, 1, 2, 3, 5}}, {0.5f, 1, 2, 4, 12.5f}) == expected);
  // Heights keep all their digits.
  CHECK(linkage_of({2, {0}, {1}}, {0.1}).front()[2] == 0.1);
  CHECK(linkage_of({1, {}, {}}, {}).empty());
  CHECK(linkage_of({0, {}, {}}, {}).empty());
}

TEST_CASE("a forest has no linkage matrix", "[hierarchy]") {
  std::string fault;
  try {
    linkage_of({4, {0}, {3}}, {1});
  } catch (const Error& error) {
    fault = error.what();
  }
  CHECK(fault ==
        "linkage matrix: the points are 3 trees, which nothing merges; join them, or cut each tree "
        "by itself");
}
