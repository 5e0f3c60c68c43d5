#pragma once

#include "core/error.h"

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace haloscope::app::cli {

// An option whose text a parser turns into a value at once, so that mistakes cost no time.
template <class Use>
CLI::Option* add_text(CLI::App& command, const std::string& name, const std::string& value_name,
                      const std::string& help, Use use) {
  return command
      .add_option_function<std::string>(
          name, [use](const std::string& text) { use(text); }, help)
      ->type_name(value_name);
}

// One of several words. Throws Error naming them for any other.
template <class Value>
void add_choice(CLI::App& command, const std::string& name,
                const std::map<std::string, Value>& choices, const std::string& help,
                Value& target) {
  std::string names;
  for (const auto& [word, value] : choices) names += (names.empty() ? "" : "|") + word;
  add_text(command, name, names, help, [&target, choices, name, names](const std::string& text) {
    const auto found = choices.find(text);
    if (found == choices.end()) throw Error("'" + text + "' is not one of " + names, name);
    target = found->second;
  });
}

// --device auto|cpu|cuda
inline void add_device_option(CLI::App& command, std::string& device) {
  const std::map<std::string, std::string> devices{
      {"auto", "auto"}, {"cpu", "cpu"}, {"cuda", "cuda"}};
  add_choice(command, "--device", devices, "Where to compute; auto: a GPU where there is one",
             device);
}

}  // namespace haloscope::app::cli
