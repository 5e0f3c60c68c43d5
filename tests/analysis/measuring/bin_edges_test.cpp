#include "analysis/measuring/bin_edges.h"

#include "tests/catch.h"

#include <cmath>
#include <limits>

// Bins side by side: the edges decide.

using namespace haloscope::analysis;

TEST_CASE("a value on an edge belongs to the bin above it", "[measuring]") {
  for (const bool log : {false, true}) {
    const BinEdges edges(0.3, 7e4, 37, log);
    CHECK(edges.low() == 0.3);
    CHECK(edges.high() == 7e4);
    for (std::size_t k = 0; k < edges.count(); ++k) {
      CHECK(edges.find(edges.edge(k)) == k);
      CHECK(edges.find(std::nextafter(edges.edge(k + 1), 0)) == k);
      CHECK(edges.find(edges.middle(k)) == k);
      CHECK(edges.edge(k) < edges.edge(k + 1));
    }
    CHECK_FALSE(edges.find(7e4).has_value());
    CHECK(edges.find_closed(7e4) == edges.count() - 1);
    CHECK_FALSE(edges.find(std::nextafter(0.3, 0)).has_value());
    CHECK_FALSE(edges.find_closed(std::numeric_limits<double>::quiet_NaN()).has_value());
    CHECK_FALSE(edges.find(-1).has_value());
  }
}

TEST_CASE("logarithmic bins have equal ratios, linear ones equal widths", "[measuring]") {
  const BinEdges log(1, 1000, 3, true), linear(-1, 5, 3, false);
  CHECK(log.edge(1) == Approx(10));
  CHECK(log.edge(2) == Approx(100));
  CHECK(log.middle(0) == Approx(std::sqrt(10)));
  CHECK(linear.edge(1) == Approx(1));
  CHECK(linear.middle(1) == Approx(2));
}

TEST_CASE("one bin holds all between its ends", "[measuring]") {
  const BinEdges one(2, 3, 1, true);
  CHECK(one.count() == 1);
  CHECK(one.find(2.5) == 0u);
  CHECK_FALSE(one.find(3).has_value());
}
