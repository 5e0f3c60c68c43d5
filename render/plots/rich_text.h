#pragma once

#include <string>
#include <vector>

namespace haloscope::render {

// Raised and lowered letters are as large as this part of the others, and moved by so much of their
// size.
inline constexpr double kScriptSize = 0.72, kRaised = 0.34, kLowered = 0.16;

struct TextRun {
  std::string words;
  int level = 0;  // 1 raised, -1 lowered
  bool operator==(const TextRun&) const = default;
};

// "10^{12}", "Mpc^-3" and "log_{10}" in pieces of one height. A minus in front of a digit is a
// minus, not a hyphen, and Msun is M with the sign of the sun.
std::vector<TextRun> text_runs(const std::string& text);

}  // namespace haloscope::render
