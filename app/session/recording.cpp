#include "app/session/recording.h"

#include "core/error.h"
#include "core/input_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace haloscope::app::session {

namespace {

// "@1.25 orbit 10 -5" → 1.25, and the line without it.
double take_time(std::string& line, double otherwise) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos || line[begin] != '@') return otherwise;
  double seconds = 0;
  const auto blank = std::min(line.find_first_of(" \t", begin), line.size());
  const auto [end, error] = std::from_chars(line.data() + begin + 1, line.data() + blank, seconds);
  if (error != std::errc() || end != line.data() + blank || !std::isfinite(seconds))
    throw Error(
        fmt::format("'{}' is no time in seconds such as @1.25", line.substr(begin, blank - begin)));
  if (seconds < otherwise)
    throw Error(fmt::format("its time {} is before that of a line above ({})", seconds, otherwise));
  line.erase(0, blank);
  return seconds;
}

bool is_blank(const std::string& line) {
  const auto begin = line.find_first_not_of(" \t\r");
  return begin == std::string::npos || line[begin] == '#';
}

}  // namespace

std::vector<RecordedCall> parse_recording(const std::string& text, const std::string& where,
                                          const Complain& complain) {
  std::vector<RecordedCall> calls;
  std::istringstream lines(text);
  double seconds = 0;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string place = fmt::format("{}:{}", where, number);
    try {
      if (is_blank(line)) continue;
      seconds = take_time(line, seconds);
      if (!is_blank(line)) calls.push_back({seconds, parse_command(line), place});
    } catch (const Error& error) {
      const BadFile fault(error.what(), place);
      if (!complain) throw fault;
      complain(fault.what());
    }
  }
  return calls;
}

std::vector<RecordedCall> read_recording(const std::string& path, const Complain& complain) {
  std::ifstream file = open_input(path, "recording", Pipes::OfShell);
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw Error("it cannot be read", path);
  return parse_recording(text.str(), path, complain);
}

void FrameCommands::push(Call call) {
  if (!calls_.empty())
    if (auto both = merged(calls_.back(), call)) {
      calls_.back() = std::move(*both);
      return;
    }
  calls_.push_back(std::move(call));
}

std::vector<Call> FrameCommands::take() {
  return std::exchange(calls_, {});
}

Recorder::Recorder(const std::string& path, const std::string& title)
    : path_(path), file_(std::fopen(path.c_str(), "w")) {
  if (!file_) throw Error(std::strerror(errno), path, "choose another file for the recording");
  fmt::print(file_, "# {}\n", title);
}

Recorder::~Recorder() {
  std::fclose(file_);
}

void Recorder::record(const Call& call, double seconds) {
  fmt::print(file_, "@{} {}\n", seconds, to_text(call));
  if (std::fflush(file_) != 0) throw Error(std::strerror(errno), path_);
}

Player::Player(std::vector<RecordedCall> calls) : calls_(std::move(calls)) {}

void Player::run_next(State& state, SessionActions& actions) {
  const RecordedCall& recorded = calls_.at(next_++);
  try {
    run_command(recorded.call, state, actions);
  } catch (const Error& error) {
    throw Error(error.what(), recorded.where);
  }
}

bool Player::run_one_due(double seconds, State& state, SessionActions& actions) {
  if (finished() || next_seconds() > seconds) return false;
  run_next(state, actions);
  return true;
}

void Player::run_due(double seconds, State& state, SessionActions& actions) {
  while (run_one_due(seconds, state, actions)) {
  }
}

void Player::run_all(State& state, SessionActions& actions) {
  while (!finished()) run_next(state, actions);
}

}  // namespace haloscope::app::session
