#include "app/viewer/remote/driven_session.h"

#include "app/session/command_groups.h"

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace haloscope::app::viewer {

namespace {

using session::Question;

// Of a job that says much. What is left out stands in the log.
constexpr std::size_t kMostSaid = 100;
constexpr const char* kSessionEnded = "the session has ended, and this was not done to its end";

std::string_view first_word(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  return line.substr(0, line.find_first_of(kBlanks));
}

std::string text_of(const session::Call& call, std::size_t k) {
  if (k >= call.values.size()) return {};
  const auto* const text = std::get_if<std::string>(&call.values[k]);
  return text ? *text : std::string();
}

}  // namespace

std::optional<Question> question_of(const session::Call& call, const session::State& state) {
  static const std::set<std::string> of_snapshot{
      "open", "next_snapshot", "previous_snapshot", "show_snapshot", "load_state", "play"};
  static const std::set<std::string> of_structures{"find", "cut", "structures"};
  static const std::set<std::string> of_camera{"fly_to",     "fly_to_halo", "go_to_key",
                                               "go_to_time", "paste_view",  "size"};
  const std::string& name = call.command->name;
  const std::string& group = call.command->group;
  if (of_snapshot.count(name) > 0) return Question{"snapshot", {}};
  if (of_structures.count(name) > 0) return Question{"structures", text_of(call, 0)};
  if (name == "find_halos") return Question{"structures", "halos"};
  if (name == "load_halos") return Question{"structures", "loaded_halos"};
  if (name == "select" || name == "select_halo") {
    const std::string finder = name == "select" ? text_of(call, 0) : "halos";
    if (!state.finding(finder).selected) return {};
    return Question{"piece", finder};
  }
  if (name == "tell_value") return session::value_question(call);
  if (name == "export_selection") return {};
  if (group == "Selection" || name == "select_branch") return Question{"selection", {}};
  if (group == "Camera" || of_camera.count(name) > 0) return Question{"camera", {}};
  return {};
}

DrivenSession::~DrivenSession() {
  for (Owed& owed : owed_) {
    if (owed.answer.fault.empty()) owed.answer.fault = kSessionEnded;
    send(owed);
  }
  while (const auto line = exchange_.take([](const std::string&) { return true; })) {
    Answer answer;
    answer.command = line->line.number;
    answer.fault = "the session has ended: this was not done";
    exchange_.answer(line->client, as_line(answer));
  }
}

std::optional<CommandLine> DrivenSession::begin(bool holds) {
  const auto take = [&] {
    return exchange_.take([&](const std::string& text) {
      if (!owes() && !holds) return true;
      const std::string_view word = first_word(text);
      return word == "cancel" || (!owes() && word == "tell");
    });
  };
  auto taken = take();
  // A question has no effect but its answer, which may be a picture that takes a second.
  while (taken && first_word(taken->line.text) == "tell" && !exchange_.listens(taken->client))
    taken = take();
  if (!taken) return {};
  Owed owed;
  owed.client = taken->client;
  owed.answer.command = taken->line.number;
  owed_.push_back(std::move(owed));
  return std::move(taken->line);
}

void DrivenSession::fail(const std::string& fault) {
  owed_.back().answer.fault = fault;
}

void DrivenSession::ask(std::optional<Question> question) {
  owed_.back().question = std::move(question);
}

void DrivenSession::give(const std::string& values) {
  owed_.back().answer.values = values;
}

void DrivenSession::stop_former() {
  // Whoever waits first is answered when the job has ended; those behind it may be commands to stop
  // it too.
  if (owed_.size() < 2) return;
  Owed& former = owed_.front();
  if (former.answer.fault.empty()) former.answer.fault = "it was stopped by the command cancel";
}

void DrivenSession::fail_job(const std::string& fault) {
  if (owes() && owed_.front().answer.fault.empty()) owed_.front().answer.fault = fault;
}

void DrivenSession::say(const std::string& sentence) {
  if (!owes()) return;
  auto& said = owed_.front().answer.said;
  if (said.size() < kMostSaid) said.push_back(sentence);
}

void DrivenSession::add_file(const std::string& path) {
  if (owes()) owed_.front().answer.files.push_back(path);
}

void DrivenSession::give_picture(const std::string& values) {
  if (owes()) owed_.front().answer.values = values;
}

bool DrivenSession::has_seen_frame() {
  for (Owed& owed : owed_) ++owed.frames;
  return owes() && owed_.back().frames > 1;
}

void DrivenSession::answer_now() {
  if (owed_.size() != 1) return;
  send(owed_.front());
  owed_.clear();
}

void DrivenSession::answer_all(const std::function<std::string(const Question&)>& tell) {
  for (Owed& owed : owed_) {
    if (owed.question && owed.answer.fault.empty()) owed.answer.values = tell(*owed.question);
    send(owed);
  }
  owed_.clear();
}

}  // namespace haloscope::app::viewer
