#include "render/scene/search_in_turns.h"

#include "compute/exec/mpi/rank_watch.h"

#include <algorithm>
#include <string>
#include <vector>

namespace haloscope::render {

void search_in_turns(compute::Ranks& ranks, const std::function<void()>& search) {
  if (ranks.size() == 1) return search();
  const std::vector<std::string> hosts = ranks.all_texts(compute::host_name());
  const std::string& own = hosts[std::size_t(ranks.rank())];
  const auto own_turn = std::count(hosts.begin(), hosts.begin() + ranks.rank(), own);
  std::ptrdiff_t turns = 0;
  for (const std::string& host : hosts)
    turns = std::max(turns, std::count(hosts.begin(), hosts.end(), host));
  for (std::ptrdiff_t turn = 0; turn < turns; ++turn) {
    if (turn == own_turn) search();
    ranks.barrier();
  }
}

}  // namespace haloscope::render
