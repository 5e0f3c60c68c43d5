#pragma once

#include <cstdlib>
#include <iostream>

// Assertions for our own mistakes: print both values and stop. Always on, so never in inner loops.
namespace haloscope::detail {

template <class A, class B>
[[noreturn]] void check_failed(const char* expression, const A& a, const B& b, const char* file,
                               int line) {
  std::cerr << file << ":" << line << ": internal error: " << expression << " does not hold (" << a
            << " against " << b << ")\n";
  std::abort();
}

}  // namespace haloscope::detail

#define HALOSCOPE_CHECK(a, op, b)                                                                 \
  do {                                                                                            \
    const auto& check_a = (a);                                                                    \
    const auto& check_b = (b);                                                                    \
    if (!(check_a op check_b))                                                                    \
      ::haloscope::detail::check_failed(#a " " #op " " #b, check_a, check_b, __FILE__, __LINE__); \
  } while (false)
