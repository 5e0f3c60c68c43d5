// How runs of particles are sorted by their places on images of any size.

#include "compute/splotch/run_order.h"

#include "tests/catch.h"

using namespace haloscope::compute::splotch;

TEST_CASE("tiles of the order of runs cover images of any size", "[splotch]") {
  for (const int side : {1, 16, 17, 300, 2048, 8192, 8193, 49000}) {
    CAPTURE(side);
    for (const RunOrder& order : {order_for(side, 1), order_for(1, side)}) {
      CHECK(order.tile << order.tile_bits >= side);
      CHECK(order.tile >= 16);
      CHECK(order.bin_count == 12u << 2 * order.tile_bits);
      // 13 MB at most.
      CHECK(order.bin_count <= 12u << 18);
      // No more tiles than are needed.
      if (order.tile_bits > 0) CHECK(order.tile << (order.tile_bits - 1) < side);
    }
  }
  CHECK(order_for(2048, 2048).tile == 16);
  CHECK(order_for(8193, 100).tile == 17);
}
