#include "core/timings.h"

#include <algorithm>
#include <numeric>

namespace haloscope {

double Timings::median(const std::string& phase) const {
  const auto found = samples_.find(phase);
  if (found == samples_.end() || found->second.empty()) return 0;
  std::vector<double> sorted = found->second;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
}

Timings Timings::summed() const {
  Timings out;
  for (const auto& [phase, samples] : samples_)
    out.add(phase, std::accumulate(samples.begin(), samples.end(), 0.0));
  return out;
}

}  // namespace haloscope
