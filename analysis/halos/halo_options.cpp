#include "analysis/halos/halo_options.h"

#include "analysis/option_parsing/option_checks.h"

namespace haloscope::analysis {

namespace {

// Options of a search inside the halos say nothing without it.
void check_substructure(const HaloOptions& options) {
  if (options.wants_substructure()) return;
  const char* option = options.sub_halos         ? "sub_halos"
                       : options.sub_min_points  ? "sub_min_points"
                       : options.sub_min_members ? "sub_min_members"
                                                 : nullptr;
  if (option)
    throw OptionError("there is no search inside the halos", marked(option),
                      "add `sub_linking_length` or `sub_epsilon`");
}

}  // namespace

void check_options(const HaloOptions& options) {
  const OptionChecks checks;
  HaloOptions copy = options;
  visit(checks, copy);
  check_substructure(options);
}

}  // namespace haloscope::analysis
