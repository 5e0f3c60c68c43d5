// Pieces of upper links, against a flood over the cells of the cube one by one.

#include "compute/topology/upper_links.inl"

#include "tests/catch.h"

#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>

using namespace haloscope::compute::topology;

namespace {

template <int C>
bool are_neighbors(int a, int b) {
  int by[3];
  for (int axis = 0; axis < 3; ++axis) {
    by[axis] = offset_of(b, axis) - offset_of(a, axis);
    if (std::abs(by[axis]) > 1) return false;
  }
  return is_neighbor<C>(by[0], by[1], by[2]);
}

template <int C>
std::uint32_t slow_piece(int first, std::uint32_t link) {
  std::uint32_t piece = 1u << first;
  std::set<int> open{first};
  while (!open.empty()) {
    const int a = *open.begin();
    open.erase(open.begin());
    for (int b = 0; b < 27; ++b)
      if (link >> b & 1 && !(piece >> b & 1) && are_neighbors<C>(a, b)) {
        piece |= 1u << b;
        open.insert(b);
      }
  }
  return piece;
}

template <int C>
void check_pieces() {
  CAPTURE(C);
  std::mt19937 random(5);
  bool same = true;
  int apart = 0;
  for (int n = 0; n < 20000; ++n) {
    const std::uint32_t link = (random() & (n % 2 ? random() : ~0u)) & neighbor_bits<kLinkOf<C>>();
    const std::uint32_t higher = link & neighbor_bits<C>();
    if (higher == 0) {
      same = same && !is_apart<C>(link);
      continue;
    }
    const std::uint32_t expected = slow_piece<C>(__builtin_ctz(higher), link);
    same = same && piece_of_lowest<C>(higher, link) == expected;
    same = same && is_apart<C>(link) == ((higher & ~expected) != 0);
    apart += is_apart<C>(link);
  }
  CHECK(same);
  CHECK(apart > 100);
}

}  // namespace

TEST_CASE("pieces of upper links are those of a flood", "[topology]") {
  check_pieces<6>();
  check_pieces<14>();
  check_pieces<18>();
  check_pieces<26>();
}
