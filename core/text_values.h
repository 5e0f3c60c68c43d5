#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// What stands behind an option on the command line, as values. Each function throws Error naming
// the option and what it expects.
namespace haloscope {

struct PixelSize {
  int width = 1920;
  int height = 1080;
};

// "1920x1080"; sides from 1 to 16384.
PixelSize parse_size(const std::string& option, const std::string& text);

// One finite number.
double parse_number(const std::string& option, const std::string& text);

// Whether a text is a whole number that 64 bits hold, which `count` then is; "1e6" is one too.
bool is_count(const std::string& text, std::uint64_t& count);

// One whole number from `least` to `most`; "1e6" is one too.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t least,
                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

// `count` finite numbers, separated by commas.
std::vector<double> parse_numbers(const std::string& option, const std::string& text,
                                  std::size_t count);
std::array<double, 3> parse_vector(const std::string& option, const std::string& text);

// "LO,HI" with LO < HI.
std::array<double, 2> parse_range(const std::string& option, const std::string& text);

// "8G", "500M", "2T", "123456" bytes; powers of 1024.
std::uint64_t parse_bytes(const std::string& option, const std::string& text);

// Words between commas, blanks trimmed; empty words are an error.
std::vector<std::string> parse_list(const std::string& option, const std::string& text);

// Without blanks and tabs at its ends.
std::string trimmed(const std::string& text);

// ASCII letters in lower case.
std::string lower_case(std::string text);

// 1536 → "1.5 KiB".
std::string bytes_in_words(std::uint64_t bytes);

}  // namespace haloscope
