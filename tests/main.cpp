// Only for Catch2 2, whose main() is compiled by its users; Catch2 3 brings its own.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
