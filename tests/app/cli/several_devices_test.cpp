// `haloscope halos`, `clusters`, `render`, `movie` and `topology --gpus`: what one process on
// several devices writes and says is that of one device. Here the devices are the processor,
// several times, or one GPU; GPUs where there are two.

#include "app/cli/clusters.h"
#include "app/cli/halos.h"
#include "app/cli/movie.h"
#include "app/cli/run_on_devices.h"
#include "app/cli/topology.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "core/error.h"
#include "tests/app/cli/draw_on_devices.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/environment.h"
#include "tests/gpus.h"
#include "tests/made/ball_universe.h"
#include "tests/made/fields.h"
#include "tests/made/npy_files.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/skip.h"
#include "tests/test_paths.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;
using namespace snapshot_files;

namespace {

std::string sample_snapshot() {
  return haloscope::test::sample_file();
}

std::string bytes_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct FoundHalos {
  std::string catalog;
  std::vector<std::string> lines;  // without times
};

FoundHalos halos_on(const std::vector<compute::Device>& devices, const std::string& output) {
  app::cli::HalosCommand request;
  request.snapshot = sample_snapshot();
  request.output = output;
  request.device = "cpu";
  request.search.attach = {"gas"};
  FoundHalos found;
  Progress progress;
  analysis::RunContext context{progress,
                               [&](const std::string& line) {
                                 if (!line.starts_with("milliseconds")) found.lines.push_back(line);
                               },
                               "haloscope halos"};
  app::cli::run_halos_on(devices, request, context);
  found.catalog = bytes_in(output);
  return found;
}

// What a run wrote, one file behind the other, and said.
struct FoundOnDevices {
  std::string files;
  std::vector<std::string> lines;
};

// `run`: on devices; on none it is one process.
void check_beside_one(
    const std::vector<std::vector<compute::Device>>& sets_of_devices, const FoundOnDevices& one,
    const std::function<FoundOnDevices(const std::vector<compute::Device>&)>& run) {
  REQUIRE(one.files.size() > 1000);
  for (const auto& devices : sets_of_devices) {
    const FoundOnDevices several = run(devices);
    INFO(devices.size() << " ranks, the first on " << devices.front().word());
    const bool same_files = several.files == one.files;  // which are no text
    CHECK(same_files);
    CHECK(several.lines == one.lines);
  }
}

FoundOnDevices clusters_on(const std::vector<compute::Device>& devices, const std::string& output,
                           const std::string& tree) {
  app::cli::ClustersCommand request;
  request.input = sample_snapshot();
  request.output = output;
  request.tree = tree;
  request.overwrite = true;  // an array tells nobody who wrote it
  request.device = "cpu";
  FoundOnDevices found;
  Progress progress;
  analysis::RunContext context{progress,
                               [&](const std::string& line) { found.lines.push_back(line); },
                               "haloscope clusters"};
  app::cli::run_clusters_on(devices, request, context);
  found.files = bytes_in(output) + bytes_in(tree);
  return found;
}

void check_clusters(const std::vector<std::vector<compute::Device>>& sets_of_devices) {
  const OutputFolder folder;
  const auto run = [&](const std::vector<compute::Device>& devices) {
    return clusters_on(devices, folder.path("clusters.hdf5"), folder.path("tree.npy"));
  };
  check_beside_one(sets_of_devices, run({}), run);
}

// Once, twice and three times.
std::vector<std::vector<compute::Device>> up_to_three(const compute::Device& device) {
  return {{device}, {device, device}, {device, device, device}};
}

void as_map(render::RenderRequest& request) {
  request.mode = compute::splotch::Mode::Map;
}

void of_region(render::RenderRequest& request) {
  request.selection.region = io::Region{{5000, 5000, 5000}, {12000, 11000, 13000}};
}

// Of a grid of 12 x 10 x 33 cells, or of the sample.
FoundOnDevices topology_on(const std::vector<compute::Device>& devices, const OutputFolder& folder,
                           bool is_grid,
                           const std::function<void(app::cli::TopologyCommand&)>& more,
                           const std::string& device = "cpu") {
  std::mt19937_64 random(52);
  const std::string grid = folder.path("grid.npy");
  std::ofstream(grid, std::ios::binary)
      << npy_bytes("'<f4'", "(12, 10, 33)",
                   raw_bytes(gaussian_random_field({{12, 10, 33}, {true, true, true}}, random)));
  app::cli::TopologyCommand request;
  request.input = is_grid ? grid : sample_snapshot();
  if (!is_grid) request.options.grid = "16";
  request.outputs = {folder.path("out.hdf5"), folder.path("out.csv")};
  request.pairs = {folder.path("pairs.npy")};
  request.device = device;
  request.overwrite = true;
  if (more) more(request);
  FoundOnDevices found;
  Progress progress;
  analysis::RunContext context{progress,
                               [&](const std::string& line) { found.lines.push_back(line); },
                               "haloscope topology"};
  app::cli::run_topology_on(devices, request, context);
  for (const char* name : {"out.hdf5", "out.csv", "pairs.npy"})
    found.files += bytes_in(folder.path(name));
  return found;
}

// Grids of all kinds of the words below, beside the processor, and a snapshot, beside one process
// on `device`: properties of its peaks may differ in the last bits from executor to executor.
void check_topology(const std::vector<std::vector<compute::Device>>& sets_of_devices,
                    const std::string& device = "cpu") {
  const OutputFolder folder;
  const std::vector<std::function<void(app::cli::TopologyCommand&)>> all{
      {},
      [](auto& r) {
        r.periodic = "yes";
        r.options.smooth = "1cells";
        r.options.persistence = "sigma:0.5";
      },
      [](auto& r) { r.options.segments = analysis::SegmentKind::Branch; },
      [](auto& r) {
        if (r.options.grid.empty()) return;  // of a bare grid there is no region
        r.options.region = "5000,5000,5000,12000,11000,13000";
        r.options.smooth = "1cells";
      }};
  for (const bool is_grid : {true, false})
    for (const auto& more : all) {
      INFO((is_grid ? "a grid" : "a snapshot"));
      check_beside_one(
          sets_of_devices, topology_on({}, folder, is_grid, more, is_grid ? "cpu" : device),
          [&](const auto& devices) { return topology_on(devices, folder, is_grid, more); });
    }
}

// The frames of a film, one behind the other.
std::string film_on(const std::vector<compute::Device>& devices,
                    render::FilmSplit split = render::FilmSplit::Auto) {
  const OutputFolder folder;
  std::ofstream(folder.path("path.toml"))
      << "fps = 2\n[[key]]\ntime = 0\neye = [9, 9, 50]\ntarget = [9, 9, 9]\n"
         "[[key]]\ntime = 2\neye = [40, 9, 9]\ntarget = [9, 9, 9]\n";
  render::FilmRequest request;
  request.snapshots = {sample_snapshot()};
  request.path = folder.path("path.toml");
  request.picture.output = folder.path("%03d.png");
  request.picture.size = PixelSize{80, 60};
  request.picture.keep_lengths = io::KeepLengths::Nowhere;
  request.picture.compute.device = "cpu";
  request.split = split;
  Progress progress;
  std::vector<std::string> lines;
  analysis::RunContext context{progress, [&](const std::string& line) { lines.push_back(line); },
                               "haloscope movie"};
  // The second time all frames are there, the third time all but one.
  for (const char* told :
       {"wrote 5 frames", "(5 of them were there already)", "(4 of them were there already)"}) {
    lines.clear();
    if (told[1] == '4') std::filesystem::remove(folder.path("003.png"));
    app::cli::run_movie_on(devices, request, context);
    INFO(lines.back());
    CHECK(lines.back().find(told) != std::string::npos);
    const auto tells_parts = [](const std::string& line) {
      return line.find("has a part of the particles, and draws it in all frames.") !=
             std::string::npos;
    };
    CHECK(std::any_of(lines.begin(), lines.end(), tells_parts) ==
          (split == render::FilmSplit::Particles));
  }
  std::string frames;
  for (int n = 0; n < 5; ++n) frames += bytes_in(folder.path("00" + std::to_string(n) + ".png"));
  return frames;
}

}  // namespace

TEST_CASE("pictures on several devices are those of one, byte for byte, and are told once",
          "[app][ranks]") {
  const OutputFolder folder;
  const std::string output = folder.path("out.png");
  for (const auto& more : {std::function<void(render::RenderRequest&)>(), {as_map}, {of_region}}) {
    const Drawn one = picture_on({}, output, more);
    REQUIRE(one.picture.size() > 1000);
    CHECK(one.ranks == 1);
    for (const std::size_t count : {1, 2, 3}) {
      const Drawn several =
          picture_on(std::vector<compute::Device>(count, compute::Device::cpu()), output, more);
      INFO(count << " devices");
      CHECK(several.picture == one.picture);
      CHECK(several.lines == one.lines);
      CHECK(several.ranks == int(count));
    }
  }
}

TEST_CASE("pictures by several ranks on one GPU are those of the processor", "[gpu][app][ranks]") {
  if (!compute::is_usable(compute::Device::cuda())) return skip(Needs::Gpu, "there is no GPU");
  const OutputFolder folder;
  const std::string output = folder.path("out.png");
  for (const auto& more : {std::function<void(render::RenderRequest&)>(), {as_map}}) {
    const Drawn one = picture_on({}, output, more);
    for (const std::size_t count : {1, 2, 3}) {
      const Drawn several =
          picture_on(std::vector<compute::Device>(count, compute::Device::cuda()), output, more);
      INFO(count << " ranks");
      CHECK(several.picture == one.picture);
      CHECK(several.lines == one.lines);
    }
  }
}

TEST_CASE("films on several devices are those of one, byte for byte", "[app][ranks]") {
  const std::string one = film_on({});
  REQUIRE(one.size() > 5000);
  CHECK(film_on({compute::Device::cpu(), compute::Device::cpu()}) == one);
}

TEST_CASE("devices that share the particles of a film draw the frames of one", "[app][ranks]") {
  const std::string one = film_on({});
  for (const std::size_t count : {2, 3})
    CHECK(film_on(std::vector<compute::Device>(count, compute::Device::cpu()),
                  render::FilmSplit::Particles) == one);
}

TEST_CASE("ranks on one GPU share the particles of a film", "[gpu][app][ranks]") {
  if (!compute::is_usable(compute::Device::cuda())) return skip(Needs::Gpu, "there is no GPU");
  const std::vector<compute::Device> one{compute::Device::cuda()};
  const std::string frames = film_on(one);
  REQUIRE(frames.size() > 5000);
  CHECK(film_on({one.front(), one.front()}, render::FilmSplit::Particles) == frames);
}

TEST_CASE("films by two ranks on one GPU are those of one", "[gpu][app][ranks]") {
  if (!compute::is_usable(compute::Device::cuda())) return skip(Needs::Gpu, "there is no GPU");
  CHECK(film_on({compute::Device::cuda(), compute::Device::cuda()}) ==
        film_on({compute::Device::cuda()}));
}

TEST_CASE("what several devices cannot draw is refused in one sentence", "[app][ranks]") {
  const OutputFolder folder;
  const std::vector<compute::Device> two(2, compute::Device::cpu());
  struct Refused {
    std::function<void(render::RenderRequest&)> ask;
    std::string sentence;
  };
  const std::vector<Refused> all{
      {[](auto& r) { r.compute.strategy = compute::splotch::Strategy::Paper; },
       "--strategy: several GPUs cannot draw by the paper's scheme yet; leave it out, or leave "
       "--gpus out"},
      {[](auto& r) { r.mode = compute::splotch::Mode::Classic; },
       "--deterministic: several GPUs cannot draw classic pictures that are the same to the last "
       "bit yet; leave it out, or leave --gpus out"}};
  for (const Refused& one : all)
    CHECK(message_of([&] { picture_on(two, folder.path("out.png"), one.ask); }) == one.sentence);
  CHECK(folder.files().empty());
}

TEST_CASE("halos on several devices are those of one, byte for byte, and are told once",
          "[app][ranks][halos]") {
  const OutputFolder folder;
  // One name: it stands in the catalog.
  const std::string output = folder.path("halos.hdf5");
  const FoundHalos one = halos_on({}, output);
  REQUIRE(one.catalog.size() > 1000);
  for (const std::size_t count : {1, 2, 3}) {
    const FoundHalos several =
        halos_on(std::vector<compute::Device>(count, compute::Device::cpu()), output);
    INFO(count << " devices");
    CHECK(several.catalog == one.catalog);
    CHECK(several.lines == one.lines);
  }
}

TEST_CASE("clusters on several devices are those of one, byte for byte, and are told once",
          "[app][ranks][clusters]") {
  check_clusters(up_to_three(compute::Device::cpu()));
}

TEST_CASE("clusters by several ranks on one GPU are those of the processor",
          "[gpu][app][ranks][clusters]") {
  if (!compute::is_usable(compute::Device::cuda())) return skip(Needs::Gpu, "there is no GPU");
  check_clusters(up_to_three(compute::Device::cuda()));
}

TEST_CASE("several devices refuse cuslink's tree in one sentence", "[app][ranks][clusters]") {
  const OutputFolder folder;
  app::cli::ClustersCommand request;
  request.input = sample_snapshot();
  request.output = folder.path("clusters.hdf5");
  request.options.method = analysis::TreeMethod::Cuslink;
  Progress progress;
  analysis::RunContext context{progress, [](const std::string&) {}, "haloscope clusters"};
  CHECK(message_of([&] {
          app::cli::run_clusters_on({compute::Device::cpu(), compute::Device::cpu()}, request,
                                    context);
        }) ==
        "--method: several GPUs cannot make cuslink's tree yet; take --method exact, or leave "
        "--gpus out");
  CHECK(folder.files().empty());
}

TEST_CASE("halos on two GPUs are those of one GPU and of the processor", "[gpu][ranks][halos]") {
  std::vector<compute::Device> gpus;
  for (const compute::Device device : compute::devices())
    if (device.is_gpu() && compute::is_usable(device)) gpus.push_back(device);
  if (gpus.size() < 2) return skip(Needs::TwoGpus, "there are no two GPUs");
  const OutputFolder folder;
  const std::string output = folder.path("halos.hdf5");
  const FoundHalos one = halos_on({}, output), on_gpu = halos_on({gpus[0]}, output);
  CHECK(on_gpu.catalog == one.catalog);
  for (int again = 0; again < 3; ++again) {
    const FoundHalos two = halos_on({gpus[0], gpus[1]}, output);
    CHECK(two.catalog == one.catalog);
    CHECK(two.lines == one.lines);
  }
}

TEST_CASE("merge trees on several devices are those of one, byte for byte, and are told once",
          "[app][ranks][topology]") {
  check_topology(up_to_three(compute::Device::cpu()));
}

TEST_CASE("merge trees by several ranks on one GPU are those of the processor",
          "[gpu][app][ranks][topology]") {
  const auto gpu = compute::Device::cuda();
  if (!compute::is_usable(gpu)) return skip(Needs::Gpu, "there is no GPU");
  check_topology(up_to_three(gpu), "cuda");
}

TEST_CASE("merge trees on two GPUs are those of the processor", "[gpu][app][ranks][topology]") {
  const auto gpus = two_gpus();
  if (gpus.empty()) return;
  check_topology({{gpus[1]}, gpus}, "cuda");
}

TEST_CASE("what several devices cannot make trees of is refused in one sentence",
          "[app][ranks][topology]") {
  const OutputFolder folder;
  const std::vector<compute::Device> two(2, compute::Device::cpu());
  CHECK(message_of([&] {
          topology_on(two, folder, true,
                      [](auto& r) { r.options.method = analysis::PeaksMethod::Triplet; });
        }) ==
        "--method: several GPUs cannot make trees of triplets yet; leave it out, or leave "
        "--gpus out");
}

TEST_CASE("wrong words for several GPUs get one sentence, and nothing is written",
          "[app][ranks][devices]") {
  struct Wrong {
    std::vector<std::string> words;
    std::string sentence;
  };
  const std::vector<Wrong> all{
      {{"--gpus", "0,0"}, "--gpus 0,0: GPU 0 stands there twice"},
      {{"--gpus", "two"}, "'two' is neither all nor numbers of GPUs"},
      {{"--gpus", "0,1000"}, "--gpus 0,1000: "},
      {{"--gpus", "all", "--device", "cpu"}, "--gpus and --device cpu exclude each other"},
      {{"--gpus", "all", "--device", "cuda:0"}, "--gpus and --device cuda:0 exclude each other"}};
  for (const Wrong& wrong : all) {
    const OutputFolder folder;
    for (const auto& [command, output] : {std::pair("halos", "h.hdf5"),
                                          {"clusters", "c.hdf5"},
                                          {"grid", "g.npy"},
                                          {"render", "h.png"},
                                          {"movie", "%03d.png"},
                                          {"view", "socket"},
                                          {"topology", "t.hdf5"}}) {
      std::vector<std::string> words{command, sample_snapshot()};
      if (command == std::string("view"))
        words.insert(words.end(), {"--headless", "--listen", folder.path(output)});
      else
        words.insert(words.end(), {"-o", folder.path(output)});
      words.insert(words.end(), wrong.words.begin(), wrong.words.end());
      const auto run = run_program(words);
      INFO(command << ": " << run.err);
      CHECK(run.is_fault());
      CHECK(run.says(wrong.sentence));
      CHECK(folder.files().empty());
    }
  }
}

TEST_CASE("a device that fails ends the others with its own sentence", "[app][ranks]") {
  Progress progress;
  std::atomic<int> reports{0};
  analysis::RunContext context{progress, [](const std::string&) {}, ""};
  const std::vector<compute::Device> three(3, compute::Device::cpu());
  std::atomic<int> stopped{0};
  // One in a loop that asks its progress, one that waits for the others.
  const auto work = [&](analysis::RunContext& own, compute::Device) {
    if (own.ranks->rank() == 1) throw Error("no memory is left", "GPU");
    try {
      if (own.ranks->rank() == 0)
        for (;; ++reports) {
          own.progress.report("working", 0);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      own.ranks->barrier();
    } catch (...) {
      ++stopped;
      throw;
    }
  };
  CHECK(message_of([&] { app::cli::run_on_devices(three, context, work); }) ==
        "GPU: no memory is left");
  CHECK(stopped == 2);
}

TEST_CASE("who cancels a search on several devices ends all of them", "[app][ranks]") {
  Progress progress;
  analysis::RunContext context{progress, [](const std::string&) {}, ""};
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    progress.cancel();
  });
  const auto work = [](analysis::RunContext& own, compute::Device) {
    for (;;) {
      own.progress.report("working", 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  CHECK_THROWS_AS(
      app::cli::run_on_devices({compute::Device::cpu(), compute::Device::cpu()}, context, work),
      Cancelled);
  canceller.join();
}
