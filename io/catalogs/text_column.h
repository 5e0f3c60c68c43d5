#pragma once

#include "core/halo_catalog.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace haloscope::io {

// A number as it stands in a text: whole where it can be.
struct TextNumber {
  enum class Kind { Signed, Unsigned, Real } kind = Kind::Signed;
  std::int64_t whole = 0;
  std::uint64_t large = 0;  // of Kind::Unsigned: beyond what a signed one holds
  double real = 0;
};

// Nothing where the word is not wholly a number as parse_number takes it; an empty word is NaN.
std::optional<TextNumber> parse_text_number(std::string_view word);

// Values of one column, which widens from whole to real numbers when it has to.
class TextColumn {
 public:
  void add(const TextNumber& number);
  // Hands the values over.
  void move_to(CatalogColumn& column);

 private:
  void widen_to_real();

  TextNumber::Kind kind_ = TextNumber::Kind::Signed;
  bool negative_ = false;
  std::vector<std::int64_t> whole_;
  std::vector<std::uint64_t> large_;
  std::vector<double> real_;
};

}  // namespace haloscope::io
