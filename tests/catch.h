#pragma once

// Catch2 2 (Debian 12) and 3 (Ubuntu 24.04) differ in headers and in names.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
using Catch::Approx;

namespace Catch::Matchers {
inline StringContainsMatcher Contains(const std::string& part) {
  return ContainsSubstring(part);
}
}  // namespace Catch::Matchers
namespace Catch {
using Matchers::Contains, Matchers::Equals, Matchers::StartsWith;
}
#else
#include <catch2/catch.hpp>
#endif
