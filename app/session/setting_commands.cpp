#include "app/session/command_groups.h"
#include "app/session/user_choices.h"

#include <fmt/format.h>

#include <charconv>

// What the user wants of every session.
namespace haloscope::app::session {

namespace {

constexpr const char* kAsLeft = "last";
constexpr const char* kNow = "now";
constexpr int kLargestSide = 16384;  // as for `size`
constexpr int kSmallestSide = 200;   // a smaller window has no room for what it holds

std::optional<int> side_in(const std::string& text) {
  int side = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  if (error != std::errc() || end != text.data() + text.size() || side < kSmallestSide ||
      side > kLargestSide)
    return {};
  return side;
}

void set_start_size(const Call& call, State& state, SessionActions& actions) {
  UserChoices choices = actions.choices();
  const std::string& word = text_at(call, 0);
  if (word == kNow)
    choices.start_size = {{state.width, state.height}};
  else
    require(
        call, read_start_size(word, choices),
        fmt::format("'{}' is no size: write WIDTHxHEIGHT as 1600x1000, both from {} to {}, or {} "
                    "for the present size, or {} for that of the last session",
                    word, kSmallestSide, kLargestSide, kNow, kAsLeft));
  actions.choose(choices);
}

void keep_lengths(const Call& call, State&, SessionActions& actions) {
  UserChoices choices = actions.choices();
  choices.keep_lengths = *keep_lengths_called(text_at(call, 0));
  actions.choose(choices);
  constexpr const char* kWhere[] = {"beside the snapshot", "in the cache folder", "nowhere"};
  actions.say(fmt::format("Smoothing lengths that are searched for from now on are kept {}.",
                          kWhere[int(choices.keep_lengths)]));
}

void scale_ui(const Call& call, State& state, SessionActions& actions) {
  const double factor = number_at(call, 0);
  require(call, factor >= 0.25 && factor <= 8, "FACTOR must lie between 0.25 and 8");
  state.ui_scale = factor;
  UserChoices choices = actions.choices();
  choices.ui_scale = factor;
  actions.choose(choices);
}

}  // namespace

std::string word_for(io::KeepLengths keep) {
  return keep == io::KeepLengths::Beside  ? "beside"
         : keep == io::KeepLengths::Cache ? "cache"
                                          : "nowhere";
}

std::optional<io::KeepLengths> keep_lengths_called(const std::string& word) {
  for (const auto keep :
       {io::KeepLengths::Beside, io::KeepLengths::Cache, io::KeepLengths::Nowhere})
    if (word == word_for(keep)) return keep;
  return {};
}

std::string start_size_text(const UserChoices& choices) {
  if (!choices.start_size) return kAsLeft;
  return fmt::format("{}x{}", (*choices.start_size)[0], (*choices.start_size)[1]);
}

bool read_start_size(const std::string& text, UserChoices& choices) {
  if (text == kAsLeft) {
    choices.start_size.reset();
    return true;
  }
  const auto cross = text.find('x');
  if (cross == std::string::npos) return false;
  const auto width = side_in(text.substr(0, cross)), height = side_in(text.substr(cross + 1));
  if (!width || !height) return false;
  choices.start_size = {{*width, *height}};
  return true;
}

std::vector<Command> setting_commands() {
  return {
      {"ui_scale",
       "Settings",
       "Size of letters and buttons",
       {number("FACTOR")},
       {},
       false,
       scale_ui},
      {"start_size",
       "Settings",
       "Size of the window when the program starts: WIDTHxHEIGHT, now: the present one, last: as "
       "it "
       "was left",
       {name_of(Named::Nothing, "WIDTHxHEIGHT|now|last", {}, {kNow, kAsLeft, "1280x800"})},
       {},
       false,
       set_start_size},
      {"keep_lengths",
       "Settings",
       "Where smoothing lengths that a snapshot lacks are kept for the next time: beside it, in "
       "the "
       "cache folder, or nowhere",
       {choice("WHERE", {"beside", "cache", "nowhere"})},
       {},
       false,
       keep_lengths},
      {"forget",
       "Settings",
       "Empty the list of recent files, or the history of the line for commands",
       {choice("WHAT", {"files", "commands"})},
       {},
       false,
       [](const Call& call, State&, SessionActions& actions) {
         actions.forget(text_at(call, 0) == "files" ? Remembered::Files : Remembered::Commands);
       }},
  };
}

}  // namespace haloscope::app::session
