// `haloscope render --gpus` with `--state` and `--overlays`: what several ranks draw is what one
// process draws.

#include "app/cli/movie.h"
#include "render/files/png_file.h"
#include "tests/app/cli/draw_on_devices.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <functional>
#include <string>
#include <vector>

namespace haloscope::test {

namespace {

using Pixels = decltype(Image8::pixels);

// Beside one process, whose picture is none of `others`.
void check_beside_one(const std::string& output, const std::string& state,
                      std::vector<Pixels>& others,
                      const std::function<void(render::RenderRequest&)>& more = {}) {
  const auto draw = [&](std::size_t devices) {
    return picture_on(std::vector<compute::Device>(devices, compute::Device::cpu()), output,
                      [&](render::RenderRequest& request) {
                        request.state = state;
                        if (more) more(request);
                      });
  };
  const Drawn one = draw(0);
  // Files differ by their texts too.
  const auto pixels = render::read_png(output).pixels;
  for (const auto& other : others) {
    const bool differs = pixels != other;
    CHECK(differs);
  }
  others.push_back(pixels);
  for (const std::size_t devices : {2, 3}) {
    INFO(devices << " devices");
    const Drawn several = draw(devices);
    const bool same = several.picture == one.picture;
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

  const std::string output = folder.path("out.png");
  std::vector<Pixels> pictures;
  for (const char* const name :
       {"searched.toml", "colors.toml", "field.toml", "sets.toml", "slice.toml"}) {
    INFO(name);
    check_beside_one(output, state(name), pictures);
  }
  for (const char* const overlay : {"usual", "box", "pieces"}) {
    INFO(overlay);
    check_beside_one(output, state("searched.toml"), pictures, [&](render::RenderRequest& r) {
      r.overlays = std::vector<std::string>{overlay};
    });
  }
}

TEST_CASE("devices that share the particles of a film follow the set that one process follows",
          "[window][app][ranks][states]") {
  const OutputFolder folder;
  put_bytes(folder.path("path.toml"),
            "fps = 2\n[[key]]\ntime = 0\neye = [9, 9, 50]\ntarget = [9, 9, 9]\n"
            "[[key]]\ntime = 0.5\neye = [40, 9, 9]\ntarget = [9, 9, 9]\n");
  put_bytes(folder.path("commands.txt"),
            "find halos\nwait\nselect_members 0\nset first orange\nshow_sets highlight\nwait\n"
            "save_state \"" +
                folder.path("free.toml") +
                "\"\nfollow first\nwait\n"
                "save_state \"" +
                folder.path("followed.toml") + "\"\n");
  const Outcome view = run_program({"view", sample_file(), "--headless", "--device", "cpu", "--run",
                                    folder.path("commands.txt")});
  INFO(view.out << view.err);
  REQUIRE(view.code == 0);
  const auto frames = [&](const char* state, std::size_t devices) {
    render::FilmRequest request;
    request.snapshots = {sample_file()};
    request.path = folder.path("path.toml");
    request.picture.state = folder.path(state);
    request.picture.output = folder.path("%d.png");
    request.picture.size = PixelSize{80, 60};
    request.picture.keep_lengths = io::KeepLengths::Nowhere;
    request.picture.compute.device = "cpu";
    request.split = render::FilmSplit::Particles;
    request.overwrite = true;
    Progress progress;
    analysis::RunContext context{progress, [](const std::string&) {}, "haloscope movie"};
    app::cli::run_movie_on(std::vector<compute::Device>(devices, compute::Device::cpu()), request,
                           context);
    return file_bytes(folder.path("0.png")) + file_bytes(folder.path("1.png"));
  };
  const std::string one = frames("followed.toml", 0);
  REQUIRE(one.size() > 1000);
  CHECK(frames("free.toml", 0) != one);
  CHECK(frames("followed.toml", 2) == one);
}

}  // namespace haloscope::test
