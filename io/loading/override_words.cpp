#include "io/loading/override_words.h"

#include "core/error.h"
#include "io/snapshots/hdf5_smoothing_lengths.h"
#include "io/text/unit_words.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <utility>

namespace haloscope::io {

namespace {

[[noreturn]] void bad(const std::string& text, const std::string& where,
                      const std::string& expected) {
  throw Error(fmt::format("'{}' is not {}", text, expected), where);
}

double leading_number(std::string& text, double otherwise) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return otherwise;
  text.erase(0, std::size_t(end - text.data()));
  return value;
}

double parse_positive(const std::string& text, const std::string& where, bool zero_too) {
  std::string rest = text;
  const double value = leading_number(rest, -1);
  if (!rest.empty() || !std::isfinite(value) || value < 0 || (value == 0 && !zero_too))
    bad(text, where, zero_too ? "a number, 0 or greater" : "a positive number");
  return value;
}

// Of no universe that is simulated: 70 is meant as 0.7.
constexpr double kLeastHubble = 0.1, kLargestHubble = 3;

double parse_hubble(const std::string& text, const std::string& where) {
  const double h = parse_positive(text, where, false);
  if (h < kLeastHubble || h > kLargestHubble)
    bad(text, where, "a Hubble parameter in 100 km/s/Mpc: give 0.7 for 70");
  return h;
}

bool parse_yes(const std::string& text, const std::string& where) {
  if (text == "yes" || text == "true") return true;
  if (text == "no" || text == "false") return false;
  bad(text, where, "yes or no");
}

// A later unit replaces an earlier one wholly: "kpc" takes back the "c" of "ckpc", but nothing that
// was said in so many words; a "c" is later than these.
void set_length(Overrides& o, const std::string& text, const std::string& where) {
  const auto unit = length_by_words(text);
  if (!unit) bad(text, where, "a length such as kpc, Mpc/h or 3.08e21cm");
  o.unit_length_cm = unit->cgs;
  o.length_per_h = unit->per_h;
  o.comoving_by_unit = unit->comoving ? std::optional<bool>(true) : std::nullopt;
  if (unit->comoving) o.comoving.reset();
}

void set_mass(Overrides& o, const std::string& text, const std::string& where) {
  const auto unit = mass_by_words(text);
  if (!unit) bad(text, where, "a mass such as Msun, 1e10Msun/h or 2e33g");
  o.unit_mass_g = unit->cgs;
  o.mass_per_h = unit->per_h;
}

// What stands behind the unit, taken off; nothing where the unit stands alone.
std::optional<double> take_power_of_a(std::string& text) {
  static const std::pair<std::string, double> endings[] = {
      {"*sqrt(a)", 0.5}, {"*a", 1}, {"peculiar", 0}};
  std::erase(text, ' ');
  for (const auto& [ending, power] : endings)
    if (text.ends_with(ending)) {
      text.resize(text.size() - ending.size());
      return power;
    }
  return {};
}

void set_velocity(Overrides& o, const std::string& text, const std::string& where) {
  std::string words = text;
  const auto power_of_a = take_power_of_a(words);
  const auto unit = velocity_by_words(words);
  if (!unit)
    bad(text, where, "a velocity such as km/s, 1e5cm/s, km/s*sqrt(a), km/s*a or km/s peculiar");
  if (unit->per_h) bad(text, where, "a velocity such as km/s: velocities carry no h");
  o.unit_velocity_cm_per_s = unit->cgs;
  o.velocity_power_of_a = power_of_a;
}

// Ratios of the cubic spline's support to its standard deviation and to twice that (SWIFT's h):
// Dehnen & Aly 2012, table 1.
constexpr double kSupportPerSigma = 2 * 1.825742;

void set_smoothing(Overrides& o, const std::string& text, const std::string& where) {
  using Kind = SmoothingLengthMeaning::Kind;
  static const std::map<std::string, double> factors{{"support", 1},
                                                     {"half-support", 2},
                                                     {"sigma", kSupportPerSigma},
                                                     {"two-sigma", kSupportPerSigma / 2}};
  o.smoothing_kind = Kind::Length;
  if (text == "volume") {
    o.smoothing_kind = Kind::Volume;
    o.support_per_smoothing_length = kSupportPerCellRadius;
  } else if (const auto found = factors.find(text); found != factors.end()) {
    o.support_per_smoothing_length = found->second;
  } else {
    std::string rest = text;
    const double factor = leading_number(rest, 0);
    if (!rest.empty() || !(factor > 0) || !std::isfinite(factor))
      bad(text, where, "support, half-support, sigma, two-sigma, volume or a factor");
    o.support_per_smoothing_length = factor;
    o.smoothing_kind.reset();  // a factor on whatever the value is
  }
}

}  // namespace

const std::vector<OverrideWord>& override_words() {
  static const std::vector<OverrideWord> words{
      {"unit-length", "LENGTH", "What a length of 1 is: kpc, Mpc/h, 3.08e21cm", set_length},
      {"unit-mass", "MASS", "What a mass of 1 is: Msun, 1e10Msun/h, 2e33g", set_mass},
      {"unit-velocity", "VELOCITY",
       "What a velocity of 1 is: km/s, 1e5cm/s (the power of a is the file's or its format's, of "
       "comoving GADGET's sqrt(a)), or with it: 'km/s peculiar', 'km/s*sqrt(a)', 'km/s*a'",
       set_velocity},
      {"comoving", "yes|no", "Whether lengths are comoving",
       [](Overrides& o, const std::string& text, const std::string& where) {
         o.comoving = parse_yes(text, where);
       }},
      {"hubble", "h", "Hubble parameter in 100 km/s/Mpc: 0.7, not 70",
       [](Overrides& o, const std::string& text, const std::string& where) {
         o.hubble_param = parse_hubble(text, where);
       }},
      {"box", "SIDE", "Side of the box in the file's lengths; 0: none",
       [](Overrides& o, const std::string& text, const std::string& where) {
         o.box_size = parse_positive(text, where, true);
       }},
      {"periodic", "yes|no", "Whether the box is periodic",
       [](Overrides& o, const std::string& text, const std::string& where) {
         o.periodic = parse_yes(text, where);
       }},
      {"smoothing-means", "support|half-support|sigma|two-sigma|volume|FACTOR",
       "What a stored smoothing length is: the radius where the kernel ends, half of it, the "
       "kernel's standard deviation or twice that (cubic spline), a cell's volume, or FACTOR is "
       "the ratio of the radius to it (of cells: to the radius of a sphere of their volume)",
       set_smoothing},
  };
  return words;
}

const OverrideWord* find_override_word(const std::string& word) {
  for (const auto& known : override_words())
    if (known.word == word) return &known;
  return nullptr;
}

}  // namespace haloscope::io
