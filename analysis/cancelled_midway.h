#pragma once

#include "core/error.h"

#include <string>
#include <utility>

namespace haloscope::analysis {

// Cancelled when a part was done already: says what there is, and how to go on.
class CancelledMidway : public Cancelled {
 public:
  explicit CancelledMidway(std::string left) : left_(std::move(left)) {}
  const char* what() const noexcept override { return left_.c_str(); }

 private:
  std::string left_;
};

}  // namespace haloscope::analysis
