#include "app/viewer/panels/page_words.h"

#include "analysis/finder.h"
#include "analysis/measuring/phase_options.h"
#include "analysis/measuring/profile_options.h"
#include "analysis/snapshot/output_guard.h"
#include "app/viewer/panels/overwrite_choice.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace haloscope::app::viewer {

namespace {

void replace_first(std::string& text, const std::string& part, const std::string& by) {
  if (const auto place = text.find(part); place != std::string::npos)
    text.replace(place, part.size(), by);
}

bool take_prefix(std::string& text, const std::string& prefix) {
  if (!text.starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '/';
}

// Where nothing but a whole word is meant; `at_first`: only the sentence's first one.
void replace_word(std::string& text, const std::string& word, const std::string& by,
                  bool at_first = false) {
  for (std::size_t at = text.find(word); at != std::string::npos;) {
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]));
    if (at_first && at > 0) return;
    if (whole) text.replace(at, word.size(), by);
    at = text.find(word, at + (whole ? by.size() : 1));
  }
}

std::string word_of_call(const session::Call& call) {
  if (call.values.empty()) return {};
  const auto* const text = std::get_if<std::string>(&call.values.front());
  return text ? *text : std::string();
}

// Those that the call's words KEY=VALUE are of.
analysis::AnyOptions options_of(const session::Call& call) {
  const std::string& name = call.command->name;
  if (name == "profile") return analysis::ProfileOptions{};
  if (name == "phase") return analysis::PhaseOptions{};
  const auto* const finder = analysis::finder_named(word_of_call(call));
  return finder ? finder->options() : analysis::AnyOptions();
}

void name_options(std::string& fault, const analysis::AnyOptions& options) {
  // Names without a line in them may be words of the sentence.
  for (const std::string& name : analysis::names_of(options))
    replace_word(fault, name, title_of_option(options, name), name.find('_') == std::string::npos);
}

// "SECONDS" → "seconds". What stands in capitals in the sentence itself has one letter.
void name_arguments(std::string& fault, const session::Command& command) {
  for (const session::Argument& argument : command.arguments) {
    std::string plain = argument.name;
    const auto is_capital = [](char c) {
      return std::isupper(static_cast<unsigned char>(c)) || c == '_';
    };
    if (plain.size() < 2 || !std::all_of(plain.begin(), plain.end(), is_capital)) continue;
    take_prefix(fault, plain + ": ");
    for (char& c : plain) c = c == '_' ? ' ' : char(std::tolower(static_cast<unsigned char>(c)));
    replace_word(fault, argument.name, plain);
  }
}

}  // namespace

std::string title_of_option(const analysis::AnyOptions& options, const std::string& name) {
  analysis::OptionNames known;
  analysis::AnyOptions visited = options;
  visit(known, visited);
  for (std::size_t k = 0; k < known.names.size(); ++k)
    if (known.names[k] == name && *known.abouts[k].label) return known.abouts[k].label;
  return name;
}

std::string in_words_of_pages(const session::Call& call, std::string fault) {
  replace_first(fault, analysis::overwriting_by_word(false).how,
                std::string("the box \"") + kOverwriteBox + "\" of the pages that write");
  const session::Command& command = *call.command;
  if (!take_prefix(fault, command.name + ": ") &&
      !take_prefix(fault, command.name + " " + word_of_call(call) + ": "))
    return fault;
  replace_first(fault, "; usage: " + session::usage(command), "");
  name_options(fault, options_of(call));
  name_arguments(fault, command);
  replace_first(fault, ": add_key", ": press Add key");
  replace_first(fault, ": open FILE first", "");
  return fault;
}

}  // namespace haloscope::app::viewer
