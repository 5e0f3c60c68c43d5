#pragma once

#include "app/viewer/panels/panel_input.h"

#include <cstddef>
#include <vector>

namespace haloscope::app::viewer {

// Where the snapshots of a series lie along a bar, 0 to 1: by their moments, or evenly where one is
// not known or they neither ascend nor descend.
std::vector<double> series_places(std::size_t count, const SeriesMoments* moments);

// The snapshot nearest to a place.
std::size_t nearest_snapshot(const std::vector<double>& places, double place);

// A bar with a mark for each snapshot of the series, to be clicked, dragged and rolled over.
void show_series_bar(const PanelInput& input, float width);

}  // namespace haloscope::app::viewer
