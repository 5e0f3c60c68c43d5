// What a search for halos asks of the host's memory, before it reads anything.

#include "analysis/halos/halo_search.h"
#include "analysis/halos/halo_types.h"
#include "compute/halos/halo_finder.h"
#include "core/array.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/skip.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace haloscope::analysis {

namespace {

// A snapshot of so many particles that no memory holds them.
class Promise final : public io::SnapshotReader {
 public:
  explicit Promise(std::uint64_t count) {
    info_.files = {"promise"};
    TypeInfo dm;
    dm.name = "dm";
    dm.count = count;
    dm.uniform_mass = 1;
    dm.fields.push_back({"Coordinates", 3, ScalarType::Float32, {}});
    dm.roles[Role::Position] = "Coordinates";
    info_.types.emplace(kDarkMatter, dm);
  }
  void read(int, const std::string&, const io::ChunkVisitor&, Progress&) const override {}
};

std::string fault_of(std::uint64_t count, compute::clusters::Algorithm algorithm, bool labels) {
  HaloSearchRequest request;
  request.algorithm = algorithm;
  request.epsilon = 1;
  request.labels = labels;
  Progress progress;
  try {
    search_halos(Promise(count), request, progress);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// "… 18.3 GiB to find and list …" → 18.3
double asked_of(const std::string& fault) {
  constexpr const char* kAnd = "to read them, ";
  const auto at = fault.find(kAnd);
  REQUIRE(at != std::string::npos);
  return std::stod(fault.substr(at + std::string(kAnd).size()));
}

}  // namespace

TEST_CASE("labels of all particles are counted in the memory of a search", "[halos]") {
  const auto tools = compute::halos::finder_tools(compute::Device::cpu());
  // As many as can be linked at all: with all that is held besides they are too many.
  using compute::clusters::Algorithm;
  std::uint64_t count = std::uint64_t(1) << 20;
  while (count < (std::uint64_t(1) << 31) &&
         has_host_memory(tools.clustering->memory(count + count / 16, Algorithm::Grid)))
    count += count / 16;
  const std::string without = fault_of(count, Algorithm::Grid, false);
  if (without.find("to find and list") == std::string::npos)
    return test::skip(test::Needs::System, "all that can be linked fits into this memory");
  const double labels = asked_of(fault_of(count, Algorithm::Grid, true)) - asked_of(without);
  CHECK(labels * 1073741824. == Approx(4. * double(count)).epsilon(0.15));
}

}  // namespace haloscope::analysis
