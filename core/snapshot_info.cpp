#include "core/snapshot_info.h"

#include <algorithm>

namespace haloscope {

std::string type_name(int number) {
  static const char* const names[kGadgetTypes] = {"gas", "dm", "disk", "bulge", "stars", "bh"};
  return number >= 0 && number < kGadgetTypes ? names[number] : "type " + std::to_string(number);
}

bool is_among(const std::vector<int>& types, int type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace haloscope
