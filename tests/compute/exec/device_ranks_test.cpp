// Memory of devices that ranks send one another arrives as it was, by each wire.

#include "compute/exec/device_ranks.h"

#include "compute/exec/nccl_library.h"
#include "compute/exec/ranks.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <atomic>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;

TEST_CASE("memory of processors goes from rank to rank, and is counted", "[ranks]") {
  std::atomic<int> right{0};
  run_thread_ranks(3, [&](Ranks& ranks) {
    const auto wire = make_device_ranks(ranks, Device::cpu());
    // Two pieces to the next rank and one to itself.
    const int self = ranks.rank(), next = (self + 1) % 3, former = (self + 2) % 3;
    const std::vector<int> first(5, 10 * self), second(3, 10 * self + 1), own(2, 10 * self + 2);
    std::vector<int> a(5), b(3), c(2);
    const Outgoing out[] = {
        {next, first.data(), 20}, {self, own.data(), 8}, {next, second.data(), 12}};
    const Incoming in[] = {{self, c.data(), 8}, {former, a.data(), 20}, {former, b.data(), 12}};
    wire->move(out, in);
    right += a == std::vector<int>(5, 10 * former) && b == std::vector<int>(3, 10 * former + 1) &&
             c == own && wire->carried().sent_bytes == 32 && wire->carried().received_bytes == 32 &&
             wire->carried().moves == 1;
  });
  CHECK(right == 3);
}

TEST_CASE("NCCL is there with all that is called, or it is told why not", "[ranks]") {
  const NcclLibrary& nccl = nccl_library();
  const bool all = nccl.version && nccl.unique_id && nccl.init_rank && nccl.destroy && nccl.abort &&
                   nccl.asynchronous_error && nccl.error_words && nccl.group_start &&
                   nccl.group_end && nccl.send && nccl.receive;
  CHECK(all == nccl.why_not.empty());
  CHECK(nccl.words().starts_with("NCCL"));
}
