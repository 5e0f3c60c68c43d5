#include "app/cli/progress_bar.h"

#include "core/visible_text.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace haloscope::app::cli {

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressBar::show(const std::string& phase, double fraction) {
  const auto now = Clock::now();
  if (!terminal_ || now - start_ < kPatience || now - last_ < kInterval) return;
  last_ = now;
  visible_ = true;
  constexpr int kCells = 30;
  const double part = std::clamp(fraction, 0., 1.);
  std::string bar(kCells, ' ');
  std::fill_n(bar.begin(), int(part * kCells), '#');
  std::fprintf(stderr, "\r\033[K[%s] %3d %% %s", bar.c_str(), int(100 * part),
               visible_text(phase).c_str());
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!visible_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace haloscope::app::cli
