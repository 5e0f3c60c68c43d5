#pragma once

#include "app/viewer/remote/command_lines.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace haloscope::app::viewer {

struct RemoteLine {
  std::uint64_t client = 0;
  CommandLine line;
};

// Between the thread that reads and writes for a program and the session that it drives: lines in,
// answers out, both in their order, and both with a bound. Where lines pile up the thread reads no
// more of them, so that the program has to wait; where answers pile up the session takes no more
// lines. No call waits.
class Exchange {
 public:
  static constexpr std::size_t kMostLines = 1024, kMostBytes = 1 << 20;  // that wait
  static constexpr std::size_t kPile = 1 << 20;  // bytes of answers that nobody reads

  // `wake_session` and `wake_thread` are called when one has something new for the other.
  Exchange(std::function<void()> wake_session, std::function<void()> wake_thread)
      : wake_session_(std::move(wake_session)), wake_thread_(std::move(wake_thread)) {}

  // ---- of the session

  // The line that is next in turn, if answers are being read and it is one that `suits`.
  std::optional<RemoteLine> take(const std::function<bool(const std::string&)>& suits);
  // Whether take() may have something.
  bool ready() const;
  // Whether answers to this program still reach it.
  bool listens(std::uint64_t client) const;
  // Of each line that was taken, once. Nobody may be there any more to read it.
  void answer(std::uint64_t client, const std::string& text);
  // Nothing will ever come.
  bool ended() const;
  // What wake_session wakes ends.
  void stop_waking();

  // ---- of the thread

  // A program is there, who reads `greeting` first; returns its number.
  std::uint64_t begin(const std::string& greeting);
  // It is gone. Its lines are done all the same.
  void end();
  // It reads no more answers.
  void drop_answers();
  // No other one will come.
  void close();
  void add(std::vector<CommandLine> lines);
  bool has_room() const;
  // Whether each line has its answer, and each answer is written.
  bool all_answered() const;
  bool has_output() const;
  // The next bytes to write, `most` of them, and that so many of them were written.
  std::string output(std::size_t most) const;
  void written(std::size_t bytes);

 private:
  bool has_room_now() const { return lines_.size() < kMostLines && bytes_ < kMostBytes; }
  bool piles_up() const { return output_.size() - written_ > kPile; }
  void wake_session();

  mutable std::mutex mutex_;
  std::deque<RemoteLine> lines_;
  std::size_t bytes_ = 0;                   // of these
  std::uint64_t client_ = 0, clients_ = 0;  // client_ 0: nobody reads answers
  std::size_t owed_ = 0;                    // answers to client_
  std::string output_;
  std::size_t written_ = 0;  // of it
  bool closed_ = false;

  std::mutex waking_;
  std::function<void()> wake_session_, wake_thread_;
};

}  // namespace haloscope::app::viewer
