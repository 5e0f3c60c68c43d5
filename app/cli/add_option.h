#pragma once

#include "analysis/snapshot/snapshot_options.h"
#include "compute/exec/device.h"
#include "compute/exec/mpi/mpi_ranks.h"
#include "compute/exec/rank_devices.h"
#include "core/error.h"
#include "core/text_values.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>

namespace haloscope::app::cli {

// The whole number that a count is kept in, and the largest that it holds.
template <class Whole>
Whole whole_of(const Whole*);
template <class Whole>
Whole whole_of(const std::optional<Whole>*);
template <class Count>
constexpr std::uint64_t most_of(const Count* count) {
  return std::uint64_t(std::numeric_limits<decltype(whole_of(count))>::max());
}

// An option whose text a parser turns into a value at once, so that mistakes cost no time.
template <class Use>
CLI::Option* add_text(CLI::App& command, const std::string& name, const std::string& value_name,
                      const std::string& help, Use use) {
  return command
      .add_option_function<std::string>(
          name, [use](const std::string& text) { use(text); }, help)
      ->type_name(value_name);
}

// A count: a whole number from `least` to `most`, kept in a whole number or an optional one.
// Negative numbers, fractions, text and what the type cannot hold are refused.
template <class Count>
CLI::Option* add_count(CLI::App& command, const std::string& name, const std::string& value_name,
                       const std::string& help, Count& target, std::uint64_t least,
                       std::uint64_t most = most_of(static_cast<const Count*>(nullptr))) {
  return add_text(command, name, value_name, help,
                  [&target, name, least, most](const std::string& text) {
                    using Whole = decltype(whole_of(static_cast<const Count*>(nullptr)));
                    target = Whole(parse_count(name, text, least, most));
                  });
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

// --overwrite: see require_target.
inline void add_overwrite_option(CLI::App& command, bool& overwrite) {
  command.add_flag("--overwrite", overwrite,
                   "Replace also files that another program wrote, or of another format");
}

// --device: a word of compute::choose_device(), which is asked when the command runs: --help wakes
// no GPU.
// Where `said` is given, the fields that are made of that snapshot are made there too.
inline void add_device_option(CLI::App& command, std::string& device,
                              analysis::SnapshotOptions* said = nullptr) {
  add_text(command, "--device", "auto|cpu|cuda|cuda:N",
           "Where to compute; auto: a GPU where there is one; cuda:1: the second of several",
           [&device, said](const std::string& text) {
             compute::parse_device(text);
             device = text;
             if (said) said->device = text;
           });
}

// --gpus: a word of compute::choose_gpus(), which is asked when the command runs.
inline void add_gpus_option(CLI::App& command, std::string& gpus) {
  add_text(command, "--gpus", "all|N,N",
           "Compute on several GPUs of this machine: all, or those of these numbers",
           [&gpus](const std::string& text) {
             // Under a launcher the option is refused whatever it names: devices_of_gpus().
             if (compute::find_launcher().size == 1) compute::check_gpus_word(text);
             gpus = text;
           });
}

}  // namespace haloscope::app::cli
