#include "core/snapshot_info.h"

namespace haloscope {

std::string type_name(int number) {
  static const char* const names[] = {"gas", "dm", "disk", "bulge", "stars", "bh"};
  return number >= 0 && number < 6 ? names[number] : "type " + std::to_string(number);
}

}  // namespace haloscope
