#include "analysis/snapshot/same_snapshot.h"

#include "core/error.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace haloscope::analysis {

void require_same_snapshot(compute::Ranks& ranks, const SnapshotInfo& info) {
  std::string own = fmt::format("box {:.17g} at time {:.17g}", info.box_size, info.time);
  for (const auto& [type, one] : info.types)
    if (one.count > 0) own += fmt::format(", {} {} particles", one.count, one.name);
  const std::vector<std::string> all = ranks.all_texts(own);
  for (int r = 1; r < ranks.size(); ++r)
    if (all[std::size_t(r)] != all[0])
      throw Error(
          fmt::format("rank {} sees {} where rank 0 sees {}", r, all[std::size_t(r)], all[0]),
          info.files.front(), "give a path that is the same on all machines");
}

}  // namespace haloscope::analysis
