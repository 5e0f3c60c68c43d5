// Words for devices, and which device they choose on machines that are made up.

#include "compute/exec/device.h"

#include "compute/clusters/clustering.h"
#include "compute/exec/gpus.h"
#include "compute/spatial/neighbors.h"
#include "compute/splotch/renderer.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;

namespace {

GpuId id_of(int number) {
  GpuId id{};
  id.back() = std::uint8_t(number + 1);
  return id;
}

struct MadeGpu {
  std::string name;
  bool works = true;
};

class MadeMachine final : public Gpus {
 public:
  explicit MadeMachine(std::vector<MadeGpu> gpus) : gpus_(std::move(gpus)) {}

  int count() const override { return int(gpus_.size()); }
  std::string why_none() const override { return "no driver"; }
  DeviceFacts facts(int number) const override {
    return {gpus_.at(std::size_t(number)).name, 48'000'000'000, id_of(number)};
  }
  bool usable(int number, std::string& why) const override {
    const bool works = gpus_.at(std::size_t(number)).works;
    if (!works) why = "no kernel image";
    return works;
  }
  bool built_in() const override { return true; }

 private:
  std::vector<MadeGpu> gpus_;
};

const MadeMachine kNoDevices({}), kOne({{"L40"}}), kThree({{"old", false}, {"L40"}, {"H100"}});

Device choose(const std::string& word, const Gpus& gpus, std::optional<GpuId> preferred = {}) {
  return choose_device(word, preferred, gpus);
}

std::string fault_of(const std::string& word, const Gpus& gpus) {
  return test::message_of([&] { choose(word, gpus); });
}

}  // namespace

TEST_CASE("a device is named by one word, and the first GPU without a number", "[devices]") {
  CHECK(Device().word() == "cpu");
  CHECK(Device::cuda().word() == "cuda");
  CHECK(Device::cuda(1).word() == "cuda:1");
  for (const Device device : {Device::cpu(), Device::cuda(), Device::cuda(1), Device::cuda(15)})
    CHECK(parse_device(device.word()) == device);
  CHECK(parse_device("cuda:0") == Device::cuda());
  CHECK_FALSE(parse_device("auto"));
  CHECK_FALSE(Device::cpu() == Device::cuda());
}

TEST_CASE("words that name no device are refused", "[devices]") {
  for (const std::string word :
       {"", "tpu", "CUDA", "cuda:", "cuda:-1", "cuda:+1", "cuda:1x", "cuda: 1", "cuda1",
        "cuda:99999999999", "cpu:0", "auto:1", "gpu"}) {
    INFO(word);
    const std::string said = test::message_of([&] { parse_device(word); });
    CHECK_THAT(said, Catch::Contains("'" + word + "' is not one of auto|cpu|cuda|cuda:N"));
    CHECK_THAT(fault_of(word, kOne), Catch::Contains("is not one of"));
  }
}

TEST_CASE("a word chooses the processor or the GPU of its number", "[devices]") {
  CHECK(choose("cpu", kThree) == Device::cpu());
  CHECK(choose("cuda", kOne) == Device::cuda());
  CHECK(choose("cuda:2", kThree) == Device::cuda(2));
  // The window's GPU is a wish of "auto" alone.
  CHECK(choose("cuda:1", kThree, id_of(2)) == Device::cuda(1));
  CHECK(choose("cpu", kThree, id_of(2)) == Device::cpu());
}

TEST_CASE("auto takes the window's GPU, else the first that works, else the processor",
          "[devices]") {
  CHECK(choose("auto", kNoDevices) == Device::cpu());
  CHECK(choose("auto", kOne) == Device::cuda());
  CHECK(choose("auto", kThree) == Device::cuda(1));
  CHECK(choose("auto", kThree, id_of(2)) == Device::cuda(2));
  // One that does not work, and one that CUDA does not show.
  CHECK(choose("auto", kThree, id_of(0)) == Device::cuda(1));
  CHECK(choose("auto", kThree, id_of(7)) == Device::cuda(1));
  CHECK(choose("auto", kNoDevices, id_of(0)) == Device::cpu());
  CHECK(choose("auto", MadeMachine({{"old", false}})) == Device::cpu());
}

TEST_CASE("a GPU that is not there is refused with those that are", "[devices]") {
  CHECK_THAT(fault_of("cuda:1", kOne),
             Catch::Contains("there is no GPU 1: this machine has 1, cuda (L40, 48 GB)") &&
                 Catch::Contains("--device cuda:1"));
  CHECK_THAT(
      fault_of("cuda:3", kThree),
      Catch::Contains("there is no GPU 3: this machine has 3, cuda (old, 48 GB), cuda:1 (L40, "
                      "48 GB), cuda:2 (H100, 48 GB)"));
  CHECK_THAT(fault_of("cuda", kNoDevices), Catch::Contains("no usable GPU: no driver"));
  CHECK_THAT(fault_of("cuda:1", kNoDevices), Catch::Contains("no usable GPU: no driver"));
  CHECK_THAT(fault_of("cuda", kThree), Catch::Contains("no usable GPU: no kernel image"));
}

TEST_CASE("this machine's devices can be chosen, and no others", "[devices]") {
  const auto all = devices();
  REQUIRE_FALSE(all.empty());
  CHECK(all.front() == Device::cpu());
  CHECK(facts_of(Device::cpu()).name == "cpu");
  for (const Device device : all) {
    INFO(device.word());
    CHECK_FALSE(facts_of(device).name.empty());
    if (is_usable(device)) CHECK(choose_device(device.word()) == device);
  }
  const Device next = Device::cuda(int(all.size()) - 1);
  std::string why;
  CHECK_FALSE(is_usable(next, &why));
  CHECK_FALSE(why.empty());
  const std::string said = test::message_of([&] { choose_device(next.word()); });
  CHECK_THAT(said, Catch::Contains("--device " + next.word()));
  if (!gpus_here().built_in()) {
    CHECK_THAT(said, Catch::Contains("this build has no CUDA"));
    CHECK(choose_device("auto", id_of(0)) == Device::cpu());
  }
  // Nor can anything be made there.
  CHECK_THROWS_AS(splotch::make_renderer(next), Error);
  CHECK_THROWS_AS(spatial::make_neighbors(next), Error);
  CHECK_THROWS_AS(clusters::make_clustering(next), Error);
}
