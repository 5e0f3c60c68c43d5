// Which GPU each rank gets, on machines that are made up, and what --gpus may name.

#include "compute/exec/rank_devices.h"

#include "tests/catch.h"
#include "tests/output_folder.h"

#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;

namespace {

// GPUs by the last byte of their names; 0 is one that tells no name.
class RanksMachine final : public Gpus {
 public:
  explicit RanksMachine(std::vector<int> ids, int broken = -1)
      : ids_(std::move(ids)), broken_(broken) {}
  int count() const override { return int(ids_.size()); }
  std::string why_none() const override { return "no driver"; }
  DeviceFacts facts(int number) const override {
    GpuId id{};
    id.back() = std::uint8_t(ids_.at(std::size_t(number)));
    return {"made", 48'000'000'000, id};
  }
  bool usable(int number, std::string& why) const override {
    if (ids_.at(std::size_t(number)) != broken_) return true;
    why = "busy";
    return false;
  }
  bool built_in() const override { return true; }

 private:
  std::vector<int> ids_;
  int broken_;
};

struct RankMade {
  std::string host;
  RanksMachine machine;
};

// The words of the devices of all ranks, or the one sentence that all of them get.
std::string devices_of(const std::string& word, const std::vector<RankMade>& made) {
  std::vector<std::string> told(made.size());
  run_thread_ranks(int(made.size()), [&](Ranks& ranks) {
    const RankMade& own = made[std::size_t(ranks.rank())];
    auto& text = told[std::size_t(ranks.rank())];
    try {
      text = choose_device_of_rank(word, ranks, own.host, own.machine).word();
    } catch (const Error& error) {
      text = std::string("! ") + error.what();
    }
  });
  if (told[0].starts_with("!")) {
    for (const std::string& text : told)
      if (text != told[0]) return "different sentences: " + told[0] + " / " + text;
    return told[0];
  }
  std::string all;
  for (const std::string& text : told) all += (all.empty() ? "" : " ") + text;
  return all;
}

}  // namespace

TEST_CASE("ranks take the GPUs of their machine in turn", "[ranks][devices]") {
  const RanksMachine two({1, 2}), other({3, 4});
  // Two machines; ranks in blocks and in turns.
  CHECK(devices_of("cuda", {{"a", two}, {"a", two}, {"b", other}, {"b", other}}) ==
        "cuda cuda:1 cuda cuda:1");
  CHECK(devices_of("auto", {{"a", two}, {"b", other}, {"a", two}, {"b", other}}) ==
        "cuda cuda cuda:1 cuda:1");
  // A launcher that shows each rank its own GPU alone.
  CHECK(devices_of("cuda", {{"a", RanksMachine({1})}, {"a", RanksMachine({2})}}) == "cuda cuda");
  // GPUs that tell no name are told apart by their numbers.
  CHECK(devices_of("cuda", {{"a", RanksMachine({0, 0})}, {"a", RanksMachine({0, 0})}}) ==
        "cuda cuda:1");
  CHECK(devices_of("cpu", {{"a", two}, {"a", two}, {"a", two}}) == "cpu cpu cpu");
  CHECK(devices_of("cuda:1", {{"a", two}}) == "cuda:1");
}

TEST_CASE("ranks without a GPU of their own are refused alike, or compute on the processor",
          "[ranks][devices]") {
  const RanksMachine one({1}), two({1, 2}), none({}), broken({1, 2}, 2);
  const std::vector<RankMade> crowded{{"a", two}, {"a", two}, {"a", two}};
  CHECK_THAT(devices_of("cuda", crowded),
             Catch::Contains("3 ranks on a are more than the 2 GPUs that they see there"));
  CHECK(devices_of("auto", crowded) == "cpu cpu cpu");
  CHECK_THAT(devices_of("cuda", {{"a", two}, {"b", one}, {"b", one}}),
             Catch::Contains("2 ranks on b are more than the 1 GPU "));
  CHECK_THAT(devices_of("cuda", {{"a", one}, {"b", none}}),
             Catch::Contains("no usable GPU: no driver"));
  CHECK_THAT(devices_of("cuda", {{"a", broken}, {"a", broken}}),
             Catch::Contains("rank 1 on a has no usable GPU: busy"));
  CHECK(devices_of("auto", {{"a", broken}, {"a", broken}}) == "cpu cpu");
  CHECK_THAT(devices_of("cuda:1", {{"a", two}, {"a", two}}),
             Catch::Contains("each of several ranks takes a GPU of its own"));
}

TEST_CASE("the word of --gpus names all GPUs, or each one once", "[ranks][devices]") {
  const RanksMachine three({1, 2, 3}, 2), none({});
  const auto words = [&](const std::string& word) {
    std::string all;
    for (const Device device : choose_gpus(word, three)) all += device.word() + " ";
    return all;
  };
  CHECK(words("all") == "cuda cuda:2 ");
  CHECK(words("2,0") == "cuda:2 cuda ");
  const auto fault = [](const std::string& word, const Gpus& gpus) {
    return haloscope::test::message_of([&] { choose_gpus(word, gpus); });
  };
  CHECK_THAT(fault("0,3", three), Catch::Contains("there is no GPU 3: this machine has 3"));
  CHECK_THAT(fault("0,1", three), Catch::Contains("GPU 1 cannot be used: busy"));
  CHECK_THAT(fault("all", none), Catch::Contains("--gpus all: no usable GPU: no driver"));
  CHECK_THAT(fault("0,0", three), Catch::Contains("--gpus 0,0: GPU 0 stands there twice"));
  for (const char* wrong : {"", "any", "0,", ",1", "-1", "0;1", "cuda", "1.5"})
    CHECK_THAT(haloscope::test::message_of([&] { check_gpus_word(wrong); }),
               Catch::Contains("is neither all nor numbers of GPUs"));
  CHECK_NOTHROW(check_gpus_word("all"));
  CHECK_NOTHROW(check_gpus_word("0,17"));
}
