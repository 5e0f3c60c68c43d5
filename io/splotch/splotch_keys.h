#pragma once

#include "io/splotch/splotch_parameters.h"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace haloscope::io {

// The text of one parameter, with where it stands; converts itself, and names file, line, key and
// value where it cannot.
class SplotchValue {
 public:
  SplotchValue(std::string key, std::string text, std::string where);

  const std::string& text() const { return text_; }
  const std::string& where() const { return where_; }
  double number() const;  // finite
  double number_above(double limit) const;
  int integer(int low, int high) const;
  int one_of(std::initializer_list<int> values, const char* meaning) const;
  bool boolean() const;  // T, true, .true., y, yes, 1 and their opposites, in any case
  [[noreturn]] void fail(const std::string& expected) const;

 private:
  std::string key_, text_, where_;
};

enum class SplotchKeyStatus {
  Supported,
  Ignored,        // no effect on the picture
  Unsupported,    // would change the picture: an error unless set to `harmless`
  FixedInScenes,  // supported, but Splotch reads it once, before the first frame
};

// One key that Splotch 6 knows.
struct SplotchKey {
  std::string_view name;
  bool per_type = false;  // the key in the file ends in the type's number
  SplotchKeyStatus status = SplotchKeyStatus::Ignored;
  void (*set)(SplotchParameters&, const SplotchValue&) = nullptr;
  void (*set_type)(SplotchType&, const SplotchValue&) = nullptr;
  std::string_view harmless = {};  // Unsupported: the value that changes nothing; empty: none
  std::string_view meaning = {};   // Unsupported: what it would do, for the message
};

std::span<const SplotchKey> splotch_keys();

// Highest type number a key may end in.
inline constexpr int kMaxSplotchType = 63;

// The key behind a name as it stands in a file; nullptr: unknown. `type` gets the number at the end
// of a per-type key.
const SplotchKey* find_splotch_key(const std::string& name, int& type);

// "'brigthness0' is not a Splotch parameter and has no effect; did you mean 'brightness0'?"
std::string unknown_splotch_key(const std::string& name);

}  // namespace haloscope::io
