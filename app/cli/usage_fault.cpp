#include "app/cli/usage_fault.h"

#include "core/edit_distance.h"
#include "core/error.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace haloscope::app::cli {

namespace {

const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

// Every name that may stand where `word` stands: options of the chosen command, or commands.
std::vector<std::string> known_words(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with("-")) {
    for (const CLI::Option* option : chosen_command(app).get_options())
      for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  } else {
    for (const CLI::App* sub : app.get_subcommands(nullptr)) known.push_back(sub->get_name());
  }
  return known;
}

std::string unknown_word(const CLI::App& app) {
  const auto rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  const auto nearest = nearest_word(word, known_words(app, word));
  const bool of_command = !app.get_subcommands().empty();
  return (word.starts_with("-") ? "there is no option " + word
          : of_command          ? "'" + word + "' is one word more than the command takes"
                                : "there is no command '" + word + "'") +
         (nearest ? "; did you mean " + *nearest + "?" : "");
}

std::string missing_option(const CLI::App& app) {
  for (const CLI::Option* option : chosen_command(app).get_options())
    if (option->get_required() && option->count() == 0) {
      std::string names = option->get_name(false, true);  // "-o,--output", or what has no dashes
      std::replace(names.begin(), names.end(), ',', '/');
      return (names.empty() ? option->get_name() : names) + " is missing";
    }
  return "an option is missing";
}

// CLI11 keeps the options' names in its sentences alone: what stands before and behind `mark`.
struct Parts {
  std::string before, behind;
};

Parts split(const std::string& text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + mark.size())};
}

std::string sentence(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) return unknown_word(app);
  if (dynamic_cast<const CLI::RequiredError*>(&error)) {
    // A misspelt option is why the right one is missing.
    const auto rest = app.remaining(true);
    const bool misspelt = !rest.empty() && rest.front().starts_with("-");
    return misspelt ? unknown_word(app) : missing_option(app);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const Parts parts = split(text, ": ");
    const bool many = parts.behind.find("Most") != std::string::npos;
    return Error(many ? "it is given several times" : "its value is missing", parts.before,
                 many ? "give it once" : "")
        .what();
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&error)) {
    const Parts parts = split(text, " excludes ");
    return parts.before + " and " + parts.behind + " say the same or the opposite; leave one out";
  }
  if (dynamic_cast<const CLI::RequiresError*>(&error)) {
    const Parts parts = split(text, " requires ");
    return parts.before + " works with " + parts.behind + " alone; give both";
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error)) {
    const Parts parts = split(split(text, ": ").behind, " = ");
    if (!parts.behind.empty())
      return Error("'" + parts.behind + "' is not a value of this option", parts.before).what();
  }
  return text;
}

}  // namespace

std::string usage_fault(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "" : chosen.front()->get_name() + " ";
  return sentence(app, error) + " (haloscope " + command + "--help tells more)";
}

void require_values(const CLI::App& app) {
  for (const CLI::Option* option : chosen_command(app).get_options())
    for (const auto& value : option->results())
      if (value.empty())
        throw Error("its value is empty", option->get_name(),
                    "give a value, or leave the option out");
}

}  // namespace haloscope::app::cli
