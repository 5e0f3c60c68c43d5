#include "app/viewer/panels/command_draft.h"

#include <algorithm>
#include <cstring>

namespace haloscope::app::viewer {

namespace {

// Of lines in UTF-8, without half a letter at the end.
std::string common_beginning(const std::vector<std::string>& lines) {
  std::string common = lines.front();
  for (const std::string& line : lines)
    common.erase(std::mismatch(common.begin(), common.end(), line.begin(), line.end()).first,
                 common.end());
  const auto begins_letter = [&](std::size_t at) {
    return at >= lines.front().size() ||
           (static_cast<unsigned char>(lines.front()[at]) & 0xc0) != 0x80;
  };
  while (!common.empty() && !begins_letter(common.size())) common.pop_back();
  return common;
}

}  // namespace

void CommandDraft::set(const std::string& text) {
  if (text.size() >= typed.size()) return;
  std::memcpy(typed.data(), text.c_str(), text.size() + 1);
}

void CommandDraft::clear() {
  *this = {};
}

std::string CommandDraft::tab(const std::string& line,
                              const std::vector<session::Completion>& possible, bool back) {
  const std::size_t count = offered_.size();
  if (count > 1 && line == offered_[offer_]) {
    offer_ = (offer_ + (back ? count - 1 : 1)) % count;
    return offered_[offer_];
  }
  offered_.clear();
  const bool begin = std::any_of(possible.begin(), possible.end(),
                                 [](const session::Completion& one) { return one.begins; });
  bool more = false;
  for (const session::Completion& one : possible)
    if (one.begins || !begin) {
      offered_.push_back(one.text);
      more = one.more;
    }
  if (offered_.empty()) return line;
  if (offered_.size() == 1) return offered_.front() + (more ? " " : "");
  if (const std::string common = common_beginning(offered_); begin && common.size() > line.size())
    return common;
  offer_ = back ? offered_.size() - 1 : 0;
  if (offered_[offer_] == line)
    offer_ = (offer_ + (back ? offered_.size() - 1 : 1)) % offered_.size();
  return offered_[offer_];
}

void CommandDraft::begin_walk(const std::string& line, std::size_t count) {
  if (place_ && *place_ <= count && line == shown_) return;
  begun_ = shown_ = line;
  place_ = count;
}

std::string CommandDraft::older(const std::string& line, const std::vector<std::string>& history) {
  begin_walk(line, history.size());
  for (std::size_t k = *place_; k-- > 0;)
    if (history[k].starts_with(begun_) && history[k] != shown_) {
      place_ = k;
      return shown_ = history[k];
    }
  return line;
}

std::string CommandDraft::newer(const std::string& line, const std::vector<std::string>& history) {
  begin_walk(line, history.size());
  if (*place_ == history.size()) return line;
  for (std::size_t k = *place_ + 1; k < history.size(); ++k)
    if (history[k].starts_with(begun_) && history[k] != shown_) {
      place_ = k;
      return shown_ = history[k];
    }
  place_ = history.size();
  return shown_ = begun_;
}

}  // namespace haloscope::app::viewer
