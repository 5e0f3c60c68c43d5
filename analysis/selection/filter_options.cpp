#include "analysis/selection/filter_options.h"

#include "analysis/snapshot/match_field.h"
#include "core/error.h"
#include "core/particles.h"

namespace haloscope::analysis {

io::ParticleFilter named_filter(const SnapshotInfo& info, const std::vector<int>& types,
                                io::ParticleFilter filter) {
  for (io::ValueRange& range : filter.values) {
    range.field = match_field(info, types, range.field);
    if (range.field != kLocalDensity) continue;
    bool stored = false;
    for (const int type : types) stored = stored || info.types.at(type).find(range.field);
    if (!stored)
      throw Error("LocalDensity is made for pictures and is not in the file", info.files.front(),
                  "choose by a field of the file, such as Density");
  }
  return filter;
}

}  // namespace haloscope::analysis
