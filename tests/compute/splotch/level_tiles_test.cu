// Levels added by tiles on a GPU beside the plain form.

#include "compute/exec/buffer.h"
#include "compute/exec/cpu.h"
#include "compute/exec/cuda.h"
#include "compute/splotch/level_tiles.h"
#include "tests/catch.h"
#include "tests/oracles/slow_levels.h"
#include "tests/skip.h"

#include <cstring>
#include <random>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::splotch;

TEST_CASE("levels added by tiles are those added cell by cell", "[levels][gpu]") {
  if (!is_usable(Device::cuda()))
    return haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  Cpu cpu;
  Cuda gpu(Device::cuda());
  std::mt19937 random(8);
  std::uniform_real_distribution<float> uniform(-0.2f, 1);
  const auto between = [&](int low, int high) {
    return int(random() % unsigned(high - low)) + low;
  };
  for (int trial = 0; trial < 200; ++trial) {
    const int width = between(1, 700), height = between(1, 120), k = between(1, 4);
    // Of some levels a few rows alone have light, so that some tiles have none.
    const int lit_rows = trial % 2 ? 3 : 1000;
    const auto filled = [&](Cells cells, std::vector<float>& light, int rows) {
      light.resize(4 * std::size_t(cells.width) * std::size_t(cells.height));
      for (std::size_t i = 0; i < light.size(); ++i) {
        const bool lit = i % 4 != 3 && int(i / 4) / cells.width < rows;
        light[i] = lit ? uniform(random) : 0;
      }
      cells.rgba = light.data();
      return cells;
    };
    std::vector<float> from, plain;
    const Cells coarse = filled(level_size(width, height, k), from, lit_rows);
    const Cells fine = filled(
        k == 1 ? Cells{nullptr, width, height, 0} : level_size(width, height, k - 1), plain, 1000);
    CellBox box;
    box.x0 = between(-fine.margin, fine.width - fine.margin);
    box.x1 = between(box.x0 + 1, fine.width - fine.margin + 1);
    box.y0 = between(-fine.margin, fine.height - fine.margin);
    box.y1 = between(box.y0 + 1, fine.height - fine.margin + 1);

    Buffer<float, Cuda> coarse_there(gpu, from.size(), "light of a test");
    Buffer<float, Cuda> fine_there(gpu, plain.size(), "light of a test");
    gpu.upload(coarse_there.data(), from.data(), from.size() * sizeof(float));
    gpu.upload(fine_there.data(), plain.data(), plain.size() * sizeof(float));
    Cells coarse_cells = coarse, fine_cells = fine;
    coarse_cells.rgba = coarse_there.data();
    fine_cells.rgba = fine_there.data();
    add_level_on_gpu(gpu, coarse_cells, fine_cells, box);
    std::vector<float> tiled(plain.size());
    gpu.download(tiled.data(), fine_there.data(), tiled.size() * sizeof(float));

    const haloscope::test::AddLevel add(coarse, fine, box);
    parallel_for(cpu, "add a level", add.calls(), add);
    INFO("columns " << box.x0 << " to " << box.x1 << " of " << width << ", rows " << box.y0
                    << " to " << box.y1 << " of " << height << ", level " << k);
    REQUIRE(std::memcmp(plain.data(), tiled.data(), plain.size() * sizeof(float)) == 0);
  }
}
