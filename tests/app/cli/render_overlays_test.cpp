// `haloscope render --overlays`: what is searched for, and what is drawn.

#include "render/files/png_file.h"
#include "tests/app/added_slabs.h"
#include "tests/catch.h"

#include <memory>
#include <string>
#include <vector>

namespace haloscope::test {

namespace {

int searches = 0;

class CountingSlabs final : public analysis::FinderOf<SlabOptions> {
 public:
  CountingSlabs()
      : FinderOf({"slabs", "slab", "slabs", "Slabs of even width along x", "There is no slab."}) {}
  analysis::Finding search(const io::SnapshotReader& reader, const SlabOptions& options,
                           const analysis::FindRequest& request,
                           Progress& progress) const override {
    ++searches;
    return SlabFinder().search(reader, options, request, progress);
  }
};

}  // namespace

TEST_CASE("what colors the particles and is circled is searched for once", "[window][overlays]") {
  const analysis::AddedFinder finder{std::make_shared<CountingSlabs>()};
  const OutputFolder folder;
  const std::string sample = sample_file();
  put_bytes(folder.path("commands.txt"),
            "find slabs slabs=20\nwait\nstructures slabs\ncolor_by slabs\nsave_state \"" +
                folder.path("s.toml") + "\"\nwait\n");
  const Outcome view = run_program(
      {"view", sample, "--headless", "--device", "cpu", "--run", folder.path("commands.txt")});
  INFO(view.out << view.err);
  REQUIRE(view.code == 0);
  const auto picture = [&](const std::string& overlays, const std::string& name) {
    searches = 0;
    const Outcome outcome =
        run_program({"render", sample, "-o", folder.path(name), "--state", folder.path("s.toml"),
                     "--size", "320x200", "--device", "cpu", "--overlays", overlays});
    INFO(outcome.out << outcome.err);
    CHECK(outcome.code == 0);
    return render::read_png(folder.path(name)).pixels;
  };
  const auto box = picture("box", "box.png");
  CHECK(searches == 1);
  const auto circles = picture("box,pieces", "circles.png");
  CHECK(searches == 1);
  const bool circled = circles != box;
  CHECK(circled);
  // Numbers need no circles.
  const auto numbers = picture("box,labels", "numbers.png");
  CHECK(searches == 1);
  const bool numbered = numbers != box && numbers != circles;
  CHECK(numbered);
}

TEST_CASE("a picture of two results is the window's still", "[window][overlays][comparing]") {
  const OutputFolder folder;
  const std::string sample = sample_file();
  put_bytes(folder.path("commands.txt"),
            "find halos linking_length=0.15\nwait\ncompare halos linking_length=0.2\nwait\n"
            "show_compared differences\nsave_state \"" +
                folder.path("s.toml") + "\"\nscreenshot \"" + folder.path("still.png") +
                "\" overlays 640x400\nwait\n");
  const Outcome view = run_program(
      {"view", sample, "--headless", "--device", "cpu", "--run", folder.path("commands.txt")});
  INFO(view.out << view.err);
  REQUIRE(view.code == 0);
  const auto picture = [&](const std::string& overlays, const std::string& name) {
    const Outcome outcome =
        run_program({"render", sample, "-o", folder.path(name), "--state", folder.path("s.toml"),
                     "--size", "640x400", "--device", "cpu", "--overlays", overlays});
    INFO(outcome.out << outcome.err);
    CHECK(outcome.code == 0);
    return render::read_png(folder.path(name)).pixels;
  };
  const auto still = render::read_png(folder.path("still.png")).pixels;
  const bool is_same = picture("usual", "usual.png") == still;
  CHECK(is_same);
  const bool is_bare = picture("color_bar,scale_bar,time", "bare.png") == still;
  CHECK_FALSE(is_bare);
}

}  // namespace haloscope::test
