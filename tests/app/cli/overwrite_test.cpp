#include "analysis/snapshot/output_format.h"
#include "app/session/command_table.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/npy_files.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <filesystem>

// Outputs replace what haloscope wrote and files of their own format, and others only when asked
// to.

using namespace haloscope;
using namespace haloscope::test;
using analysis::OutputFormat;
namespace fs = std::filesystem;

namespace {

// One particle of thirty of the sample: what is replaced does not depend on how much is read, and
// each command runs four times.
std::string thinned_sample(const OutputFolder& folder) {
  const std::string path = folder.path("sample.hdf5");
  REQUIRE(run_program({"convert", sample_file(), path, "--every", "30"}).code == 0);
  return path;
}

const std::string kText = "a note of mine\n", kJpeg("\xff\xd8\xff\xe0\0\x10JFIF\0", 11);

struct Output {
  std::vector<std::string> command;  // TARGET stands for the file
  std::string target, others;        // what may lie there and is of something else
};

std::vector<std::string> filled_in(const Output& output, const std::string& path) {
  auto arguments = output.command;
  for (auto& word : arguments)
    if (word == "TARGET") word = path;
  return arguments;
}

}  // namespace

TEST_CASE("a file of another format is replaced only with --overwrite", "[bad]") {
  const OutputFolder folder;
  const std::string sample = thinned_sample(folder);
  const std::string png = folder.path("p.png"), csv = folder.path("c.csv");
  put_bytes(folder.path("path.toml"), "fps = 2\n[[key]]\n[[key]]\ntime = 1\n");
  const std::vector<std::string> film{"movie",  sample, "--path", folder.path("path.toml"),
                                      "--size", "8x8"};
  const auto filmed = [&](std::vector<std::string> more) {
    auto all = film;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::vector<std::string> picture{"render", sample, "--size", "8x8", "-o"};
  const auto drawn = [&](std::vector<std::string> more) {
    auto all = picture;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::vector<Output> outputs{
      {drawn({"TARGET"}), "a.png", kText},
      {drawn({"TARGET"}), "b.png", kJpeg},
      {drawn({"TARGET"}), "a.exr", kText},
      {drawn({"TARGET"}), "a.ppm", "\x89PNG\r\n\x1a\n"},
      {drawn({"TARGET"}), "a.tga", kText},
      {drawn({"TARGET", "--map", "surface-density"}), "m.hdf5", kText},
      {drawn({png, "--stats", "TARGET"}), "s.json", "halo,mass\n1,2\n"},
      {{"halos", sample, "-o", "TARGET", "--quiet"}, "h.csv", kText},
      {{"halos", sample, "-o", "TARGET", "--quiet"}, "h.hdf5", kText},
      {{"halos", sample, "-o", csv, "--stats", "TARGET"}, "t.json", kJpeg},
      {{"convert", sample, "TARGET", "--every", "100"}, "c.hdf5", kText},
      {filmed({"-o", folder.path("f%d.png"), "--write-path", "TARGET"}), "w.toml", kText},
      {filmed({"-o", folder.path("g%d.png"), "--write-path", "TARGET"}), "w.txt", kJpeg},
      {filmed({"-o", folder.path("k%d.png")}), "k0.png", kJpeg},
  };
  for (const auto& output : outputs) {
    const std::string path = folder.path(output.target);
    put_bytes(path, output.others);
    auto arguments = filled_in(output, path);
    Outcome run = run_program(arguments);
    INFO(arguments[0] << " " << output.target << ": " << run.err);
    CHECK(run.is_fault());
    CHECK(run.says(output.target + ": "));
    CHECK(run.says("--overwrite"));
    CHECK(file_bytes(path) == output.others);
    arguments.push_back("--overwrite");
    run = run_program(arguments);
    INFO(run.err);
    CHECK(run.code == 0);
    CHECK(file_bytes(path) != output.others);
    // What a run wrote, the next one replaces; an empty file too.
    CHECK(run_program(filled_in(output, path)).code == 0);
    put_bytes(path, "");
    if (output.target != "k0.png") CHECK(run_program(filled_in(output, path)).code == 0);
  }
  put_bytes(folder.path("t.csv"), std::string("\0\1", 2));
  const std::vector<std::string> list{"catalog", csv, "-o", folder.path("t.csv")};
  CHECK(run_program(list).says("not a table that haloscope wrote"));
  CHECK(file_bytes(folder.path("t.csv")).size() == 2);
}

TEST_CASE("HDF5 of others is replaced only with --overwrite", "[bad]") {
  const OutputFolder folder;
  const std::string sample = thinned_sample(folder);
  const std::string theirs = folder.path("theirs.hdf5");
  const auto put_theirs = [&] {
    snapshot_files::FileWriter file(theirs);
    snapshot_files::write_header(file, {1, 0, 0, 0, 0, 0}, 10);
    file.group("PartType0");
    file.dataset<float>("PartType0/Coordinates", {1, 3}, {5, 5, 5});
  };
  const std::vector<std::vector<std::string>> commands{
      {"convert", sample, theirs, "--every", "100"},
      {"render", sample, "-o", theirs, "--map", "surface-density", "--size", "8x8"},
      {"halos", sample, "-o", theirs}};
  for (auto arguments : commands) {
    put_theirs();
    const std::string before = file_bytes(theirs);
    const Outcome run = run_program(arguments);
    INFO(run.err);
    CHECK(run.is_fault());
    CHECK(run.says("--overwrite"));
    CHECK((file_bytes(theirs) == before));
    arguments.push_back("--overwrite");
    CHECK(run_program(arguments).code == 0);
    CHECK((file_bytes(theirs) != before));
    arguments.pop_back();
    CHECK(run_program(arguments).code == 0);
  }
  // A selection is no halo catalog, and a search would lose it.
  REQUIRE(run_program({"convert", sample, theirs, "--every", "100", "--overwrite"}).code == 0);
  CHECK(run_program(commands.back()).says("no halo catalog of haloscope's"));
  // Nor does a map or a part of a snapshot replace what was searched for.
  auto search = commands.back();
  search.push_back("--overwrite");
  REQUIRE(run_program(search).code == 0);
  for (std::size_t k = 0; k + 1 < commands.size(); ++k)
    CHECK(run_program(commands[k]).says("would replace a catalog"));
}

TEST_CASE("the beginning of a file tells its format") {
  const OutputFolder folder;
  const auto is = [&](OutputFormat format, const std::string& name, const std::string& bytes) {
    put_bytes(folder.path(name), bytes);
    return analysis::begins_as(format, folder.path(name));
  };
  CHECK(is(OutputFormat::Film, "f.mp4", std::string("\0\0\0\x20", 4) + "ftypisom"));
  CHECK_FALSE(is(OutputFormat::Film, "f.mp4", kText));
  CHECK(is(OutputFormat::Film, "f.mkv", "\x1a\x45\xdf\xa3..."));
  CHECK_FALSE(is(OutputFormat::Film, "f.mkv", std::string("\0\0\0\x20", 4) + "ftypisom"));
  CHECK(is(OutputFormat::Toml, "t.toml", "# A camera path of haloscope.\n\n[[key]]\n"));
  CHECK_FALSE(is(OutputFormat::Toml, "t.toml", "# a\n\n[camera]\n"));
  CHECK_FALSE(is(OutputFormat::Toml, "t.toml", "seed = 42\n# haloscope\n"));
  CHECK_FALSE(is(OutputFormat::Toml, "t.toml", kText));
  CHECK(is(OutputFormat::Json, "j.json", " {\"a\": 1}"));
  CHECK_FALSE(is(OutputFormat::Json, "j.json", "a = 1"));
  CHECK(is(OutputFormat::Recording, "r.txt", "# haloscope 1, a session\n@0 orbit 1 2\n"));
  CHECK_FALSE(is(OutputFormat::Recording, "r.txt", kText));
  CHECK(is(OutputFormat::Svg, "p.svg", "<?xml version=\"1.0\"?>\n<svg width=\"1\">"));
  CHECK(is(OutputFormat::Svg, "p.svg", "\n<svg>"));
  CHECK_FALSE(is(OutputFormat::Svg, "p.svg", "<html></html>"));
  CHECK_FALSE(is(OutputFormat::Svg, "p.svg", kText));
  CHECK_FALSE(is(OutputFormat::Csv, "c.csv", std::string("# haloscope\na,b\n\0", 17)));
  CHECK_FALSE(is(OutputFormat::Csv, "c.csv", "x,y,z\n1,2,3\n"));
  CHECK_FALSE(is(OutputFormat::Csv, "c.csv", "# of mine\n1,2,3\n# haloscope plot\n"));
  CHECK_FALSE(is(OutputFormat::Csv, "c.csv", "# no end of line"));
  CHECK(
      is(OutputFormat::Csv, "c.csv", "# snap_099.hdf5\n# haloscope view: find halos\nx,y\n1,2\n"));
}

TEST_CASE("commands that write take the word overwrite at their end", "[session]") {
  using namespace app::session;
  for (const char* line :
       {"save_state a.toml overwrite", "screenshot a.png overwrite", "export_halos a.csv overwrite",
        "export_plot mass_function a.svg overwrite", "export_selection a.hdf5 overwrite",
        "save_path a.toml overwrite", "export_frames a.mp4 25 overwrite"}) {
    INFO(line);
    const Call call = parse_command(line);
    CHECK(call.overwrite);
    CHECK(parse_command(to_text(call)) == call);
    CHECK(usage(*call.command).ends_with("[overwrite]"));
  }
  // The name of a file where there must be one.
  CHECK_FALSE(parse_command("save_path overwrite").overwrite);
  CHECK(parse_command("save_state overwrite").overwrite);
  CHECK_THROWS(parse_command("load_state a.toml overwrite"));
}

TEST_CASE("what is read is not said to be replaceable", "[bad]") {
  const OutputFolder folder;
  const std::string copy = folder.path("copy.hdf5");
  fs::copy_file(sample_file(), copy);
  const auto run = run_program({"convert", copy, copy});
  INFO(run.err);
  CHECK(run.is_fault());
  CHECK(run.says("would overwrite a file that is read"));
  CHECK(run.says("choose another name\n"));
  CHECK_FALSE(run.says("--overwrite"));
  put_bytes(folder.path("run.txt"),
            "select_sphere 50% 50% 50% 10%\nexport_selection \"" + copy + "\"\n");
  const auto seen =
      run_program({"view", copy, "--headless", "--device", "cpu", "--run", folder.path("run.txt")});
  INFO(seen.err << seen.out);
  CHECK(seen.code == 2);
  CHECK(seen.says("choose another name\n"));
}

TEST_CASE("no search says that the snapshot it reads could be replaced", "[bad]") {
  const OutputFolder folder;
  const std::string sample = thinned_sample(folder), table = folder.path("points.npy");
  put_bytes(table, npy_bytes("'<f8'", "(2, 3)", std::string(48, '\0')));
  const std::vector<std::vector<std::string>> commands = {
      {"clusters", sample, "-o", sample},  {"halos", sample, "-o", sample},
      {"topology", sample, "-o", sample},  {"peaks", sample, "-o", sample},
      {"grid", sample, "-o", sample},      {"clusters", table, "-o", table},
      {"topology", table, "-o", table},    {"topology", table, "--pairs", table},
      {"clusters", table, "--tree", table}};
  for (const auto& command : commands) {
    const auto run = run_program(command);
    INFO(command[0] << ": " << run.err);
    CHECK(run.is_fault());
    CHECK(run.says("would overwrite a file that is read"));
    CHECK(run.says("choose another name\n"));
  }
}
