#include "analysis/selection/filter_options.h"

#include "analysis/snapshot/match_field.h"

namespace haloscope::analysis {

io::ParticleFilter named_filter(const SnapshotInfo& info, const std::vector<int>& types,
                                io::ParticleFilter filter) {
  for (io::ValueRange& range : filter.values) range.field = match_field(info, types, range.field);
  return filter;
}

}  // namespace haloscope::analysis
