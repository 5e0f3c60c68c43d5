#include "app/viewer/tasks/measurer.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <memory>
#include <string>

// What is measured again, and what is not.

namespace haloscope::app::viewer {

TEST_CASE("what failed or was stopped is measured again when it is asked for again, not by itself",
          "[window][task]") {
  int count = 0;
  bool fails = true;
  Measurer measurer({});
  const Measurer::Request request{"a", "measuring", [&](Progress&) {
                                    ++count;
                                    if (fails) throw Error("there is no file");
                                    return analysis::Measurement{};
                                  }};
  const auto measured = [&] {
    measurer.want(request);
    measurer.wait();
    measurer.receive();
    return count;
  };
  CHECK(measured() == 1);
  CHECK(measurer.shown().fault.find("there is no file") != std::string::npos);
  CHECK(measured() == 1);
  fails = false;
  measurer.try_again();
  CHECK(measured() == 2);
  CHECK(measurer.shown().made);
  // It is known now.
  measurer.try_again();
  CHECK(measured() == 2);
  CHECK(measurer.shown().made);
  // Stopped before it came.
  Measurer::Request other = request;
  other.key = "b";
  measurer.want(other);
  measurer.stop();
  CHECK_FALSE(measurer.receive());
  const int before = count;
  measurer.want(other);
  measurer.wait();
  CHECK(count == before);
  measurer.try_again();
  measurer.want(other);
  measurer.wait();
  measurer.receive();
  CHECK(count == before + 1);
  CHECK(measurer.shown().made);
}

TEST_CASE("what was measured of another snapshot, file or finding is not kept", "[window][task]") {
  const test::OutputFolder folder;
  const std::string file = folder.path("catalog.csv");
  test::put_bytes(file, "1");
  int count = 0;
  Measurer measurer({});
  Measurer::Request request{"a",
                            "measuring",
                            [&](Progress&) {
                              ++count;
                              return analysis::Measurement{};
                            },
                            "a.hdf5",
                            {file}};
  const auto measured = [&] {
    measurer.want(request);
    measurer.wait();
    measurer.receive();
    return count;
  };
  CHECK(measured() == 1);
  measurer.forget_changed();
  measurer.forget_others("a.hdf5");
  CHECK(measured() == 1);
  test::put_bytes(file, "12");
  CHECK(measured() == 1);
  measurer.forget_changed();
  CHECK_FALSE(measurer.shown().made);
  CHECK(measured() == 2);
  measurer.forget_others("b.hdf5");
  CHECK(measured() == 3);
  request.about = std::make_shared<int>(0);
  CHECK(measured() == 4);
  CHECK(measured() == 4);
}

}  // namespace haloscope::app::viewer
