// Options of a finder as a value, whose struct nobody needs to know.

#include "analysis/option_parsing/any_options.h"

#include "analysis/halos/halo_options.h"
#include "analysis/option_parsing/option_checks.h"
#include "analysis/option_parsing/option_text.h"
#include "analysis/option_parsing/option_values.h"
#include "tests/catch.h"
#include "tests/made/slab_finder.h"

#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace haloscope::analysis {

TEST_CASE("options that nobody knows are visited like their struct") {
  const HaloOptions halos;
  AnyOptions any = halos;
  CHECK(names_of(any) == names_of<HaloOptions>());
  const auto known = values_of(halos), unknown = values_of(any);
  REQUIRE(known.size() == unknown.size());
  for (std::size_t k = 0; k < known.size(); ++k) {
    CHECK(known[k].name == unknown[k].name);
    CHECK(known[k].text() == unknown[k].text());
    CHECK(known[k].standard == unknown[k].standard);
  }
  using Said = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [name, text] : Said{{"types", "gas,dm"},
                                       {"linking_length", "0.1"},
                                       {"epsilon", "3"},
                                       {"min_points", "4"},
                                       {"min_members", "5"},
                                       {"sub_linking_length", "0.05"},
                                       {"sub_min_points", "6"},
                                       {"sub_min_members", "7"},
                                       {"algorithm", "grid"}})
    read_option(any, name, text);
  const auto& read = any.as<HaloOptions>();
  CHECK(read.types == std::vector<std::string>{"gas", "dm"});
  CHECK(read.spacings == 0.1);
  CHECK(read.epsilon == 3);
  CHECK(read.min_points == 4);
  CHECK(read.min_members == 5);
  CHECK(read.sub_spacings == 0.05);
  CHECK(read.sub_min_points == 6);
  CHECK(read.sub_min_members == 7u);
  CHECK(read.algorithm == compute::clusters::Algorithm::Grid);
  CHECK_THROWS_AS(read_option(any, "min_point", "3"), OptionError);
  HaloOptions lonely;
  lonely.min_points = 1;
  any = lonely;
  OptionChecks checks;
  CHECK_THROWS_AS(visit(checks, any), OptionError);
}

TEST_CASE("copies of options are values of their own") {
  const AnyOptions first = test::SlabOptions{3, {}};
  AnyOptions second = first;
  CHECK(first == second);
  read_option(second, "slabs", "4");
  CHECK_FALSE(first == second);
  CHECK(first.as<test::SlabOptions>().slabs == 3);
  CHECK(second.as<test::SlabOptions>().slabs == 4);
  CHECK_FALSE(first == AnyOptions(HaloOptions{}));
  CHECK(AnyOptions() == AnyOptions());
  CHECK_FALSE(AnyOptions() == first);
  CHECK_THROWS_AS(first.as<HaloOptions>(), std::bad_cast);
}

}  // namespace haloscope::analysis
