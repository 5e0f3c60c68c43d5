// Searches of a session: one after another, overtaken, cancelled, kept.

#include "app/viewer/open_findings.h"

#include "analysis/halos/halo_options.h"
#include "tests/catch.h"
#include "tests/made/slab_finder.h"
#include "tests/test_paths.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace haloscope::app::viewer {

namespace {

struct Searches {
  analysis::AddedFinder finder{std::make_shared<test::SlabFinder>()};
  std::vector<std::string> faults;
  OpenFindings findings{{}, [this](const std::string& fault) { faults.push_back(fault); }};
  std::string sample = test::sample_file();

  OpenFindings::Search search(const std::string& name, const analysis::AnyOptions& options) const {
    OpenFindings::Search search{sample, {}, name, options, {}};
    search.compute.device = "cpu";
    return search;
  }
  // Everything that comes until all searches are done.
  std::vector<OpenFindings::Found> all() {
    std::vector<OpenFindings::Found> came;
    while (findings.busy()) {
      if (auto found = findings.receive()) came.push_back(std::move(found));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return came;
  }
};

// Looks for nothing, and does not hear that it was cancelled.
class DeafFinder final : public analysis::FinderOf<test::SlabOptions> {
 public:
  DeafFinder() : FinderOf({"deaf", "", "", "", ""}) {}

  analysis::Finding search(const io::SnapshotReader&, const test::SlabOptions&,
                           const analysis::FindRequest&, Progress&) const override {
    searching = true;
    while (searching) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  }
  mutable std::atomic<bool> searching{false};
};

bool ready(const std::shared_future<void>& end) {
  return end.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

TEST_CASE("a search that was left tells when it has given up what it holds", "[window][finders]") {
  const auto deaf = std::make_shared<DeafFinder>();
  const analysis::AddedFinder added(deaf);
  Searches searches;
  OpenFindings& findings = searches.findings;
  CHECK_FALSE(findings.searches_ended().valid());
  OpenFindings::Search search = searches.search("deaf", test::SlabOptions{});
  const auto points = std::make_shared<analysis::ResidentPoints>();
  const std::weak_ptr<analysis::ResidentPoints> held = points;
  search.points = points;
  findings.find(search);
  while (!deaf->searching) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // It takes the first one's place, and is not begun before that has ended.
  search.options = test::SlabOptions{2, {}};
  findings.find(search);
  search.points = nullptr;
  findings.leave();
  const std::shared_future<void> ended = findings.searches_ended();
  REQUIRE(ended.valid());
  CHECK_FALSE(ready(ended));
  deaf->searching = false;
  ended.wait();
  CHECK(held.use_count() == 1);
  CHECK_FALSE(findings.receive());
}

TEST_CASE("searches of several finders are done one after another", "[window][finders]") {
  Searches searches;
  OpenFindings& findings = searches.findings;
  CHECK_FALSE(findings.find(searches.search("halos", analysis::HaloOptions{})));
  CHECK_FALSE(findings.find(searches.search("slabs", test::SlabOptions{2, {}})));
  // It takes the place of the one before.
  CHECK_FALSE(findings.find(searches.search("slabs", test::SlabOptions{3, {}})));
  CHECK(findings.seeks("slabs", test::SlabOptions{3, {}}));
  CHECK_FALSE(findings.seeks("slabs", test::SlabOptions{2, {}}));
  const auto came = searches.all();
  REQUIRE(came.size() == 2);
  CHECK(came[0]->finder == "halos");
  CHECK(came[1]->finder == "slabs");
  CHECK(came[1]->pieces == 3);
  CHECK_FALSE(findings.of("slabs"));
  findings.show(came[1]);
  CHECK(findings.of("slabs") == came[1]);
  CHECK_FALSE(findings.of("halos"));
  // Known already: no search.
  CHECK(findings.find(searches.search("halos", analysis::HaloOptions{})) == came[0]);
  CHECK_FALSE(findings.busy());
  CHECK(searches.faults.empty());
}

TEST_CASE("a result that nobody has received yet is not lost to the next search",
          "[window][finders]") {
  Searches searches;
  OpenFindings& findings = searches.findings;
  findings.find(searches.search("slabs", test::SlabOptions{2, {}}));
  while (findings.status().busy) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  findings.find(searches.search("halos", analysis::HaloOptions{}));
  const auto came = searches.all();
  REQUIRE(came.size() == 2);
  CHECK(came[0]->finder == "slabs");
  CHECK(came[1]->finder == "halos");
}

TEST_CASE("a search that was cancelled or overtaken brings nothing", "[window][finders]") {
  Searches searches;
  OpenFindings& findings = searches.findings;
  findings.find(searches.search("halos", analysis::HaloOptions{}));
  findings.find(searches.search("slabs", test::SlabOptions{2, {}}));
  findings.cancel();
  CHECK(searches.all().empty());
  findings.find(searches.search("slabs", test::SlabOptions{4, {}}));
  findings.find(searches.search("slabs", test::SlabOptions{5, {}}));
  const auto came = searches.all();
  REQUIRE(came.size() == 1);
  CHECK(came[0]->pieces == 5);
}

TEST_CASE("what is shown is set aside while another snapshot is opened", "[window][finders]") {
  Searches searches;
  OpenFindings& findings = searches.findings;
  findings.find(searches.search("slabs", test::SlabOptions{2, {}}));
  const auto came = searches.all();
  REQUIRE(came.size() == 1);
  findings.show(came[0]);
  findings.leave();
  CHECK_FALSE(findings.of("slabs"));
  findings.come_back();
  CHECK(findings.of("slabs") == came[0]);
  findings.leave();
  findings.arrive();
  findings.come_back();
  CHECK_FALSE(findings.of("slabs"));
  const auto back = [&] {
    return findings.coming_back(searches.sample, "slabs", test::SlabOptions{9, {}});
  };
  CHECK(back() == came[0]);
  findings.withdraw(searches.sample, "slabs", came[0]->options);
  CHECK_FALSE(back());
  findings.show(came[0]);
  CHECK(back() == came[0]);
}

}  // namespace haloscope::app::viewer
