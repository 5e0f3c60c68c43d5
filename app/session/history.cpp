#include "app/session/history.h"

#include "app/session/command_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace haloscope::app::session {

namespace {

// `past` with all that going back leaves as it is.
State with_kept(State past, const State& now) {
  past.snapshots = now.snapshots;
  past.current = now.current;
  past.width = now.width;
  past.height = now.height;
  past.ui_scale = now.ui_scale;
  past.layout = now.layout;
  return past;
}

// A motion's numbers are small differences, which tell nobody anything.
std::string line_of(const Call& call) {
  return call.command->continuous ? call.command->name : to_text(call);
}

// What a drag has ended with says it all, so that of several lines of one command the last stays.
void add_line(std::vector<std::string>& lines, const Call& call) {
  const std::string& name = call.command->name;
  std::erase_if(
      lines, [&](const std::string& line) { return line == name || line.starts_with(name + " "); });
  lines.push_back(line_of(call));
}

// Letters of what is told of a step, behind "done again: ": one line of the window.
constexpr std::size_t kMostLetters = 48;

// What a drag gives has all digits, and a file's name may be any length: neither is read at a
// glance.
bool is_glanced(const std::string& word) {
  constexpr std::size_t kLongestWord = 16, kLongestNumber = 8;
  const bool number = word.find_first_not_of("0123456789+-.e%") == std::string::npos;
  return word.size() <= (number ? kLongestNumber : kLongestWord);
}

// A command with its first words, as far as they are short; the name alone where the first is not.
std::string in_short(const std::string& line) {
  constexpr std::size_t kMostWords = 5;
  const std::vector<Word> words = split_words(line);
  std::string text = words.front().text;
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::string word = line.substr(words[k].begin, words[k].end - words[k].begin);
    if (k <= kMostWords && is_glanced(word) && text.size() + word.size() < kMostLetters) {
      text += " " + word;
      continue;
    }
    return k > 1 ? text + " …" : text;
  }
  return text;
}

std::string in_words(const std::vector<std::string>& lines) {
  constexpr std::size_t kMost = 3;
  std::string words;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string next = (k > 0 ? ", " : "") + in_short(lines[k]);
    if (k > 0 && (k == kMost || words.size() + next.size() > kMostLetters)) return words + ", …";
    words += next;
  }
  return words;
}

}  // namespace

bool History::goes_on(const Call& call, double seconds) const {
  if (!open_ || past_.empty() || !future_.empty()) return false;
  if (in_one_) return true;
  return call.command->continuous && past_.back().motion && seconds >= last_ &&
         seconds - last_ <= kRest;
}

void History::note(const Call& call, const State& before, const State& after, double seconds) {
  if (call.command->no_step) return;
  const bool motion = call.command->continuous;
  const bool chosen = call.command->shows_snapshot && before.current != after.current;
  const bool same_files =
      before.snapshots == after.snapshots && (chosen || before.current == after.current);
  if (!same_files || (!chosen && with_kept(before, after) == after)) {
    // A wait or a screenshot is a rest too.
    if (!motion && !in_one_) open_ = false;
    return;
  }
  if (!goes_on(call, seconds)) {
    past_.push_back({before, {}, motion, false});
    if (past_.size() > kSteps) past_.pop_front();
    future_.clear();
  }
  past_.back().snapshot |= chosen;
  add_line(past_.back().lines, call);
  open_ = motion || in_one_;
  last_ = seconds;
}

void History::one_step(bool on) {
  open_ = false;
  in_one_ = on;
}

void History::rest() {
  one_step(false);
}

std::optional<History::Step> History::walk(std::deque<Entry>& from, std::deque<Entry>& to,
                                           const State& now) {
  open_ = false;
  if (from.empty() || from.back().state.snapshots != now.snapshots) return {};
  Entry entry = std::move(from.back());
  from.pop_back();
  const std::size_t current = entry.snapshot ? entry.state.current : now.current;
  Step step{with_kept(std::move(entry.state), now), in_words(entry.lines)};
  step.state.current = current;
  entry.state = now;
  to.push_back(std::move(entry));
  return step;
}

}  // namespace haloscope::app::session
