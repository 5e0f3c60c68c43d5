#pragma once

#include "analysis/halos/found_halos.h"

#include <cstdint>
#include <vector>

namespace haloscope::app::viewer {

enum class HaloColumn { Number, Members, Mass, R200 };

// Places in `rows` of the halos with `at_least` members, sorted by a column; equal ones stay in the
// order of their numbers.
std::vector<std::uint32_t> ordered_halos(const std::vector<analysis::HaloRow>& rows,
                                         HaloColumn column, bool descending,
                                         std::uint64_t at_least);

// The order that a table shows; made again only when what it was made for changes, for a hundred
// thousand halos are not to be sorted in every frame.
class HaloOrder {
 public:
  void make(const std::vector<analysis::HaloRow>& rows, HaloColumn column, bool descending,
            std::uint64_t at_least);
  const std::vector<std::uint32_t>& rows() const { return order_; }
  // Before another search's result is shown.
  void forget() { made_ = false; }

 private:
  bool made_ = false, descending_ = false;
  HaloColumn column_ = HaloColumn::Number;
  std::uint64_t at_least_ = 0;
  std::vector<std::uint32_t> order_;
};

}  // namespace haloscope::app::viewer
