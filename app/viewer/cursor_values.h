#pragma once

#include "analysis/finder.h"
#include "analysis/topology/grid_plane.h"
#include "core/snapshot_info.h"
#include "core/vector.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

// What is under the cursor, for the line at the lower edge of the picture.
namespace haloscope::app::viewer {

// The piece of what was found that a point lies in: as the finder tells, else the smallest of those
// whose circles hold it; in a periodic box their nearest copies count.
std::optional<std::uint64_t> piece_around(const analysis::Finding& found, const SnapshotInfo& info,
                                          const Vec& point);

// The same, searched once per finding and point: a cursor rests for many frames.
class PieceUnderCursor {
 public:
  using Search = std::function<std::optional<std::uint64_t>(
      const analysis::Finding& found, const SnapshotInfo& info, const Vec& point)>;
  explicit PieceUnderCursor(Search search = piece_around) : search_(std::move(search)) {}

  std::optional<std::uint64_t> at(const std::shared_ptr<const analysis::Finding>& found,
                                  const SnapshotInfo& info, const Vec& point);

 private:
  Search search_;
  std::weak_ptr<const analysis::Finding> found_;
  Vec point_{};
  std::optional<std::uint64_t> piece_;
};

// In a periodic box the copy of a point that lies in it.
Vec in_box(const SnapshotInfo& info, Vec point);

// "12.41 9.77 3.02 Mpc/h   density 4.1e8 Msun/h/(kpc/h)^3   halo 3"
std::string cursor_in_words(const SnapshotInfo& info, const Vec& point, const std::string& value,
                            const std::string& structure);

// "density 4.1e8 Msun/h/(kpc/h)^3": of a cell of a slice.
std::string value_in_words(const analysis::GridPlane& plane, std::size_t cell);

}  // namespace haloscope::app::viewer
