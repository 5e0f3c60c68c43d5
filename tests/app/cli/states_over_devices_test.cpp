// `haloscope render --gpus` with `--state` and `--overlays`: what several ranks draw is what one
// process draws.

#include "app/cli/render.h"
#include "compute/exec/device.h"
#include "render/files/png_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace haloscope::test {

namespace {

struct Drawn {
  std::vector<std::uint8_t> pixels;
  std::vector<std::string> lines;  // without times
};

// Without devices: by one process. `state`: a file; empty: none.
Drawn draw(const OutputFolder& folder, const std::string& state, std::size_t devices,
           const std::function<void(render::RenderRequest&)>& more = {}) {
  render::RenderRequest request;
  request.snapshot = sample_file();
  request.state = state;
  request.output = folder.path("out.png");
  request.size = PixelSize{96, 61};
  request.keep_lengths = io::KeepLengths::Nowhere;
  request.compute.device = "cpu";
  request.compute.deterministic = true;
  if (more) more(request);
  Drawn drawn;
  Progress progress;
  analysis::RunContext context{progress,
                               [&](const std::string& line) {
                                 if (line.find("milliseconds on") == std::string::npos)
                                   drawn.lines.push_back(line);
                               },
                               "haloscope render"};
  app::cli::run_render_on(std::vector<compute::Device>(devices, compute::Device::cpu()), request,
                          context);
  drawn.pixels = render::read_png(request.output).pixels;
  return drawn;
}

// Beside one process, whose picture is none of `others`.
void check_beside_one(const OutputFolder& folder, const std::string& state,
                      std::vector<std::vector<std::uint8_t>>& others,
                      const std::function<void(render::RenderRequest&)>& more = {}) {
  const Drawn one = draw(folder, state, 0, more);
  for (const auto& other : others) {
    const bool differs = one.pixels != other;
    CHECK(differs);
  }
  others.push_back(one.pixels);
  for (const std::size_t devices : {2, 3}) {
    INFO(devices << " devices");
    const Drawn several = draw(folder, state, devices, more);
    const bool same = several.pixels == one.pixels;
    CHECK(same);
    CHECK(several.lines == one.lines);
  }
}

}  // namespace

TEST_CASE("several devices draw what a state shows as one process does",
          "[window][app][ranks][states]") {
  const OutputFolder folder;
  const auto state = [&](const char* name) { return folder.path(name); };
  std::string commands;
  const auto save = [&](const std::string& before, const char* name) {
    commands += before + "wait\nsave_state \"" + state(name) + "\"\n";
  };
  save("find halos\n", "searched.toml");
  save("color_by halos\n", "colors.toml");
  save("find clusters\nwait\ncolor_by clusters outlier_score\n", "field.toml");
  save("color_by off\nstructures halos\nselect_members 0\nset first orange\nshow_sets only\n",
       "sets.toml");
  save("show_sets off\nfind peaks grid=16 persistence=mean:2\nwait\nslice z\n", "slice.toml");
  put_bytes(folder.path("commands.txt"), commands);
  const Outcome view = run_program({"view", sample_file(), "--headless", "--device", "cpu", "--run",
                                    folder.path("commands.txt")});
  INFO(view.out << view.err);
  REQUIRE(view.code == 0);

  std::vector<std::vector<std::uint8_t>> pictures;
  for (const char* const name :
       {"searched.toml", "colors.toml", "field.toml", "sets.toml", "slice.toml"}) {
    INFO(name);
    check_beside_one(folder, state(name), pictures);
  }
  for (const char* const overlay : {"usual", "box", "pieces"}) {
    INFO(overlay);
    check_beside_one(folder, state("searched.toml"), pictures, [&](render::RenderRequest& r) {
      r.overlays = std::vector<std::string>{overlay};
    });
  }
}

}  // namespace haloscope::test
