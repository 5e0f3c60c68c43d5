#include "io/text/length_words.h"

#include <algorithm>
#include <cctype>

namespace haloscope::io {

namespace {

struct LengthWord {
  std::string_view word;
  double size;
  bool of_parsec = false;
};
constexpr LengthWord kLengths[] = {{"cm", 1},
                                   {"m", 1e2},
                                   {"km", 1e5},
                                   {"Rsun", 6.957e10},
                                   {"AU", 1.495978707e13},
                                   {"pc", 1, true},
                                   {"kpc", 1e3, true},
                                   {"Mpc", 1e6, true},
                                   {"Gpc", 1e9, true}};

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

std::optional<double> length_in_cm(std::string_view word, double parsec_cm, bool any_case) {
  for (const auto& known : kLengths)
    if (any_case ? same_letters(word, known.word) : word == known.word)
      return known.of_parsec ? known.size * parsec_cm : known.size;
  return {};
}

}  // namespace haloscope::io
