#include "app/viewer/entered_lines.h"

namespace haloscope::app::viewer {

namespace {

constexpr std::size_t kMostLines = 20, kMostTold = 100;

}  // namespace

void EnteredLines::begin(const std::string& line) {
  end();
  if (lines_.size() >= kMostLines) lines_.erase(lines_.begin());
  lines_.push_back({line, {}, true});
}

bool EnteredLines::tell(bool warning, const std::string& text) {
  if (!running()) return false;
  auto& told = lines_.back().told;
  if (told.size() >= kMostTold) told.erase(told.begin());
  told.push_back({warning, text});
  return true;
}

void EnteredLines::end() {
  if (!lines_.empty()) lines_.back().runs = false;
}

}  // namespace haloscope::app::viewer
