#include "app/session/command_text.h"

#include "app/session/command_table.h"
#include "app/session/toml_writer.h"
#include "core/edit_distance.h"
#include "core/error.h"
#include "core/text_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

// Between text and calls.
namespace haloscope::app::session {

namespace {

const std::vector<std::string> kTypes{"all", "gas", "dm", "disk", "bulge", "stars", "bh"};
constexpr const char* kOverwrite = "overwrite";
constexpr const char* kSizeArgument = "WIDTHxHEIGHT";
const std::vector<std::string> kSwitches{"on", "off", "toggle"};

[[noreturn]] void refuse(const Command& command, const std::string& what) {
  throw Error(what, command.name, "usage: " + usage(command));
}

std::optional<double> read_number(const std::string& word) {
  double value = 0;
  const char* begin = word.data() + (word.size() > 1 && word[0] == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return {};
  return value;
}

std::string one_of(const Command& command, const Argument& argument, const std::string& word,
                   const std::vector<std::string>& words) {
  const std::string lower = lower_case(word);
  for (const auto& known : words)
    if (lower == known) return known;
  const auto nearest = nearest_word(lower, words);
  const std::string unknown = fmt::format("{} '{}' is unknown", argument.name, word);
  if (nearest) throw Error(unknown, command.name, "did you mean '" + *nearest + "'?");
  refuse(command, fmt::format("{}, use {}", unknown, fmt::join(words, ", ")));
}

Value read_value(const Command& command, const Argument& argument, const std::string& word) {
  switch (argument.kind) {
    case ArgumentKind::Number:
      if (const auto value = read_number(word)) return *value;
      refuse(command, fmt::format("{} '{}' is not a number", argument.name, word));
    case ArgumentKind::WholeNumber: {
      const auto value = read_number(word);
      if (value && *value >= 0 && *value <= 9007199254740992. && *value == std::floor(*value))
        return *value;
      refuse(command, fmt::format("{} '{}' is not a whole number from 0 on", argument.name, word));
    }
    case ArgumentKind::Length: {
      if (const auto value = read_length(word)) return *value;
      refuse(command,
             fmt::format("{} '{}' is not a length such as 2.5 or 10%", argument.name, word));
    }
    case ArgumentKind::Text:
      return word;
    case ArgumentKind::Choice:
      return one_of(command, argument, word, argument.choices);
    case ArgumentKind::Finder:
      return one_of(command, argument, word, finder_words(argument));
    case ArgumentKind::OnOff: {
      const std::string said = one_of(command, argument, word, kSwitches);
      return said == "on" ? Switch::On : said == "off" ? Switch::Off : Switch::Toggle;
    }
    case ArgumentKind::Type:
    case ArgumentKind::Colored: {
      const auto number = read_number(word);
      if (number && *number >= 0 && *number < 100 && *number == std::floor(*number)) return word;
      return one_of(command, argument, word,
                    argument.kind == ArgumentKind::Type ? kTypes : colored_words());
    }
  }
  return {};
}

std::string text_of(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* length = std::get_if<Length>(&value))
    return fmt::format("{}{}", length->value, length->percent ? "%" : "");
  if (const auto* text = std::get_if<std::string>(&value)) return as_word(*text);
  if (const auto* on = std::get_if<Switch>(&value))
    return *on == Switch::On ? "on" : *on == Switch::Off ? "off" : "toggle";
  return "\"\"";
}

// Whether an argument is what it would be had nobody said it: nothing, or an empty text.
bool is_left_out(const Command& command, std::size_t place, const Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return true;
  const auto* const text = std::get_if<std::string>(&value);
  return text && text->empty() && place < command.arguments.size() &&
         command.arguments[place].otherwise == std::string();
}

// The character behind a backslash at `at`, which is moved to its last one.
std::string escaped(const std::string& line, std::size_t& at) {
  ++at;
  if (at >= line.size())
    throw Error("a text in quotes is not ended", "command", "close it with \"");
  if (line[at] != 'u') return {line[at]};
  unsigned code = 0;
  const char* begin = line.data() + at + 1;
  if (at + 4 >= line.size() || std::from_chars(begin, begin + 4, code, 16).ptr != begin + 4 ||
      code >= 0x80)
    throw Error("after \\u four hexadecimal digits of a control character follow", "command");
  at += 4;
  return {char(code)};
}

// "1920x1080".
bool is_size(const std::string& word) {
  const auto x = word.find('x');
  const auto digits = [](const std::string& part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
  };
  return x != std::string::npos && digits(word.substr(0, x)) && digits(word.substr(x + 1));
}

// `screenshot a.png 640x480`: a choice may be left out before a size, which is no choice.
bool is_size_of_next(const Command& command, std::size_t place, const std::string& word) {
  const auto& arguments = command.arguments;
  return place + 1 < arguments.size() && arguments[place].kind == ArgumentKind::Choice &&
         arguments[place].otherwise && arguments[place + 1].name == kSizeArgument && is_size(word);
}

}  // namespace

std::optional<Length> read_length(const std::string& word) {
  const bool percent = word.ends_with('%');
  const auto value = read_number(percent ? word.substr(0, word.size() - 1) : word);
  if (!value) return {};
  return Length{*value, percent};
}

namespace {

std::vector<Word> split_line(const std::string& line, bool unfinished) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') continue;
    if (line[at] == '#') break;
    Word word;
    word.begin = at;
    bool inside = false;
    for (; at < line.size(); ++at) {
      if (line[at] == '"') {
        inside = !inside;
        word.quoted = true;
      } else if (inside && line[at] == '\\') {
        word.text += escaped(line, at);
      } else if (!inside && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) {
        break;
      } else {
        word.text += line[at];
      }
    }
    if (inside && !unfinished)
      throw Error("a text in quotes is not ended", "command", "close it with \"");
    word.end = std::min(at, line.size());
    words.push_back(word);
  }
  return words;
}

}  // namespace

std::vector<Word> split_words(const std::string& line) {
  return split_line(line, false);
}

std::vector<Word> split_unfinished(const std::string& line) {
  return split_line(line, true);
}

std::string as_word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_of(" \t\r\n\"\\#") == std::string::npos;
  return plain ? text : quoted(text);
}

Call parse_command(const std::string& text) {
  const auto words = split_words(text);
  if (words.empty()) throw Error("there is no command", {}, "F1 shows all of them");
  const Command* command = find_command(words[0].text);
  if (!command) {
    std::vector<std::string> names;
    for (const auto& known : command_table()) names.push_back(known.name);
    const auto nearest = nearest_word(words[0].text, names);
    throw Error(fmt::format("there is no command '{}'", words[0].text), {},
                nearest ? "did you mean '" + *nearest + "'?" : "F1 shows all of them");
  }
  Call call{command, {}, false};
  const auto& arguments = command->arguments;
  std::size_t given = words.size() - 1;
  // Behind the file's name, which may be the same word where there must be one.
  const bool needs_name = !arguments.empty() && !arguments.front().otherwise;
  call.overwrite = command->writes && given > (needs_name ? 1 : 0) &&
                   words.back().text == kOverwrite && !words.back().quoted;
  if (call.overwrite) --given;
  const bool many = !arguments.empty() && arguments.back().many;
  if (given > arguments.size() && !many)
    refuse(*command,
           fmt::format("'{}' is one argument too many", words[arguments.size() + 1].text));
  std::size_t at = 1;  // the next word
  for (std::size_t k = 0; at <= given || k < arguments.size(); ++k) {
    if (k >= arguments.size() && !many)
      refuse(*command, fmt::format("'{}' is one argument too many", words[at].text));
    const Argument& argument = arguments[std::min(k, arguments.size() - 1)];
    const bool left_out = at <= given && is_size_of_next(*command, k, words[at].text);
    // "" leaves out an argument that others follow.
    const bool said = at <= given && !left_out && !(words[at].text.empty() && argument.otherwise);
    if (said)
      call.values.push_back(read_value(*command, argument, words[at].text));
    else if (!argument.otherwise)
      refuse(*command, argument.name + " is missing");
    else if (argument.otherwise->empty() && argument.kind != ArgumentKind::Text)
      call.values.emplace_back();
    else
      call.values.push_back(read_value(*command, argument, *argument.otherwise));
    if (!left_out) ++at;
  }
  return call;
}

std::string to_text(const Call& call) {
  std::string text = call.command->name;
  std::size_t given = call.values.size();
  // What was left out is at the end.
  while (given > 0 && is_left_out(*call.command, given - 1, call.values[given - 1])) --given;
  for (std::size_t k = 0; k < given; ++k) text += " " + text_of(call.values[k]);
  if (call.overwrite) text += std::string(" ") + kOverwrite;
  return text;
}

std::string usage(const Command& command) {
  std::string text = command.name;
  for (const auto& argument : command.arguments) {
    std::string word = argument.name;
    if (argument.kind == ArgumentKind::Choice)
      word = fmt::format("{}", fmt::join(argument.choices, "|"));
    if (argument.kind == ArgumentKind::Finder)
      word = fmt::format("{}", fmt::join(offered_finders(argument), "|"));
    if (argument.kind == ArgumentKind::OnOff) word = "on|off|toggle";
    if (argument.many) word += " …";
    text += argument.otherwise ? " [" + word + "]" : " " + word;
  }
  if (command.writes) text += std::string(" [") + kOverwrite + "]";
  return text;
}

std::vector<std::string> finder_words(const Argument& argument) {
  std::vector<std::string> words = analysis::finder_names();
  words.insert(words.end(), argument.choices.begin(), argument.choices.end());
  return words;
}
std::vector<std::string> offered_finders(const Argument& argument) {
  std::vector<std::string> words = finder_words(argument);
  if (!argument.of_pieces) return words;
  std::erase_if(words, [](const std::string& word) {
    const analysis::Finder* const finder = analysis::finder_named(word);
    return finder && !finder->words().has_pieces();
  });
  return words;
}
std::vector<std::string> colored_words() {
  std::vector<std::string> words = kTypes;
  for (const std::string& finder : analysis::finder_names()) words.push_back(finder);
  words.emplace_back(kSliceWord);
  words.emplace_back(kMapWord);
  return words;
}
const std::vector<std::string>& type_words() {
  return kTypes;
}
const std::vector<std::string>& switch_words() {
  return kSwitches;
}

}  // namespace haloscope::app::session
