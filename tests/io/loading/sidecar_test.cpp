// Which sidecar file holds does not depend on how the path is typed.

#include "io/loading/sidecar.h"

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"

#include <nlohmann/json.hpp>

#include <filesystem>

using namespace haloscope::test;
namespace fs = std::filesystem;

namespace {

// Stands in a folder until the end of its life.
class Standing {
 public:
  explicit Standing(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;
  ~Standing() { fs::current_path(before_); }

 private:
  fs::path before_;
};

nlohmann::json info(const std::string& path, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"info", path, "--json"});
  const Outcome outcome = run_program(more);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return nlohmann::json::parse(outcome.out);
}

bool in_mpc(const nlohmann::json& report) {
  return report["units"]["length_cm"].get<double>() == Approx(3.085678e24);
}

bool names_folder(const nlohmann::json& report) {
  return report["assumed"].dump().find("set.haloscope.toml gives unit-length") != std::string::npos;
}

}  // namespace

TEST_CASE("a folder's sidecar file holds for its files, however they are named") {
  const OutputFolder folder;
  const fs::path set = folder.path("set");
  fs::create_directory(set);
  put_bytes((set / "s.csv").string(), "x,y,z\n1,2,3\n");
  put_bytes(folder.path("set.haloscope.toml"), "unit-length = \"Mpc/h\"\n");
  CHECK(in_mpc(info((set / "s.csv").string())));
  CHECK(in_mpc(info((set / ".." / "set" / "s.csv").string())));
  CHECK(names_folder(info((set / "s.csv").string())));
  {
    const Standing here(set);
    for (const char* path : {"s.csv", "./s.csv", "../set/s.csv"}) {
      CAPTURE(path);
      CHECK(in_mpc(info(path)));
      CHECK(names_folder(info(path)));
    }
    for (const char* path : {".", "./", "../set", "../set/."})
      CHECK(fs::weakly_canonical(haloscope::io::choose_sidecar(path).path) ==
            fs::weakly_canonical(folder.path("set.haloscope.toml")));
  }
  // What is saved for a file takes the folder's words along, for its own comes first.
  info((set / "s.csv").string(), {"--hubble", "0.6", "--save-overrides"});
  const auto own = info((set / "s.csv").string());
  CHECK(in_mpc(own));
  CHECK_FALSE(names_folder(own));
}
