#pragma once

#include "analysis/finder.h"
#include "app/session/state.h"
#include "app/viewer/panels/option_widgets.h"
#include "core/snapshot_info.h"

#include <optional>
#include <string>

namespace haloscope::app::viewer {

// The next search of a finder as it is typed. It follows the searches that were asked for.
struct SearchDraft : OptionDraft {
  analysis::AnyOptions options;
  bool unfolded = false;                   // all options are shown
  std::optional<analysis::AnyOptions> of;  // of the state, that were taken over last
  bool of_searched = false;

  // `found`: what is on screen of this finder; null: nothing.
  void follow(const session::FindingState& state, const analysis::Finder& finder,
              const SnapshotInfo& info, const analysis::Finding* found);
  // Which of two ways of saying the same is meant is settled in these.
  analysis::AnyOptions meant() const;
};

// Whether a search by the draft would have these options. Half a word, as it is typed, is none.
bool asks_for(const SearchDraft& draft, const analysis::Finder& finder, const SnapshotInfo& info,
              const analysis::AnyOptions& options);

// "find halos linking_length=0.2 …" with what was typed or chosen, and no more.
std::string search_line(const SearchDraft& draft, const std::string& finder);

}  // namespace haloscope::app::viewer
