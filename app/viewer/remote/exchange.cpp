#include "app/viewer/remote/exchange.h"

#include <utility>

namespace haloscope::app::viewer {

void Exchange::wake_session() {
  const std::lock_guard lock(waking_);
  if (wake_session_) wake_session_();
}

void Exchange::stop_waking() {
  const std::lock_guard lock(waking_);
  wake_session_ = {};
}

// ---- of the session

std::optional<RemoteLine> Exchange::take(const std::function<bool(const std::string&)>& suits) {
  std::optional<RemoteLine> taken;
  bool was_full = false;
  {
    const std::lock_guard lock(mutex_);
    if (lines_.empty() || piles_up() || !suits(lines_.front().line.text)) return {};
    was_full = !has_room_now();
    taken = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= taken->line.text.size();
  }
  if (was_full) wake_thread_();
  return taken;
}

bool Exchange::ready() const {
  const std::lock_guard lock(mutex_);
  return !lines_.empty() && !piles_up();
}

bool Exchange::listens(std::uint64_t client) const {
  const std::lock_guard lock(mutex_);
  return client != 0 && client == client_;
}

void Exchange::answer(std::uint64_t client, const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    if (client != client_ || client_ == 0) return;
    --owed_;
    output_ += text;
  }
  wake_thread_();
}

bool Exchange::ended() const {
  const std::lock_guard lock(mutex_);
  return closed_ && lines_.empty();
}

// ---- of the thread

std::uint64_t Exchange::begin(const std::string& greeting) {
  const std::lock_guard lock(mutex_);
  client_ = ++clients_;
  owed_ = 0;
  output_ = greeting;
  written_ = 0;
  return client_;
}

void Exchange::end() {
  const std::lock_guard lock(mutex_);
  client_ = 0;
  owed_ = 0;
  output_ = {};
  written_ = 0;
}

void Exchange::drop_answers() {
  {
    const std::lock_guard lock(mutex_);
    client_ = 0;
    owed_ = 0;
    output_ = {};
    written_ = 0;
  }
  // Lines may have waited until answers are read.
  wake_session();
}

void Exchange::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_session();
}

void Exchange::add(std::vector<CommandLine> lines) {
  if (lines.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (CommandLine& line : lines) {
      bytes_ += line.text.size();
      if (client_ != 0) ++owed_;
      lines_.push_back({client_, std::move(line)});
    }
  }
  wake_session();
}

bool Exchange::has_room() const {
  const std::lock_guard lock(mutex_);
  return has_room_now();
}

bool Exchange::all_answered() const {
  const std::lock_guard lock(mutex_);
  return owed_ == 0 && written_ == output_.size();
}

bool Exchange::has_output() const {
  const std::lock_guard lock(mutex_);
  return written_ < output_.size();
}

std::string Exchange::output(std::size_t most) const {
  const std::lock_guard lock(mutex_);
  return output_.substr(written_, most);
}

void Exchange::written(std::size_t bytes) {
  bool takes_again = false;
  {
    const std::lock_guard lock(mutex_);
    const bool piled = piles_up();
    written_ += bytes;
    takes_again = piled && !piles_up() && !lines_.empty();
    if (written_ == output_.size()) {
      output_.clear();
      written_ = 0;
    } else if (written_ > kPile) {
      // What was written shall not stay for long beside what was not.
      output_.erase(0, written_);
      written_ = 0;
    }
  }
  if (takes_again) wake_session();
}

}  // namespace haloscope::app::viewer
