#pragma once

#include <string>

// Tests that cannot run here. ctest counts them as skipped and not as passed; where the
// environment's HALOSCOPE_REQUIRE names what they need (with commas between: "shared,gpu"), they
// fail.
namespace haloscope::test {

enum class Needs {
  Shared,  // the project's test data
  Gpu,
  TwoGpus,
  Window,  // OpenGL, or a display
  System   // rights or memory that this user or machine has not
};

// Fails the test that runs where such a thing is required; else notes why it is skipped. The caller
// returns then:
//   if (!is_usable(Device::cuda())) return skip(Needs::Gpu, "there is no GPU");
// A test that was skipped in part and fails in another has failed.
void skip(Needs what, const std::string& why);

// Fails the test that runs where such a thing is required: of tests that are worth something
// without it.
void require_here(Needs what, const std::string& why);

}  // namespace haloscope::test
