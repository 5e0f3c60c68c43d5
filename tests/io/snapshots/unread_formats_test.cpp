// Folders of formats that haloscope does not read are called by their names.

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"

#include <filesystem>

using namespace haloscope;
using haloscope::test::OutputFolder;
using haloscope::test::put_bytes;
using haloscope::test::run_program;

namespace {

namespace fs = std::filesystem;

void check_refused(const std::string& path, const std::string& format) {
  CAPTURE(path);
  const auto run = run_program({"info", path});
  INFO(run.err);
  CHECK(run.is_fault());
  CHECK(run.says("this is " + format + ", which haloscope does not read"));
  CHECK(run.says("convert it"));
  CHECK_FALSE(run.says("no HDF5 file"));
}

}  // namespace

TEST_CASE("a RAMSES output is called one", "[formats]") {
  const OutputFolder folder;
  const std::string output = folder.path("output_00080");
  fs::create_directory(output);
  put_bytes(output + "/info_00080.txt",
            "ncpu        =          2\nndim        =          3\nlevelmin    =          7\n"
            "boxlen      =  0.100000000000000E+01\ntime        = -0.1\naexp        =  0.5\n");
  for (const char* kind : {"amr", "hydro", "part"})
    for (const char* cpu : {"00001", "00002"})
      put_bytes(output + "/" + kind + "_00080.out" + cpu, std::string("\4\0\0\0", 4) + "data");
  check_refused(output, "a RAMSES output");
  check_refused(output + "/", "a RAMSES output");
  check_refused(output + "/info_00080.txt", "a RAMSES output");
  check_refused(output + "/part_00080.out00001", "a RAMSES output");
}

TEST_CASE("a bigfile folder is called one", "[formats]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("PART_006");
  for (const char* block : {"Header", "1/Position", "1/Velocity"}) {
    fs::create_directories(snapshot + "/" + block);
    put_bytes(snapshot + "/" + block + "/header",
              "DTYPE: <f8\nNMEMB: 3\nNFILE: 1\n000000: 8 : 0 : 0\n");
  }
  put_bytes(snapshot + "/Header/attr-v2", "BoxSize <f8 1 0000000000006940 #HUMANE [ 200 ]\n");
  put_bytes(snapshot + "/1/Position/000000", std::string(192, '\0'));
  check_refused(snapshot, "a bigfile folder (MP-Gadget, BlueTides)");
  check_refused(snapshot + "/1/Position", "a bigfile folder (MP-Gadget, BlueTides)");
}

TEST_CASE("any other folder without a snapshot is told as before", "[formats]") {
  const OutputFolder folder;
  put_bytes(folder.path("info_notes.txt"), "nothing\n");
  const auto run = run_program({"info", folder.path()});
  CHECK(run.is_fault());
  CHECK(run.says("the folder holds no HDF5 file"));
}
