#pragma once

#include "compute/splotch/settings.h"

#include <string>

namespace haloscope::analysis {

// "Temperature:log"; without a colon `transform_given` is false.
struct FieldChoice {
  std::string field;
  compute::splotch::Transform transform = compute::splotch::Transform::Linear;
  bool transform_given = false;
};
FieldChoice parse_field(const std::string& option, const std::string& text);

}  // namespace haloscope::analysis
