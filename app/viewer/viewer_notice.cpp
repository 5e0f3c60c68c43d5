#include "app/viewer/viewer.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

// What is shown over the picture for a while: a fault, or what a key has done.
namespace haloscope::app::viewer {

namespace {

constexpr double kFaultShown = 10, kDeedShown = 4;  // s

// "Wrote still.png, 80x60" → "Wrote /home/me/still.png, 80x60"
std::string with_folder(const FileNews& news) {
  std::error_code unknown;
  const auto whole = std::filesystem::absolute(news.path, unknown).lexically_normal();
  const auto place = news.words.find(news.path);
  if (news.path.empty() || unknown || place == std::string::npos) return news.words;
  return std::string(news.words).replace(place, news.path.size(), whole.string());
}

}  // namespace

void Viewer::show_notice(bool fault, const std::string& text) {
  if (headless_) return;
  // While a snapshot is being read, a notice is about that one. After a reading that failed it is
  // about the snapshot that stays.
  const SceneModel* const model = opener_.model();
  const std::string shown = model ? model->path : std::string();
  notice_ = {text, fault, now_ + (fault ? kFaultShown : kDeedShown),
             opener_.status().busy ? state_.snapshot() : shown};
}

void Viewer::end_old_notice() {
  if (std::exchange(memory_.notice_pressed, false) || (notice_ && now_ >= notice_->until))
    notice_.reset();
}

// Programs get the name as they have given it, and the whole path beside it (`files`).
void Viewer::announce(const FileNews& news) {
  const std::string seen = with_folder(news);
  tell(false, news.words, seen);
  show_notice(false, seen);
}

void Viewer::announce(const std::string& sentence) {
  tell(false, sentence);
  show_notice(false, sentence);
}

}  // namespace haloscope::app::viewer
