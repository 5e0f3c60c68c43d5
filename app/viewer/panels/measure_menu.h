#pragma once

#include "analysis/measuring/phase_options.h"
#include "analysis/measuring/profile_options.h"
#include "app/session/measuring_state.h"
#include "app/viewer/panels/option_widgets.h"
#include "core/vector.h"

#include <optional>

namespace haloscope::app::viewer {

struct PanelInput;

// What a profile is about: the selected structure, a point, or a row of a catalog, which commands
// name.
enum class ProfileOf { Selected, Point, Row };

// The next profile and the next sums in bins as they are typed. They follow what was asked for.
struct MeasureDraft {
  OptionDraft profile_texts, phase_texts;
  analysis::ProfileOptions profile;
  analysis::PhaseOptions phase;
  ProfileOf about = ProfileOf::Selected;
  std::optional<Vec> point;  // none: the middle of the picture
  // Of the state, that were taken over last.
  std::optional<session::ProfileState> profile_of;
  std::optional<session::PhaseState> phase_of;
};

// A button, and below it what a profile and a phase diagram are asked for.
void show_measure_button(const PanelInput& input);

// What the button opens.
void show_measure_menu(const PanelInput& input);

}  // namespace haloscope::app::viewer
