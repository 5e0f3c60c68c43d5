// `haloscope selftest`, and what it says where a result is wrong.

#include "app/cli/selftest.h"

#include "tests/catch.h"
#include "tests/command_line.h"

#include <chrono>

using namespace haloscope;
using namespace haloscope::analysis;
using namespace haloscope::app;
using namespace haloscope::app::cli;
using haloscope::test::run_program;

namespace {

struct Said {
  std::string text;
  Progress progress;
  RunContext context{progress, [this](const std::string& line) { text += line + "\n"; }, ""};
};

// A result that is the device's name's length.
app::cli::Check length_check(double stored) {
  return {"a length",
          [](compute::Device device, Progress&) {
            return app::cli::Result{{1}, {}, {double(device.word().size())}};
          },
          {app::cli::checksum({1}), {stored}}};
}

}  // namespace

TEST_CASE("the program's own checks hold here, in less than ten seconds", "[app][gpu]") {
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = run_program({"selftest"});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Catch::Matches("[^]*ok +cpu +picture in classic mode[^]*"));
  CHECK(outcome.says("are as they should be"));
  CHECK(outcome.says("cuda"));  // checked, or said to be left out
#ifdef NDEBUG
  CHECK(taken.count() < 10);
#endif
}

TEST_CASE("a result that is not as stored fails, and the others are told", "[app]") {
  Said said;
  CHECK_THROWS_WITH(
      run_checks({length_check(4), length_check(3)}, {compute::Device::cpu()}, false, said.context),
      Catch::Contains("1 of 2 checks failed"));
  CHECK_THAT(said.text,
             Catch::Contains("FAILED    cpu   a length: figure 1 is 3, not 4 as stored"));
  CHECK_THAT(said.text, Catch::Contains("ok        cpu   a length"));
}

TEST_CASE("a device that computes something else fails", "[app]") {
  Said said;
  auto check = length_check(3);
  check.stored.tolerance = 1;
  check.compute = [](compute::Device device, Progress&) {
    return app::cli::Result{{1}, {float(device.word().size())}, {3}};
  };
  CHECK_THROWS_AS(
      run_checks({check}, {compute::Device::cpu(), compute::Device::cuda()}, false, said.context),
      CheckFailed);
  CHECK_THAT(said.text, Catch::Contains("FAILED    cuda  a length: 1 of 1 values of the image"));
  check.compute = [](compute::Device device, Progress&) -> app::cli::Result {
    if (device.is_gpu()) throw Error("the driver is gone");
    return {{1}, {}, {3}};
  };
  CHECK_THROWS_AS(
      run_checks({check}, {compute::Device::cpu(), compute::Device::cuda()}, false, said.context),
      CheckFailed);
  CHECK_THAT(said.text, Catch::Contains("the driver is gone"));
}

TEST_CASE("checks name each of several GPUs, and their names stand in one column", "[app]") {
  Said said;
  app::cli::Check any = length_check(4);
  any.compute = [](compute::Device, Progress&) { return app::cli::Result{{1}, {}, {4}}; };
  using compute::Device;
  run_checks({any}, {Device::cpu(), Device::cuda(), Device::cuda(1)}, false, said.context);
  CHECK_THAT(said.text, Catch::Contains("ok        cpu    a length") &&
                            Catch::Contains("ok        cuda   a length") &&
                            Catch::Contains("ok        cuda:1 a length") &&
                            Catch::Contains("all 3 checks are as they should be"));
}

TEST_CASE("a NaN is not as stored", "[app]") {
  Said said;
  CHECK_THROWS_AS(run_checks({length_check(NAN)}, {compute::Device::cpu()}, false, said.context),
                  CheckFailed);
}

TEST_CASE("a check that is interrupted ends the program's checks", "[app]") {
  Said said;
  said.progress.cancel();
  CHECK_THROWS_AS(run_checks({length_check(3)}, {compute::Device::cpu()}, false, said.context),
                  Cancelled);
}
