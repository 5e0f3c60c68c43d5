// What the window keeps: the input is a state, or a view on the clipboard. A state that is
// read is written and read again as the same.

#include "app/session/state_file.h"
#include "core/error.h"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haloscope;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto read = app::session::parse_state(text, "state.toml");
    const std::string again = app::session::state_text(read.state);
    const auto second = app::session::parse_state(again, "again.toml");
    if (!(second.state == read.state) || !second.warnings.empty()) __builtin_trap();
  } catch (const Error&) {
  }
  try {
    app::session::with_view({}, text);
  } catch (const Error&) {
  }
  return 0;
}
