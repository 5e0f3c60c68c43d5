#include "io/loading/box_check.h"

#include <fmt/format.h>

namespace haloscope::io {

std::optional<std::string> box_misfit(const SnapshotInfo& info, const std::string& type,
                                      const LoadCounts& counts) {
  if (!info.box_given || counts.wrapped * 100 <= counts.read) return {};
  return fmt::format(
      "The box given (--box) does not hold the particles: {} of {} {} particles lie outside its "
      "side of {:g} and were wrapped among the others.",
      counts.wrapped, counts.read, type, info.box_size);
}

}  // namespace haloscope::io
