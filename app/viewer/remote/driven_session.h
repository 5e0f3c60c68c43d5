#pragma once

#include "app/session/command_table.h"
#include "app/viewer/remote/answer.h"
#include "app/viewer/remote/exchange.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

// What the values of a command's answer tell once it is done; nothing: it has none, or its own.
std::optional<session::Question> question_of(const session::Call& call,
                                             const session::State& state);

// What a session owes the program that drives it: one answer for each line, in their order. A line
// begins when those before it are answered. Only `cancel` begins at once, as it would come too late
// otherwise: it is answered behind what it stops.
class DrivenSession {
 public:
  explicit DrivenSession(Exchange& exchange) : exchange_(exchange) {}
  // What is still owed will not be done: that is the answer.
  ~DrivenSession();
  DrivenSession(const DrivenSession&) = delete;
  DrivenSession& operator=(const DrivenSession&) = delete;

  // The line that is next in turn; `holds`: jobs of the user let only those begin that wait for
  // nobody.
  std::optional<CommandLine> begin(bool holds);
  // Whether begin() may have one.
  bool ready() const { return exchange_.ready(); }
  bool owes() const { return !owed_.empty(); }
  bool ended() const { return owed_.empty() && exchange_.ended(); }
  void stop_waking() { exchange_.stop_waking(); }

  // Of the line that has begun last.
  void fail(const std::string& fault);
  void ask(std::optional<session::Question> question);
  void give(const std::string& values);  // JSON
  // The line that waits first is stopped by the one that has begun last.
  void stop_former();

  // Of the first line that is not answered yet.
  void fail_job(const std::string& fault);
  void say(const std::string& sentence);
  void add_file(const std::string& path);
  // The picture that it asked for, JSON.
  void give_picture(const std::string& values);

  // Call once a frame, at its end: whether what was begun has seen a whole frame.
  bool has_seen_frame();
  // The last line is answered before the frame ends; only where it is the only one.
  void answer_now();
  // `tell` turns a question into values; empty: there are none.
  void answer_all(const std::function<std::string(const session::Question&)>& tell);

 private:
  struct Owed {
    std::uint64_t client = 0;
    Answer answer;
    std::optional<session::Question> question = {};
    int frames = 0;
  };
  void send(const Owed& owed) { exchange_.answer(owed.client, as_line(owed.answer)); }

  Exchange& exchange_;
  std::deque<Owed> owed_;
};

}  // namespace haloscope::app::viewer
