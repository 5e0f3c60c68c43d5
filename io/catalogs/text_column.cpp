#include "io/catalogs/text_column.h"

#include "io/text/cells.h"

#include <charconv>
#include <limits>
#include <utility>

namespace haloscope::io {

std::optional<TextNumber> parse_text_number(std::string_view word) {
  TextNumber number;
  if (word.empty()) {
    number.kind = TextNumber::Kind::Real;
    number.real = std::numeric_limits<double>::quiet_NaN();
    return number;
  }
  std::string_view digits = word;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  const char *begin = digits.data(), *end = begin + digits.size();
  if (const auto [at, error] = std::from_chars(begin, end, number.whole);
      error == std::errc() && at == end)
    return number;
  if (const auto [at, error] = std::from_chars(begin, end, number.large);
      error == std::errc() && at == end) {
    number.kind = TextNumber::Kind::Unsigned;
    return number;
  }
  number.kind = TextNumber::Kind::Real;
  if (!parse_number(word, number.real)) return {};
  return number;
}

void TextColumn::widen_to_real() {
  if (kind_ == TextNumber::Kind::Signed)
    real_.assign(whole_.begin(), whole_.end());
  else if (kind_ == TextNumber::Kind::Unsigned)
    real_.assign(large_.begin(), large_.end());
  whole_ = {};
  large_ = {};
  kind_ = TextNumber::Kind::Real;
}

void TextColumn::add(const TextNumber& number) {
  using Kind = TextNumber::Kind;
  const bool below_zero = number.kind == Kind::Signed && number.whole < 0;
  if (kind_ == Kind::Signed && number.kind == Kind::Unsigned && !negative_) {
    large_.assign(whole_.begin(), whole_.end());
    whole_ = {};
    kind_ = Kind::Unsigned;
  }
  const bool fits = number.kind == kind_ ||
                    (kind_ == Kind::Unsigned && number.kind == Kind::Signed && !below_zero);
  if (kind_ != Kind::Real && !fits) widen_to_real();
  negative_ = negative_ || below_zero;
  switch (kind_) {
    case Kind::Signed:
      whole_.push_back(number.whole);
      break;
    case Kind::Unsigned:
      large_.push_back(number.kind == Kind::Unsigned ? number.large : std::uint64_t(number.whole));
      break;
    case Kind::Real:
      real_.push_back(number.kind == Kind::Real       ? number.real
                      : number.kind == Kind::Unsigned ? double(number.large)
                                                      : double(number.whole));
  }
}

void TextColumn::move_to(CatalogColumn& column) {
  switch (kind_) {
    case TextNumber::Kind::Signed:
      column.scalar = ScalarType::Int64;
      column.values = std::move(whole_);
      break;
    case TextNumber::Kind::Unsigned:
      column.scalar = ScalarType::UInt64;
      column.values = std::move(large_);
      break;
    case TextNumber::Kind::Real:
      column.scalar = ScalarType::Float64;
      column.values = std::move(real_);
  }
}

}  // namespace haloscope::io
