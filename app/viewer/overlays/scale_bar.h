#pragma once

namespace haloscope::app::viewer {

// The largest of 1, 2 and 5 times a power of ten that is not above `length`; 0 for none.
double round_length(double length);

}  // namespace haloscope::app::viewer
