// `haloscope grid --gpus`: what one process on several devices writes and says is that of one
// device. Here the devices are the processor, several times, or one GPU; GPUs where there are two.

#include "app/cli/grid.h"
#include "compute/exec/device.h"
#include "tests/catch.h"
#include "tests/gpus.h"
#include "tests/output_folder.h"
#include "tests/skip.h"
#include "tests/test_paths.h"

#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;

namespace {

struct MadeGrid {
  std::string file;
  std::vector<std::string> lines;  // without times
  bool operator==(const MadeGrid&) const = default;
};

using More = std::function<void(analysis::GridCommand&)>;

MadeGrid grid_on(const std::vector<compute::Device>& devices, const More& more) {
  const OutputFolder folder;
  analysis::GridCommand request;
  request.snapshot = sample_file();
  request.output = folder.path("grid.npy");
  request.choice.cells = {17, 12, 16};
  request.device = "cpu";
  more(request);
  MadeGrid made;
  Progress progress;
  analysis::RunContext context{progress,
                               [&](const std::string& line) {
                                 const bool differs =
                                     line.find("milliseconds") == 0 || line.find("wrote ") == 0;
                                 if (!differs) made.lines.push_back(line);
                               },
                               "haloscope grid"};
  app::cli::run_grid_on(devices, request, context);
  std::ifstream in(request.output, std::ios::binary);
  made.file = {std::istreambuf_iterator<char>(in), {}};
  return made;
}

const std::vector<More>& choices() {
  using compute::grids::Assign;
  static const std::vector<More> all{
      [](auto&) {},
      [](auto& r) {
        r.choice.of = analysis::GridOf::Mean;
        r.choice.field = "Masses";
      },
      [](auto& r) {
        r.choice.assign = Assign::Kernel;
        r.choice.smoothing = {1.5, true};
        r.choice.types = {"gas"};
        r.choice.overdensity = true;
      },
      [](auto& r) {
        r.choice.assign = Assign::Triangular;
        r.choice.region = io::Region{{5000, 5000, 5000}, {12000, 11000, 13000}};
      }};
  return all;
}

void check_grids(const std::vector<std::vector<compute::Device>>& sets_of_devices) {
  for (std::size_t c = 0; c < choices().size(); ++c) {
    const MadeGrid one = grid_on({}, choices()[c]);
    REQUIRE(one.file.size() > 1000);
    for (const auto& devices : sets_of_devices) {
      INFO("choice " << c << ", " << devices.size() << " ranks on " << devices.front().word());
      const MadeGrid several = grid_on(devices, choices()[c]);
      CHECK((several.file == one.file));
      CHECK(several.lines == one.lines);
    }
  }
}

}  // namespace

TEST_CASE("grids on several devices are those of one, byte for byte, and are told once",
          "[app][ranks][grids]") {
  const auto cpu = compute::Device::cpu();
  check_grids({{cpu}, {cpu, cpu}, {cpu, cpu, cpu}});
}

TEST_CASE("grids by several ranks on one GPU are those of the processor",
          "[gpu][app][ranks][grids]") {
  const auto gpu = compute::Device::cuda();
  if (!compute::is_usable(gpu)) return skip(Needs::Gpu, "there is no GPU");
  check_grids({{gpu}, {gpu, gpu}, {gpu, gpu, gpu}});
}

TEST_CASE("grids on two GPUs are those of the processor", "[gpu][app][ranks][grids]") {
  const auto gpus = two_gpus();
  if (gpus.empty()) return;
  check_grids({gpus});
}
