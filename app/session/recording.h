#pragma once

#include "app/session/command_table.h"

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

// What a user did, one command per line: "@1.25 orbit 10 -5", where 1.25 is the frame's time in
// seconds. Lines without a time follow at once, so that a file written by hand is a recording too.
// '#' begins a comment.
namespace haloscope::app::session {

struct RecordedCall {
  double seconds = 0;
  Call call;
  std::string where;    // file and line
  bool of_file = true;  // else what the command line asks for
};

// Reads a whole recording. Throws BadFile naming file and line for a line that is no command and
// for times that go back; with `complain`, calls that with the sentence and passes the line over.
using Complain = std::function<void(const std::string&)>;
std::vector<RecordedCall> read_recording(const std::string& path, const Complain& complain = {});
std::vector<RecordedCall> parse_recording(const std::string& text, const std::string& where,
                                          const Complain& complain = {});

// The commands of one frame, steps of one motion put together before they are run and recorded:
// adding them up later would round differently.
class FrameCommands {
 public:
  void push(Call call);
  std::vector<Call> take();
  bool empty() const { return calls_.empty(); }

 private:
  std::vector<Call> calls_;
};

// Writes as it goes, so that a crash leaves what led to it.
class Recorder {
 public:
  // Throws Error when the file cannot be written. `title`: what the recording shows.
  Recorder(const std::string& path, const std::string& title);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void record(const Call& call, double seconds);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

// Plays a recording against a clock.
class Player {
 public:
  explicit Player(std::vector<RecordedCall> calls);

  bool finished() const { return next_ == calls_.size(); }
  const RecordedCall& next() const { return calls_.at(next_); }     // only before the end
  double next_seconds() const { return calls_.at(next_).seconds; }  // when it is due
  // Runs the next one if it is due; false: nothing was.
  bool run_one_due(double seconds, State& state, SessionActions& actions);
  // Runs those that are due. Throws Error, naming file and line, for one that fails; those behind
  // it remain.
  void run_due(double seconds, State& state, SessionActions& actions);
  // Runs all that remain, at once.
  void run_all(State& state, SessionActions& actions);

 private:
  void run_next(State& state, SessionActions& actions);

  std::vector<RecordedCall> calls_;
  std::size_t next_ = 0;
};

}  // namespace haloscope::app::session
