#include "analysis/measuring/profile_plots.h"

#include "render/plots/draw_layers.h"
#include "render/plots/plot_style.h"
#include "tests/catch.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::analysis;

namespace {

ProfileSeries series(const std::string& name, std::vector<ProfileDoubts> doubts) {
  ProfileSeries made;
  made.name = name;
  for (const ProfileDoubts& one : doubts) {
    ProfileBin bin;
    bin.count = 100;
    bin.density = bin.density_low = bin.density_high = 1;
    bin.mass_within = 1;
    bin.count_within = 100;
    bin.doubts = one;
    made.bins.push_back(bin);
  }
  return made;
}

}  // namespace

TEST_CASE("bins that are not to be trusted have their series' color, paler, and a reason",
          "[measuring][plot]") {
  RadialProfile profile;
  profile.edges = BinEdges(1, 4, 2, true);
  profile.series = {series("gas", {{true, false, false}, {}}),
                    series("dm", {{false, false, true}, {true, false, false}})};
  const Plot density = profile_plots(profile, {}).front();
  REQUIRE(density.name == "density");
  CHECK(density.caption.starts_with("Pale: not to be trusted (softening, few). "));
  const render::PlotStyle style = render::paper_style(1);
  // gas and dm, and then the pale bins of each.
  REQUIRE(density.layers.size() == 5);
  CHECK(density.layers[1].points.empty());
  for (const std::size_t pale : {2, 3}) {
    const render::PlotInk own = render::layer_ink(density, pale - 2, style),
                          ink = render::layer_ink(density, pale, style);
    CHECK(ink.red == own.red);
    CHECK(ink.green == own.green);
    CHECK(ink.blue == own.blue);
    CHECK(ink.alpha < own.alpha);
  }
  CHECK(density.layers[2].points.size() == 1);
  CHECK(density.layers[3].points.size() == 2);
  // The legend tells of both in no series' color.
  CHECK(density.layers[4].name == "not to be trusted");
  CHECK(density.layers[4].points.empty());
  const render::PlotInk gray = render::layer_ink(density, 4, style);
  CHECK(gray.red == gray.blue);
  CHECK(gray.red == style.faint.red);

  profile.series = {series("gas", {{}, {}})};
  const Plot trusted = profile_plots(profile, {}).front();
  CHECK(trusted.layers.size() == 1);
  CHECK(trusted.caption.find("trusted") == std::string::npos);
}
