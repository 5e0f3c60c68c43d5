#pragma once

#include <cstdint>
#include <string>

namespace haloscope::render::gl {

// What the driver said of our calls since watch_gl(): errors, undefined behavior and portability.
// Performance hints and notices are no faults and are not counted.
struct GlFaults {
  std::uint64_t count = 0;
  std::string first;  // the first one's text
};

// Lets the driver report each fault of the current context through KHR_debug, in the call that made
// it. Belongs to the thread that owns the context.
void watch_gl(GlFaults& faults);

// Adds what glGetError still holds: drivers without a debug context report there alone.
void collect_gl_errors(GlFaults& faults);

}  // namespace haloscope::render::gl
