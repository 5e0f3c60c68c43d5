// Options of a search for clusters: what cuts may be, and which options say nothing beside others.

#include "analysis/clusters/clusters_options.h"

#include "analysis/clusters/cluster_cut.h"
#include "analysis/option_parsing/any_options.h"
#include "analysis/option_parsing/option_text.h"
#include "analysis/option_parsing/option_values.h"
#include "app/session/find_command.h"
#include "app/session/state_file.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using analysis::ClusterCut;
using analysis::ClustersOptions;

namespace {

ClustersOptions said(const std::vector<std::pair<std::string, std::string>>& words) {
  ClustersOptions options;
  for (const auto& [name, text] : words) analysis::read_option(options, name, text);
  return options;
}

}  // namespace

TEST_CASE("cuts are a kind and a value", "[clusters]") {
  CHECK(analysis::parse_cut("distance:0.2").kind == ClusterCut::Kind::Distance);
  CHECK(analysis::parse_cut("distance:0.2").value == 0.2);
  CHECK(analysis::parse_cut("spacings:1e-1").kind == ClusterCut::Kind::Spacings);
  CHECK(analysis::parse_cut("count:1e2").kind == ClusterCut::Kind::Count);
  CHECK(analysis::parse_cut("count:1e2").value == 100);
  for (const char* bad : {"", "0.2", "distance", "distance:", "length:2", "distance:0",
                          "distance:-1", "distance:nan", "distance:inf", "distance:1:2",
                          "spacings:0", "count:0", "count:-3", "count:1.5", "count:many"}) {
    INFO(bad);
    CHECK_THROWS_AS(analysis::parse_cut(bad), analysis::OptionError);
  }
}

TEST_CASE("options that say nothing beside others are refused by name", "[clusters]") {
  using Words = std::vector<std::pair<std::string, std::string>>;
  const std::pair<Words, std::string> refused[] = {
      {{{"linkage", "single"}, {"min_samples", "3"}}, "`min_samples`"},
      {{{"linkage", "single"}, {"min_cluster_size", "3"}}, "`min_cluster_size`"},
      {{{"linkage", "single"}, {"select", "leaf"}}, "`select`"},
      {{{"cut", "count:3"}, {"select", "leaf"}}, "`select`"},
      {{{"cut", "count:3"}, {"max_cluster_size", "30"}}, "`max_cluster_size`"},
      {{{"cut", "count:3"}, {"cluster_epsilon", "3"}}, "`cluster_epsilon`"},
      {{{"cut", "count:3"}, {"allow_single_cluster", "on"}}, "`allow_single_cluster`"},
      {{{"max_cluster_size", "10"}}, "`max_cluster_size`"},
      {{{"max_cluster_size", "100"}, {"select", "leaf"}}, "`max_cluster_size`"},
      {{{"scale", "1,0"}}, "`scale`"},
      {{{"space", "Density,"}}, "`space`"},
      {{{"space", "phase"}, {"cut", "spacings:0.2"}}, "`cut`"},
      {{{"cluster_epsilon", "0"}}, "`cluster_epsilon`"},
      {{{"min_cluster_size", "1"}}, "`min_cluster_size`"},
      {{{"min_cluster_size", "auto"}, {"cut", "count:3"}}, "`min_cluster_size`"},
      {{{"min_cluster_size", "auto"}, {"linkage", "single"}}, "`min_cluster_size`"},
      {{{"min_cluster_size", "auto"}, {"max_cluster_size", "100"}}, "`max_cluster_size`"},
      {{{"min_cluster_size", "30"}, {"resolutions", "3"}}, "`resolutions`"},
      {{{"min_cluster_size", "auto"}, {"resolutions", "0"}}, "`resolutions`"},
      {{{"min_cluster_size", "auto"}, {"resolutions", "101"}}, "`resolutions`"},
      {{{"cut", "count:3"}, {"resolutions", "3"}}, "`resolutions`"},
      {{{"cut", "count:3"}, {"weights", "mass"}}, "`weights`"},
      {{{"linkage", "single"}, {"weights", "mass"}}, "`weights`"},
      {{{"min_samples", "66"}}, "`min_samples`"},
      {{{"cut", "height:3"}}, "`cut`"}};
  for (const auto& [words, name] : refused) {
    const std::string sentence =
        test::message_of([&, &all = words] { analysis::check_options(said(all)); });
    INFO(name << ": " << sentence);
    CHECK(sentence.find(name) != std::string::npos);
  }
  for (const Words& words :
       {Words{},
        {{"linkage", "single"}},
        {{"linkage", "single"}, {"cut", "count:3"}},
        {{"cut", "count:3"}, {"min_cluster_size", "3"}, {"min_samples", "65"}},
        {{"space", "phase"}, {"scale", "100,30"}},
        {{"min_cluster_size", "auto"}},
        {{"min_cluster_size", "auto"}, {"resolutions", "4"}, {"weights", "mass"}},
        {{"min_cluster_size", "auto"}, {"select", "leaf"}, {"cluster_epsilon", "2"}},
        {{"max_cluster_size", "20"}, {"cluster_epsilon", "2"}, {"allow_single_cluster", "on"}}})
    CHECK_NOTHROW(analysis::check_options(said(words)));
}

TEST_CASE("switches and texts among options are told, recorded and saved", "[clusters]") {
  const ClustersOptions options =
      said({{"allow_single_cluster", "on"}, {"cut", "distance:2.5"}, {"min_samples", "7"}});
  CHECK(options.allow_single_cluster);
  CHECK(options.cut == "distance:2.5");
  const std::string line = app::session::find_line("clusters", options);
  CHECK(line.find(" allow_single_cluster=on") != std::string::npos);
  CHECK(line.find(" cut=distance:2.5") != std::string::npos);
  CHECK(app::session::find_line("clusters", ClustersOptions{}).find(" cut=none") !=
        std::string::npos);
  // What is recorded is read again.
  ClustersOptions again;
  for (const analysis::OptionValue& one : analysis::values_of(options))
    analysis::read_option(again, one.name, one.text());
  CHECK(again == options);
  again = said({{"cut", "count:3"}});
  analysis::read_option(again, "cut", "none");
  CHECK(again.cut.empty());
  CHECK_THROWS_AS(said({{"allow_single_cluster", "maybe"}}), analysis::OptionError);

  app::session::State state;
  state.finding("clusters").options = options;
  const std::string text = app::session::state_text(state);
  CHECK(text.find("allow_single_cluster = true") != std::string::npos);
  CHECK(text.find("cut = \"distance:2.5\"") != std::string::npos);
  const auto read = app::session::parse_state(text, "s.toml");
  CHECK(read.warnings.empty());
  CHECK(read.state == state);
  state.finding("clusters").options = ClustersOptions{};
  const std::string usual = app::session::state_text(state);
  CHECK(usual.find("allow_single_cluster") == std::string::npos);
  CHECK(usual.find("cut = ") == std::string::npos);
}

TEST_CASE("a size that is chosen has a word in place of a number", "[clusters]") {
  const ClustersOptions options = said({{"min_cluster_size", "auto"}, {"resolutions", "3"}});
  CHECK(options.chooses_size());
  CHECK(options.selected() == compute::clusters::Selection::Leaf);
  CHECK(options.least_members() == 5);
  CHECK(said({{"min_cluster_size", "auto"}, {"min_samples", "1"}}).least_members() == 2);
  CHECK_FALSE(ClustersOptions{}.chooses_size());
  CHECK(test::message_of([] {
          said({{"min_cluster_size", "0"}});
        }).find("2 or more, or auto") != std::string::npos);
  CHECK_THROWS_AS(said({{"min_cluster_size", "automatic"}}), analysis::OptionError);
  const std::string line = app::session::find_line("clusters", options);
  CHECK(line.find(" min_cluster_size=auto") != std::string::npos);
  ClustersOptions again;
  for (const analysis::OptionValue& one : analysis::values_of(options))
    analysis::read_option(again, one.name, one.text());
  CHECK(again == options);
  app::session::State state;
  state.finding("clusters").options = options;
  const auto read = app::session::parse_state(app::session::state_text(state), "s.toml");
  CHECK(read.warnings.empty());
  CHECK(read.state == state);
}
