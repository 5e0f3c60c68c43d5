#include "analysis/halos/halo_types.h"

#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/choose_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace haloscope::analysis {

namespace {

constexpr int kGas = 0, kStars = 4;

}  // namespace

int linked_by_default(const SnapshotInfo& info) {
  const auto dark = info.types.find(kDarkMatter);
  if (dark != info.types.end() && dark->second.find(Role::Position)) return kDarkMatter;
  const std::vector<int> all = choose_types(info, {});
  return *std::max_element(all.begin(), all.end(), [&](int a, int b) {
    return info.types.at(a).count < info.types.at(b).count;
  });
}

HaloTypes halo_types(const SnapshotInfo& info, const HaloOptions& options) {
  HaloTypes types;
  types.linked = options.types.empty() ? std::vector<int>{linked_by_default(info)}
                                       : choose_types(info, options.types, marked("types"));
  if (!options.attach.empty())
    types.attached = choose_types(info, options.attach, marked("attach"));
  for (const int type : types.attached)
    if (is_among(types.linked, type))
      throw OptionError(
          fmt::format("{} is asked for twice: linked and attached", info.types.at(type).name),
          marked("attach"), "name each type once");
  return types;
}

void check_snapshot(const SnapshotInfo& info, const HaloOptions& options) {
  halo_types(info, options);
  const bool in_spacings = !options.epsilon || options.sub_spacings;
  if (in_spacings && !(info.box_size > 0))
    throw OptionError("without a box there is no mean spacing of particles", info.files.front(),
                      "give the linking length as a length (`epsilon`), or the box (--box)");
}

std::vector<std::string> attached_in_window(const SnapshotInfo& info,
                                            const std::vector<std::string>& linked) {
  HaloOptions options;
  options.types = linked;
  const std::vector<int> taken = halo_types(info, options).linked;
  std::vector<std::string> attached;
  for (const int type : {kGas, kStars}) {
    const auto found = info.types.find(type);
    if (found == info.types.end() || found->second.count == 0 ||
        !found->second.find(Role::Position) || is_among(taken, type))
      continue;
    attached.push_back(type_name(type));
  }
  return attached;
}

}  // namespace haloscope::analysis
