// In benchmarks that are compiled without optimization: whoever runs them is told.
#include <cstdio>

namespace {

const int told = std::fprintf(
    stderr,
    "This benchmark was built with HALOSCOPE_COMPILE_ONLY=ON, without optimization: its times "
    "say nothing. Build it without that option.\n");

}  // namespace
