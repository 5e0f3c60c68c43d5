#include "compute/exec/rank_devices.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <utility>

namespace haloscope::compute {

namespace {

constexpr const char* kOption = "--device cuda";

// What a rank sees of its machine.
struct SeenGpus {
  std::string host, why_none;
  std::vector<std::string> ids;  // as texts that differ where the GPUs do
};

std::string text_of(const GpuId& id, int number) {
  std::string text;
  bool told = false;
  for (const std::uint8_t byte : id) {
    text += fmt::format("{:02x}", byte);
    told = told || byte != 0;
  }
  return told ? text : fmt::format("number {}", number);
}

// One line each, so that texts of all ranks tell them.
std::string lines_of(const std::string& host, const Gpus& gpus) {
  std::string text = host + "\n";
  std::string why = gpus.count() == 0 ? gpus.why_none() : "";
  std::replace(why.begin(), why.end(), '\n', ' ');
  text += why + "\n";
  for (int n = 0; n < gpus.count(); ++n) text += text_of(gpus.facts(n).id, n) + "\n";
  return text;
}

SeenGpus seen_by(const std::string& lines) {
  std::istringstream in(lines);
  SeenGpus seen;
  std::getline(in, seen.host);
  std::getline(in, seen.why_none);
  for (std::string id; std::getline(in, id);) seen.ids.push_back(id);
  return seen;
}

// The GPU of each rank by its number there; −1: none is left for it. A launcher may show each rank
// all GPUs of the machine, or its own alone.
std::vector<int> numbers_of(const std::vector<SeenGpus>& all) {
  std::set<std::pair<std::string, std::string>> taken;
  std::vector<int> numbers;
  for (const SeenGpus& seen : all) {
    int number = -1;
    for (std::size_t n = 0; number < 0 && n < seen.ids.size(); ++n)
      if (taken.insert({seen.host, seen.ids[n]}).second) number = int(n);
    numbers.push_back(number);
  }
  return numbers;
}

Error too_few(const std::vector<SeenGpus>& all, const std::string& host) {
  std::size_t ranks = 0;
  std::set<std::string> ids;
  std::string why;
  for (const SeenGpus& seen : all) {
    if (seen.host != host) continue;
    ++ranks;
    ids.insert(seen.ids.begin(), seen.ids.end());
    why = seen.why_none;
  }
  if (ids.empty()) return Error("no usable GPU: " + why, kOption, "use --device cpu");
  if (ids.size() >= ranks)
    return Error(fmt::format("no GPU is left for one of the {} ranks on {}: each takes the first "
                             "that it sees and nobody has",
                             ranks, host),
                 kOption, "show each rank one GPU of its own, or all of them");
  return Error(fmt::format("{} ranks on {} are more than the {} GPU{} that they see there", ranks,
                           host, ids.size(), ids.size() == 1 ? "" : "s"),
               kOption, "start one rank for each GPU, or use --device cpu");
}

std::vector<int> numbers_in(const std::string& word) {
  std::vector<int> numbers;
  std::istringstream in(word + ",");
  for (std::string one; std::getline(in, one, ',');) {
    int number = -1;
    const auto [end, fault] = std::from_chars(one.data(), one.data() + one.size(), number);
    if (one.empty() || fault != std::errc() || end != one.data() + one.size() || number < 0)
      throw Error("'" + word + "' is neither all nor numbers of GPUs with commas between", "--gpus",
                  "write all, or 0,1");
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end())
      throw Error(fmt::format("GPU {} stands there twice", number), "--gpus " + word,
                  "name each GPU once");
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Device choose_device_of_rank(const std::string& word, Ranks& ranks, const std::string& host,
                             const Gpus& gpus) {
  const auto asked = parse_device(word);
  if (ranks.size() == 1) return choose_device(word, {}, gpus);
  if (asked && !asked->is_gpu()) return *asked;
  if (asked && word != "cuda")
    throw Error("each of several ranks takes a GPU of its own", "--device " + word,
                "use --device cuda");
  if (asked && !gpus.built_in()) return choose_device(word, {}, gpus);
  std::vector<SeenGpus> all;
  for (const std::string& lines : ranks.all_texts(lines_of(host, gpus)))
    all.push_back(seen_by(lines));
  const std::vector<int> numbers = numbers_of(all);
  if (const auto lacking = std::find(numbers.begin(), numbers.end(), -1);
      lacking != numbers.end()) {
    if (!asked) return Device::cpu();
    throw too_few(all, all[std::size_t(lacking - numbers.begin())].host);
  }
  // Only its own: asking wakes a GPU.
  const int own = numbers[std::size_t(ranks.rank())];
  std::string why;
  if (gpus.usable(own, why)) why.clear();
  const std::vector<std::string> reasons = ranks.all_texts(why);
  for (int r = 0; r < ranks.size(); ++r) {
    if (reasons[std::size_t(r)].empty()) continue;
    if (!asked) return Device::cpu();
    throw Error(fmt::format("rank {} on {} has no usable GPU: {}", r, all[std::size_t(r)].host,
                            reasons[std::size_t(r)]),
                kOption, "use --device cpu");
  }
  return Device::cuda(own);
}

void check_gpus_word(const std::string& word) {
  if (word != "all") numbers_in(word);
}

std::vector<Device> choose_gpus(const std::string& word, const Gpus& gpus) {
  const std::string option = "--gpus " + word;
  constexpr const char* kRemedy = "leave it out, or use --device cpu";
  std::vector<int> numbers;
  if (word != "all") numbers = numbers_in(word);
  if (gpus.count() == 0) throw Error("no usable GPU: " + gpus.why_none(), option, kRemedy);
  std::vector<Device> chosen;
  std::string why;
  for (const int number : numbers) {
    if (number >= gpus.count())
      throw Error(fmt::format("there is no GPU {}: this machine has {}", number, gpus.count()),
                  option, "name those that there are, from 0 on, or all");
    if (!gpus.usable(number, why))
      throw Error(fmt::format("GPU {} cannot be used: {}", number, why), option, kRemedy);
    chosen.push_back(Device::cuda(number));
  }
  for (int n = 0; word == "all" && n < gpus.count(); ++n)
    if (gpus.usable(n, why)) chosen.push_back(Device::cuda(n));
  if (chosen.empty()) throw Error("no usable GPU: " + why, option, kRemedy);
  return chosen;
}

}  // namespace haloscope::compute
