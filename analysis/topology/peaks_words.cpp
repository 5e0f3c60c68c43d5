#include "analysis/topology/peaks_words.h"

#include "analysis/option_parsing/option_error.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace haloscope::analysis {

namespace {

// Runs a parser that knows no options; its faults are those of one.
template <class F>
auto as_option(const F& parse) {
  try {
    return parse();
  } catch (const OptionError&) {
    throw;
  } catch (const Error& error) {
    throw OptionError(error.what());
  }
}

struct AmountWord {
  const char* word;
  Amount::Of of;
};
constexpr AmountWord kAmounts[] = {{"abs", Amount::Of::Absolute},
                                   {"mean", Amount::Of::Mean},
                                   {"ratio", Amount::Of::Ratio},
                                   {"sigma", Amount::Of::Sigma}};

// One of the first `known` words with a number behind it.
std::optional<Amount> parse_amount(const char* option, const std::string& text, std::size_t known,
                                   const char* usage) {
  if (text.empty()) return {};
  const auto colon = text.find(':');
  const std::string word = text.substr(0, colon);
  for (std::size_t k = 0; k < known && colon != std::string::npos; ++k)
    if (word == kAmounts[k].word)
      return Amount{kAmounts[k].of, as_option([&] {
                      return parse_number(marked(option), text.substr(colon + 1));
                    })};
  throw OptionError(fmt::format("'{}' does not tell what it is counted in", text), marked(option),
                    usage);
}

// The power of two at which a cell has about one particle.
std::uint32_t usual_cells(std::uint64_t particles) {
  constexpr double kFewest = 4, kMost = 9;  // 16 and 512
  const double power =
      std::round(std::log2(std::cbrt(double(std::max<std::uint64_t>(1, particles)))));
  return std::uint32_t(1) << int(std::clamp(power, kFewest, kMost));
}

}  // namespace

std::optional<Amount> parse_threshold(const std::string& text) {
  return parse_amount("threshold", text, 2, "write abs:X or mean:X");
}

std::optional<Amount> parse_persistence(const std::string& text) {
  const auto amount =
      parse_amount("persistence", text, 4, "write abs:X, mean:X, ratio:X or sigma:X");
  if (!amount) return {};
  if (amount->of == Amount::Of::Ratio && amount->value < 1)
    throw OptionError(
        fmt::format("a ratio of {:g} is below 1, which every peak has", amount->value),
        marked("persistence"), "give 1 or more");
  if (amount->value < 0)
    throw OptionError(fmt::format("a persistence of {:g} is below 0", amount->value),
                      marked("persistence"), "give 0 or more");
  return amount;
}

std::optional<ComponentLevels> parse_component_levels(const std::string& text,
                                                      compute::topology::Levels levels) {
  if (text.empty()) return {};
  const auto numbers = as_option([&] { return parse_numbers(marked("halos"), text, 2); });
  const bool above = levels == compute::topology::Levels::Super;
  if (above ? numbers[1] < numbers[0] : numbers[1] > numbers[0])
    throw OptionError(
        fmt::format("a peak of {:g} times the mean is {} its boundary, {:g} times", numbers[1],
                    above ? "below" : "above", numbers[0]),
        marked("halos"),
        above ? "write the boundary first: 82,200" : "write the boundary first: 0.4,0.2");
  return ComponentLevels{numbers[0], numbers[1]};
}

std::optional<VoidLevels> parse_void_levels(const std::string& text) {
  if (text.empty()) return {};
  const auto numbers = as_option([&] { return parse_numbers(marked("voids"), text, 2); });
  return VoidLevels{numbers[0], numbers[1]};
}

std::optional<std::array<bool, 3>> parse_closed(const std::string& text) {
  if (text.empty()) return {};
  if (text == "yes") return std::array<bool, 3>{true, true, true};
  std::array<bool, 3> axes{};
  if (text == "no") return axes;
  for (const std::string& word : as_option([&] { return parse_list(marked("closed"), text); })) {
    if (word.size() != 1 || word[0] < 'x' || word[0] > 'z')
      throw OptionError(fmt::format("'{}' is no axis", word), marked("closed"),
                        "write yes, no, or some of x,y,z");
    axes[std::size_t(word[0] - 'x')] = true;
  }
  return axes;
}

GridChoice grid_choice(const PeaksOptions& options, std::uint64_t particles) {
  GridChoice choice;
  choice.types = options.types;
  choice.field = options.field;
  choice.overdensity = options.field.empty();
  choice.assign = options.assign;
  choice.cells.fill(usual_cells(particles));
  as_option([&] {
    if (!options.grid.empty()) choice.cells = parse_cells(marked("grid"), options.grid);
    if (!options.smooth.empty())
      choice.smoothing = parse_smoothing(marked("smooth"), options.smooth);
    if (options.region.empty()) return;
    const auto v = parse_numbers(marked("region"), options.region, 6);
    choice.region = io::Region{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  });
  return choice;
}

}  // namespace haloscope::analysis
