#include "analysis/plot_csv.h"

#include "analysis/halos/mass_function_plot.h"
#include "tests/catch.h"

#include <string>

// A plot's numbers as a table.

namespace haloscope::analysis {

TEST_CASE("a plot's table has the columns that its points have, and says what they are", "[plot]") {
  Plot plot;
  plot.title = "a,\nb";
  plot.x.title = "M [Msun/h]";
  plot.y.title = "dn/dlog_{10} M [Mpc^-3]";
  plot.layers.resize(1);
  plot.layers[0].points = {{0.1, 1.0 / 3}, {2e30, 0}};
  plot.marks.push_back({"32 members", 1.5e11});
  CHECK(plot_csv(plot) ==
        "# haloscope plot\n# a, b\n# x: M [Msun/h]\n# y: dn/dlog10 M [Mpc^-3]\n"
        "# line at x = 150000000000: 32 members\n"
        "x,y\n0.1,0.3333333333333333\n2e+30,0\n");
  plot.layers.push_back({LayerKind::Line, "a \"b\", c", {{1, 2, kNotThere, kNotThere, 1, 3}}});
  const std::string two = plot_csv(plot);
  CHECK(two.find("\nlayer,x,y,y_low,y_high\n,0.1,0.3333333333333333,,\n") != std::string::npos);
  CHECK(two.find("\n\"a \"\"b\"\", c\",1,2,1,3\n") != std::string::npos);
}

TEST_CASE("a mass function is a plot with its limits and where it comes from", "[plot][halos]") {
  CHECK(mass_function_plot({}, 32, {}).layers.empty());
  MassFunction function = bin_masses(std::vector<double>{1e12, 1e12, 1e13}, 1e6, 0.2);
  function.mass_unit = "Msun/h";
  function.least_mass = 5e11;
  const Plot plot = mass_function_plot(function, 40, "snap_099.hdf5");
  CHECK(plot.x.title == "M [Msun/h]");
  CHECK(plot.x.scale == AxisScale::Log);
  REQUIRE(plot.layers.size() == 1);
  const auto& points = plot.layers[0].points;
  REQUIRE(points.size() == 6);
  CHECK(points[0].x_low == Approx(1e12));
  CHECK(points[0].y == Approx(2 / (0.2 * 1e6)));
  CHECK(points[1].y == 0);
  CHECK(points[1].y_high > 0);
  REQUIRE(plot.marks.size() == 1);
  CHECK(plot.marks[0].at == 5e11);
  CHECK(plot.marks[0].name == "40 members");
  CHECK(plot_csv(plot).find("# snap_099.hdf5\n") != std::string::npos);
}

}  // namespace haloscope::analysis
