// Products of vectors.

#include "core/vector_math.h"

#include "tests/catch.h"

using namespace haloscope;

TEST_CASE("vectors are added, and multiplied in both ways", "[core]") {
  const Vec a{1, 2, 3}, b{4, -5, 6};
  CHECK(plus(a, b) == Vec{5, -3, 9});
  CHECK(plus(a, b, -0.5) == Vec{-1, 4.5, 0});
  CHECK(minus(a, b) == Vec{-3, 7, -3});
  CHECK(dot(a, b) == 12);
  CHECK(cross(a, b) == Vec{27, 6, -13});
  CHECK(cross(b, a) == Vec{-27, -6, 13});
  CHECK(cross({1, 0, 0}, {0, 1, 0}) == Vec{0, 0, 1});
}

TEST_CASE("a direction has length 1, to the bit of the quotient", "[core]") {
  CHECK(length({2, 3, 6}) == 7);
  CHECK(unit({0, -4, 0}) == Vec{0, -1, 0});
  const Vec v{0.36, -1, 0.26};
  const double size = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  CHECK(unit(v) == Vec{v[0] / size, v[1] / size, v[2] / size});
  CHECK(std::isnan(unit({0, 0, 0})[0]));
}
