#pragma once

// How much of a large test the sanitizers see, under which everything takes several times as long.
// For sizes and repetitions that run the same code again: whoever takes less says what is left out.

namespace haloscope::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

template <class Size>
constexpr Size sized(Size whole, Size sanitized) {
  return kSanitized ? sanitized : whole;
}

}  // namespace haloscope::test
