#pragma once

#include "analysis/halos/halo_options.h"
#include "app/session/state.h"
#include "app/viewer/panels/option_widgets.h"
#include "core/snapshot_info.h"

#include <optional>
#include <string>

namespace haloscope::app::viewer {

// The next search for halos as it is typed. It follows the searches that were asked for.
struct HaloDraft : OptionDraft {
  analysis::HaloOptions options;
  bool unfolded = false;                    // all options are shown
  std::optional<analysis::HaloOptions> of;  // of the state, that were taken over last
  bool of_searched = false;

  // `found_length`: the linking length of the halos on screen; 0: there are none.
  void follow(const session::HaloState& halos, const SnapshotInfo& info, double found_length);
  // Which of the two ways of saying a length is meant is settled in these.
  analysis::HaloOptions meant() const;
};

// "find halos linking_length=0.2 …" with what was typed or chosen, and no more.
std::string search_line(const HaloDraft& draft);

}  // namespace haloscope::app::viewer
