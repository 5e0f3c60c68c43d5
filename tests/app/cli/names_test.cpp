#include "core/visible_text.h"
#include "render/files/png_text.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <nlohmann/json.hpp>

#include <filesystem>

// Names are bytes: they may be no UTF-8, hold what a terminal obeys, or be empty.

using namespace haloscope;
using namespace haloscope::test;
namespace fs = std::filesystem;

namespace {

std::string sample() {
  return sample_file();
}

std::string small_snapshot(const std::string& path, const std::string& field) {
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {40, 0, 0, 0, 0, 0}, 10);
  file.group("PartType0");
  file.dataset("PartType0/Coordinates", {40, 3}, snapshot_files::some_positions(40, 10));
  file.dataset("PartType0/" + field, {40}, std::vector<float>(40, 1));
  return path;
}

}  // namespace

TEST_CASE("text is made visible and UTF-8") {
  CHECK(visible_text("plain\ttext\n") == "plain\ttext\n");
  CHECK(visible_text("caf\xc3\xa9 \xf0\x9f\x8c\x8c") == "caf\xc3\xa9 \xf0\x9f\x8c\x8c");
  CHECK(visible_text("caf\xe9.hdf5") == "caf\\xe9.hdf5");
  CHECK(visible_text("\x1b[31mred\x7f\r") == "\\x1b[31mred\\x7f\\x0d");
  CHECK(visible_text("\xc2\x9b") == "\\xc2\\x9b");                    // a control character too
  CHECK(visible_text("\xc0\xaf") == "\\xc0\\xaf");                    // overlong
  CHECK(visible_text("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // half a pair
  CHECK(visible_text("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond the last character
  CHECK(visible_text("a\xe2\x82") == "a\\xe2\\x82");                  // cut off
}

TEST_CASE("files whose names are no UTF-8 are read and written", "[bad]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("caf\xe9.hdf5"), picture = folder.path("caf\xe9.png");
  fs::copy_file(sample(), snapshot);
  const auto good = [](const std::vector<std::string>& arguments) {
    const Outcome run = run_program(arguments);
    INFO(arguments[0] << ": " << run.err);
    CHECK(run.code == 0);
    CHECK((visible_text(run.out + run.err) == run.out + run.err));
    return run;
  };
  const std::string stats = folder.path("s.json");
  for (int run = 0; run < 2; ++run)
    good({"render", snapshot, "-o", picture, "--size", "8x8", "--no-cache", "--stats", stats});
  CHECK(nlohmann::json::accept(file_bytes(stats)));
  CHECK(render::read_png_text(picture).at("Source").ends_with("caf\\xe9.hdf5"));
  good({"render", snapshot, "-o", folder.path("caf\xe9.exr"), "--size", "8x8", "--no-cache"});
  good({"render", snapshot, "-o", folder.path("m\xe9.hdf5"), "--size", "8x8", "--map",
        "surface-density"});
  const auto report = nlohmann::json::parse(good({"info", "--json", snapshot}).out);
  CHECK(report["files"][0].get<std::string>().ends_with("caf\\xe9.hdf5"));
  good({"halos", snapshot, "-o", folder.path("h\xe9.csv"), "--stats", stats});
  CHECK(nlohmann::json::parse(file_bytes(stats))["snapshot"].get<std::string>().ends_with(
      "caf\\xe9.hdf5"));
  good({"halos", snapshot, "-o", folder.path("h\xe9.hdf5")});
  good({"catalog", "--json", folder.path("h\xe9.hdf5"), "-o", folder.path("c\xe9.csv")});
  good({"convert", snapshot, folder.path("c\xe9.hdf5"), "--every", "10"});
  // Frames know themselves again.
  put_bytes(folder.path("p\xe9.toml"), "fps = 2\n[[key]]\n[[key]]\ntime = 1\n");
  for (int run = 0; run < 2; ++run)
    CHECK(good({"movie", snapshot, "--path", folder.path("p\xe9.toml"), "-o",
                folder.path("f\xe9%d.png"), "--size", "8x8", "--no-cache"})
              .says(run == 0 ? "wrote" : "were there already"));
}

TEST_CASE("an empty name is refused with its option", "[bad]") {
  const OutputFolder folder;
  const auto fault = [](const std::vector<std::string>& arguments, const std::string& words) {
    const Outcome run = run_program(arguments);
    INFO(arguments[0] << ": " << run.err);
    CHECK(run.is_fault());
    CHECK(run.says(words));
    CHECK_FALSE(run.says("did not expect"));
  };
  const std::string out = folder.path("out.png"), empty = "its value is empty";
  fault({"info", ""}, "FILE: " + empty);
  fault({"catalog", ""}, "FILE: " + empty);
  fault({"splotch", ""}, "FILE.par: " + empty);
  fault({"render", "", "-o", out}, "SNAPSHOT: " + empty);
  fault({"render", sample(), "-o", ""}, "--output: " + empty);
  for (const char* option : {"--palette", "--state", "--stats", "--map"})
    fault({"render", sample(), "-o", out, option, ""}, std::string(option) + ": " + empty);
  fault({"convert", sample(), ""}, "OUTPUT: " + empty);
  fault({"convert", sample(), folder.path("out.hdf5"), "--ids-of", ""}, "--ids-of: " + empty);
  fault({"movie", sample(), "", "-o", folder.path("out%d.png")}, "SNAPSHOT: " + empty);
  CHECK(folder.files().empty());
}

TEST_CASE("names that a terminal would obey are printed harmless", "[bad]") {
  const OutputFolder folder;
  const std::string path = small_snapshot(folder.path("s\x1b]0;x\x07.hdf5"), "A\x1b[31mB");
  const auto harmless = [](const Outcome& run) {
    INFO(visible_text(run.out + run.err));
    CHECK((visible_text(run.out) == run.out));
    CHECK((visible_text(run.err) == run.err));
  };
  const Outcome told = run_program({"info", path});
  harmless(told);
  CHECK(told.code == 0);
  CHECK(told.says("A\\x1b[31mB"));
  CHECK(told.says("s\\x1b]0;x\\x07.hdf5"));
  const Outcome json = run_program({"info", path, "--json"});
  harmless(json);
  CHECK(nlohmann::json::accept(json.out));
  harmless(run_program({"info", path + "\x1b[2J"}));
  harmless(run_program({"render", path, "-o", folder.path("out.png"), "--color", "\x1b[2J"}));
  harmless(run_program({"render", path, "-o", folder.path("o\x1b[2J.png"), "--size", "8x8"}));
}
