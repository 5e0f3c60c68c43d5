#include "app/viewer/tasks/scene_crew.h"

#include "analysis/finding.h"
#include "app/viewer/tasks/scene_job.h"
#include "compute/exec/resident_labels.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/gpus.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

// A snapshot that several devices draw together, beside one device's.

namespace haloscope::app::viewer {

namespace {

using compute::Device;

constexpr std::uint32_t kGas = 700, kDark = 3001;

// Some positions are no numbers, on every rank of two and of three.
std::string snapshot_with_gaps(const snapshot_files::TemporaryFolder& folder) {
  using namespace snapshot_files;
  std::string path = folder / "gaps.hdf5";
  FileWriter file(path);
  write_header(file, {kGas, kDark, 0, 0, 0, 0}, 1);
  for (const auto& [type, count] : {std::pair(0, kGas), std::pair(1, kDark)}) {
    std::vector<float> positions = some_positions(count, 1);
    for (const std::size_t row : {3u, count / 2 + 1, count - 20})
      positions[3 * row + 1] = std::numeric_limits<float>::quiet_NaN();
    const std::string group = "PartType" + std::to_string(type);
    file.group(group).dataset(group + "/Coordinates", {count, 3}, positions);
    file.dataset(group + "/Masses", {count}, std::vector<float>(count, 1.f + float(type)));
    std::vector<float> energy;
    for (std::size_t i = 0; i < count; ++i) energy.push_back(100.f + float(i % 97));
    if (type == 0) file.dataset(group + "/InternalEnergy", {count}, energy);
  }
  return path;
}

render::RenderRequest request_of(const std::string& snapshot, const std::vector<Device>& devices) {
  render::RenderRequest request;
  request.snapshot = snapshot;
  request.hidden_too = true;
  request.keep_lengths = io::KeepLengths::Nowhere;
  request.compute.device = "cpu";
  if (devices.empty()) return request;
  request.compute.chosen = devices.front();
  request.compute.devices = devices;
  return request;
}

std::shared_ptr<OpenScene> opened(const std::string& snapshot,
                                  const std::vector<Device>& devices = {}) {
  return open_scene(request_of(snapshot, devices), std::make_shared<Progress>());
}

// Rows without particles count too.
template <class T, class Value>
std::map<int, std::vector<T>> of_all_rows(const Value& value) {
  std::map<int, std::vector<T>> all;
  for (const auto& [type, count] : {std::pair(0, kGas), std::pair(1, kDark)})
    for (std::uint32_t i = 0; i < count; ++i) all[type].push_back(T(value(i)));
  return all;
}

analysis::ParticleColors pieces() {
  auto found = std::make_shared<analysis::Finding>();
  found->finder = "halos";
  found->pieces = 40;
  auto labels = std::make_shared<Labels>();
  labels->pieces = 40;
  labels->of = of_all_rows<std::uint32_t>(
      [](std::uint32_t i) { return i % 3 == 0 ? std::uint32_t(Labels::kNone) : i / 5 % 40; });
  found->labels = std::move(labels);
  analysis::ParticleField& field = found->fields["Depth"];
  field.limits = {0, 50};
  field.values = of_all_rows<float>([](std::uint32_t i) { return float(i % 51); });
  return {std::move(found), {}};
}

// The same labels where a search leaves them: of the particles that have places, types one behind
// the other.
class LabelsThere final : public compute::ResidentLabels {
 public:
  explicit LabelsThere(const Labels& labels) {
    for (const auto& [type, count] : {std::pair(0, kGas), std::pair(1, kDark)})
      for (std::uint32_t i = 0; i < count; ++i)
        if (i != 3 && i != count / 2 + 1 && i != count - 20)
          values_.push_back(labels.of.at(type)[i]);
  }
  Device device() const override { return Device::cpu(); }
  const std::uint32_t* data() const override { return values_.data(); }
  std::uint32_t count() const override { return std::uint32_t(values_.size()); }
  std::vector<std::uint32_t> download() const override { return values_; }

 private:
  std::vector<std::uint32_t> values_;
};

analysis::ParticleColors resident_pieces(std::shared_ptr<const compute::ResidentLabels>& there) {
  analysis::ParticleColors colors = pieces();
  auto found = std::make_shared<analysis::Finding>(*colors.finding);
  there = std::make_shared<LabelsThere>(*found->labels);
  found->labels.reset();
  found->resident.labels = there;
  found->resident.of = {{0, {0, kGas - 3}}, {1, {kGas - 3, kDark - 3}}};
  return {std::move(found), {}};
}

render::ShownSets sets() {
  auto members = std::make_shared<analysis::SetMembers>();
  analysis::NamedSet core, rim;
  core.name = "core";
  core.color = std::array<double, 3>{1, 0.5, 0};
  rim.name = "rim";
  members->sets = {core, rim};
  members->of = of_all_rows<std::uint16_t>([](std::uint32_t i) { return i / 7 % 4; });
  members->counts = {1, 1};
  return {members, analysis::ShowSets::Dim, members->sets};
}

bool same_pixels(const ImageF& a, const ImageF& b) {
  return a.width == b.width && a.height == b.height && a.channels == b.channels &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(float)) == 0;
}

bool is_dark(const ImageF& image) {
  for (const float value : image.pixels)
    if (value > 0) return false;
  return true;
}

// All that the window asks a scene for.
std::vector<Looks> all_looks(const SceneModel& model) {
  session::State state;
  const Looks plain = looks_of(model, state, {});
  std::vector<Looks> all{plain, looks_of(model, state, pieces())};
  analysis::ParticleColors field = pieces();
  field.field = "Depth";
  all.push_back(looks_of(model, state, field));
  all.push_back(looks_of(model, state, {}, sets()));
  state.slab.axis = 2;
  state.slab.low = 0.2;
  state.slab.high = 0.6;
  all.push_back(looks_of(model, state, {}));
  state.map.shown = true;
  all.push_back(looks_of(model, state, {}));
  all.push_back(plain);
  return all;
}

compute::splotch::View view_of(const OpenScene& open) {
  return render::choose_view(open.model.bounds, {}, 90, 70);
}

bool same_histograms(const SceneModel& a, const SceneModel& b) {
  if (a.histograms.size() != b.histograms.size()) return false;
  for (std::size_t k = 0; k < a.histograms.size(); ++k)
    for (std::size_t s = 0; s < a.histograms[k].scales.size(); ++s) {
      const auto &one = a.histograms[k].scales[s], &other = b.histograms[k].scales[s];
      if (one.low != other.low || one.high != other.high || one.counts != other.counts)
        return false;
    }
  return true;
}

void check_beside_one(const std::string& snapshot, const std::vector<Device>& devices) {
  const auto one = opened(snapshot, {devices.front()}), several = opened(snapshot, devices);
  CAPTURE(devices.size(), devices.front());
  REQUIRE(several->crew);
  CHECK(several->crew->size() == devices.size());
  CHECK(several->model.counts == one->model.counts);
  CHECK(several->model.types == one->model.types);
  CHECK(several->model.bounds.low == one->model.bounds.low);
  CHECK(several->model.bounds.high == one->model.bounds.high);
  CHECK_FALSE(several->model.points);
  CHECK(same_histograms(several->model, one->model));
  const auto looks = all_looks(one->model);
  Progress progress;
  // What is on a device colors as what is not.
  std::shared_ptr<const compute::ResidentLabels> labels;
  const Looks resident = looks_of(one->model, {}, resident_pieces(labels));
  CHECK(same_pixels(draw_described(*several, resident, view_of(*several), progress).frame.image,
                    draw_described(*one, looks[1], view_of(*one), progress).frame.image));
  ImageF first;
  for (std::size_t k = 0; k < looks.size(); ++k) {
    CAPTURE(k);
    const DescribedFrame expected = draw_described(*one, looks[k], view_of(*one), progress);
    const DescribedFrame drawn = draw_described(*several, looks[k], view_of(*several), progress);
    CHECK_FALSE(is_dark(drawn.frame.image));
    CHECK(same_pixels(drawn.frame.image, expected.frame.image));
    CHECK(drawn.scene == expected.scene);
    CHECK(drawn.frame.counts.particles == expected.frame.counts.particles);
    // Each look changes the picture, and the last one is the first.
    if (k == 0) first = drawn.frame.image;
    CHECK(same_pixels(drawn.frame.image, first) == (k == 0 || k + 1 == looks.size()));
  }
  // It stays on the GPU that draws; sums of floats go in the order of threads there.
  const auto stays = draw_sample(*several, looks[0], view_of(*several), 1, true, progress);
  CHECK(bool(stays.on_device) == devices.front().is_gpu());
  const ImageF there = stays.on_device ? stays.on_device->to_host() : stays.image;
  REQUIRE(there.pixels.size() == first.pixels.size());
  const float brightest = *std::max_element(first.pixels.begin(), first.pixels.end());
  float worst = 0;
  for (std::size_t i = 0; i < first.pixels.size(); ++i)
    worst = std::max(worst, std::abs(there.pixels[i] - first.pixels[i]));
  CHECK(worst < 0.006f * brightest);  // wide splats are drawn on levels
  // A sample is of one particle in four, wherever they lie.
  const auto sample = draw_sample(*several, looks[0], view_of(*several), 4, false, progress);
  CHECK_FALSE(is_dark(sample.image));
  CHECK(sample.counts.particles < (kGas + kDark) / 3);
}

}  // namespace

TEST_CASE("several devices draw what one draws in the window", "[window][ranks]") {
  const snapshot_files::TemporaryFolder folder;
  const std::string snapshot = snapshot_with_gaps(folder);
  for (const std::size_t count : {2, 3})
    check_beside_one(snapshot, std::vector<Device>(count, Device::cpu()));
}

TEST_CASE("ranks that share one GPU draw what one draws in the window", "[gpu][window][ranks]") {
  if (!is_usable(Device::cuda())) return test::skip(test::Needs::Gpu, "there is no GPU");
  const snapshot_files::TemporaryFolder folder;
  check_beside_one(snapshot_with_gaps(folder), {Device::cuda(), Device::cuda()});
}

TEST_CASE("two GPUs draw what one draws in the window", "[gpu][window][ranks]") {
  const auto gpus = test::two_gpus();
  if (gpus.empty()) return;
  const snapshot_files::TemporaryFolder folder;
  check_beside_one(snapshot_with_gaps(folder), gpus);
}

TEST_CASE("what all devices refuse leaves them drawing", "[window][ranks]") {
  const snapshot_files::TemporaryFolder folder;
  const std::vector<Device> two(2, Device::cpu());
  const auto scene = opened(snapshot_with_gaps(folder), two);
  Progress progress;
  const Looks plain = looks_of(scene->model, {}, {});
  const ImageF before = draw_described(*scene, plain, view_of(*scene), progress).frame.image;
  analysis::ParticleColors wrong = pieces();
  auto short_of_one = std::make_shared<Labels>(*wrong.finding->labels);
  short_of_one->of[1].pop_back();
  auto finding = std::make_shared<analysis::Finding>(*wrong.finding);
  finding->labels = short_of_one;
  wrong.finding = finding;
  CHECK_THROWS_AS(
      draw_described(*scene, looks_of(scene->model, {}, wrong), view_of(*scene), progress), Error);
  CHECK(same_pixels(draw_described(*scene, plain, view_of(*scene), progress).frame.image, before));
}

TEST_CASE("a device that fails alone ends the drawing of all, and is told", "[window][ranks]") {
  const snapshot_files::TemporaryFolder folder;
  const std::vector<Device> two(2, Device::cpu());
  Progress progress;
  SceneCrew crew(request_of(snapshot_with_gaps(folder), two), two, progress);
  const auto view = render::choose_view({{0, 0, 0}, {1, 1, 1}}, {}, 20, 20);
  // The other one waits for its part of the picture.
  CHECK_THROWS_WITH(crew.run([&](render::SnapshotScene& scene, Progress& own, bool first) {
    if (!first) throw Error("the device is full", "the second GPU");
    scene.draw(view, own);
  }),
                    "the second GPU: the device is full");
  CHECK_THROWS_WITH(crew.run([](auto&, auto&, bool) {}),
                    Catch::Contains("one of the GPUs that draw together has failed"));
}

TEST_CASE("a device that fails when the others are done leaves all drawing", "[window][ranks]") {
  const snapshot_files::TemporaryFolder folder;
  const std::vector<Device> two(2, Device::cpu());
  Progress progress;
  SceneCrew crew(request_of(snapshot_with_gaps(folder), two), two, progress);
  CHECK_THROWS_WITH(crew.run([&](auto&, auto&, bool first) {
    if (first) throw Error("there is no room for the picture", "host memory");
  }),
                    "host memory: there is no room for the picture");
  int done = 0;
  std::mutex mutex;
  crew.run([&](auto&, auto&, bool) {
    const std::lock_guard lock(mutex);
    ++done;
  });
  CHECK(done == 2);
}

TEST_CASE("a snapshot that several devices cannot open is told as by one", "[window][ranks]") {
  const snapshot_files::TemporaryFolder folder;
  const std::vector<Device> two(2, Device::cpu());
  const auto fault_of = [&](const std::vector<Device>& devices) {
    return test::message_of([&] { opened(folder / "none.hdf5", devices); });
  };
  CHECK(fault_of(two) == fault_of({}));
  CHECK(fault_of(two).find("none.hdf5") != std::string::npos);
  const auto cancelled = std::make_shared<Progress>();
  cancelled->cancel();
  CHECK_THROWS_AS(open_scene(request_of(snapshot_with_gaps(folder), two), cancelled), Cancelled);
}

}  // namespace haloscope::app::viewer
