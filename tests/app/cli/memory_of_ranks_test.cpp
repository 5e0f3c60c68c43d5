// What ranks of one machine need together is told before they begin: `haloscope render` and `movie`
// of more than this machine has, though one of its ranks would have room.

#include "render/scene/memory_of_ranks.h"

#include "app/cli/movie.h"
#include "app/cli/render.h"
#include "compute/exec/device.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/exec/ranks.h"
#include "render/scene/picture_output.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <cmath>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;
using namespace snapshot_files;

namespace {

const std::vector<compute::Device> kThreeDevices(3, compute::Device::cpu());

// What so large a part of this machine's memory is: a half is thought to be there always.
std::uint64_t part_of_memory(double part) {
  return std::uint64_t(part * double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)));
}

PixelSize picture_of(std::uint64_t bytes) {
  const auto per_pixel = double(render::picture_bytes({1000, 1000})) / 1e6;
  const int side = int(std::sqrt(double(bytes) / per_pixel));
  return {side, side};
}

// Gas of which no value was ever written: its file has holes, and takes no room on disk.
void promise_gas(const std::string& path, hsize_t rows) {
  FileWriter file(path);
  write_header(file, {0, 0}, 10);
  H5Adelete_by_name(file.id(), "Header", "NumPart_ThisFile", H5P_DEFAULT);
  file.attribute<std::uint64_t>("Header", "NumPart_ThisFile", {rows, 0});
  file.group("PartType0");
  const hsize_t shape[2] = {rows, 3};
  const hid_t space = H5Screate_simple(2, shape, nullptr);
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
  H5Dclose(H5Dcreate2(file.id(), "PartType0/Coordinates", H5T_NATIVE_FLOAT, space, H5P_DEFAULT,
                      plist, H5P_DEFAULT));
  H5Pclose(plist);
  H5Sclose(space);
}

std::string fault_of_picture(const std::vector<compute::Device>& devices,
                             const std::string& snapshot, PixelSize size) {
  const OutputFolder folder;
  render::RenderRequest request;
  request.snapshot = snapshot;
  request.output = folder.path("out.png");
  request.size = size;
  request.quiet = true;
  request.keep_lengths = io::KeepLengths::Nowhere;
  request.compute.device = "cpu";
  Progress progress;
  analysis::RunContext context{progress, [](const std::string&) {}, "haloscope render"};
  return message_of([&] { app::cli::run_render_on(devices, request, context); });
}

std::string fault_of_film(const std::vector<compute::Device>& devices,
                          const std::vector<std::string>& snapshots, PixelSize size,
                          compute::splotch::Mode mode = compute::splotch::Mode::Default) {
  const OutputFolder folder;
  std::ofstream(folder.path("path.toml"))
      << "fps = 2\n[[key]]\ntime = 0\neye = [9, 9, 50]\ntarget = [9, 9, 9]\n"
         "[[key]]\ntime = 2\neye = [40, 9, 9]\ntarget = [9, 9, 9]\n";
  render::FilmRequest request;
  request.snapshots = snapshots;
  request.path = folder.path("path.toml");
  request.picture.output = folder.path("%03d.png");
  request.picture.size = size;
  request.picture.mode = mode;
  request.picture.quiet = true;
  request.picture.keep_lengths = io::KeepLengths::Nowhere;
  request.picture.compute.device = "cpu";
  Progress progress;
  analysis::RunContext context{progress, [](const std::string&) {}, "haloscope movie"};
  return message_of([&] { app::cli::run_movie_on(devices, request, context); });
}

}  // namespace

TEST_CASE("a picture that each of several devices holds is asked for once for each of them",
          "[app][ranks]") {
  const PixelSize size = picture_of(part_of_memory(0.45));
  // One goes on, to a snapshot that is not there.
  CHECK_THAT(fault_of_picture({kThreeDevices.front()}, "none.hdf5", size),
             Catch::Contains("none.hdf5"));
  const std::string told = fault_of_picture(kThreeDevices, "none.hdf5", size);
  CHECK_THAT(told, Catch::StartsWith("host memory: not enough memory for a picture of this size, "
                                     "once for each of 3 GPUs: ") &&
                       Catch::Contains(" GiB needed, ") &&
                       Catch::EndsWith(" GiB free; take fewer GPUs (--gpus), or choose fewer "
                                       "pixels"));
}

TEST_CASE("GPUs sum up pictures in their own memory, all but the first", "[app][ranks]") {
  render::RenderRequest request;
  const PixelSize size{100, 70};
  const compute::Device cpu, gpu = compute::Device::cuda();
  const std::uint64_t whole = render::picture_bytes(size);
  for (const bool first : {true, false})
    CHECK(render::picture_bytes_of_rank(request, size, cpu, first) == whole);
  CHECK(render::picture_bytes_of_rank(request, size, gpu, true) == whole);
  CHECK(render::picture_bytes_of_rank(request, size, gpu, false) == 0);
  // Where the processor draws large splats beside it, it has sums of its own.
  request.compute.exact = true;
  CHECK(render::picture_bytes_of_rank(request, size, gpu, false) == 100 * 70 * 16);
  request.compute.large = compute::splotch::LargeOn::Gpu;
  CHECK(render::picture_bytes_of_rank(request, size, gpu, false) == 0);
  request.compute.large = compute::splotch::LargeOn::Cpu;
  request.compute.deterministic = true;
  CHECK(render::picture_bytes_of_rank(request, size, gpu, false) == 0);
}

TEST_CASE("the particles that several devices share are asked for together", "[app][ranks]") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.hdf5";
  // Places and a mass are 16 bytes or more, their order 56.
  promise_gas(path, part_of_memory(1.2) / 72);
  const std::string told = fault_of_picture(kThreeDevices, path, {64, 64});
  CHECK_THAT(told, Catch::StartsWith("host memory: not enough memory for the particles and their "
                                     "order, of which 3 GPUs have parts: ") &&
                       Catch::EndsWith("; choose fewer particle types (--types), or take more "
                                       "machines"));
}

TEST_CASE("particles and frames that each rank of a film has are asked for once for each",
          "[app][ranks]") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.hdf5";
  const auto check_refused = [](const std::string& told, const std::string& what) {
    CHECK_THAT(told, Catch::StartsWith("host memory: not enough memory for " + what +
                                       ", once for each of 3 GPUs: ") &&
                         Catch::Contains(" GiB free; take fewer GPUs (--gpus), or choose fewer "));
  };
  check_refused(fault_of_film(kThreeDevices, {"none.hdf5"}, picture_of(part_of_memory(0.35))),
                "frames of this size");
  promise_gas(path, part_of_memory(0.45) / 72);
  // Of classic pictures ranks cannot share the particles.
  check_refused(fault_of_film(kThreeDevices, {path}, {64, 64}, compute::splotch::Mode::Classic),
                "the particles of a film and a frame");
}

TEST_CASE("devices share the particles of a film that do not fit each of them", "[app][ranks]") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.hdf5";
  promise_gas(path, part_of_memory(1.2) / 72);
  // Even so they are too many.
  CHECK_THAT(
      fault_of_film(kThreeDevices, {path}, {64, 64}),
      Catch::StartsWith("host memory: not enough memory for the particles and frames of a film, of "
                        "which 3 GPUs have parts: "));
}

TEST_CASE("whether ranks fit is asked for all of a machine together", "[app][ranks]") {
  compute::run_thread_ranks(3, [](compute::Ranks& ranks) {
    const std::uint64_t much = part_of_memory(0.45), little = 1000;
    const int with_little = ranks.sum(int(render::ranks_have_memory(ranks, little))),
              with_thirds = ranks.sum(int(render::ranks_have_memory(ranks, much / 3))),
              with_much = ranks.sum(int(render::ranks_have_memory(ranks, much)));
    if (!ranks.first()) return;
    CHECK(with_little == 3);
    CHECK(with_thirds == 3);
    CHECK(with_much == 0);
  });
}
