#include "app/cli/selftest/checks.h"

namespace haloscope::app::cli {

std::vector<Check> all_checks() {
  std::vector<Check> all = picture_checks();
  for (Check& check : search_checks()) all.push_back(std::move(check));
  return all;
}

}  // namespace haloscope::app::cli
