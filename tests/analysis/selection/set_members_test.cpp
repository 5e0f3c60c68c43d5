#include "analysis/selection/set_members.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/set_snapshots.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

// Who is in sets, against the positions and IDs of each particle, one by one.

using namespace haloscope;
using namespace haloscope::analysis;
using haloscope::test::message_of;
using haloscope::test::OutputFolder;
using haloscope::test::SetSnapshot;

namespace {

using Bits = std::vector<bool>;

SelectionChoice box(const Vec& low, const Vec& high) {
  SelectionChoice chosen;
  chosen.kind = SelectionKind::Box;
  chosen.low = low;
  chosen.high = high;
  return chosen;
}
SelectionChoice sphere(const Vec& center, double radius) {
  SelectionChoice chosen;
  chosen.kind = SelectionKind::Sphere;
  chosen.center = center;
  chosen.radius = radius;
  return chosen;
}
SelectionChoice density(double low, double high) {
  SelectionChoice chosen;
  chosen.kind = SelectionKind::Value;
  chosen.field = "Density";
  chosen.limits = {low, high};
  return chosen;
}

NamedSet of(const std::string& name, const SelectionChoice& chosen) {
  NamedSet set;
  set.name = name;
  set.first.selection = chosen;
  return set;
}
NamedSet made(const std::string& name, const SetOperand& a, SetOperation operation,
              const SetOperand& b) {
  NamedSet set;
  set.name = name;
  set.first = a;
  set.operation = operation;
  set.second = b;
  return set;
}

const SelectionChoice kBox = box({8, 1, 1}, {2, 9, 9});  // around the edge of the periodic box
const SelectionChoice kSphere = sphere({0.5, 5, 5}, 3);

bool in_box(const float* p) {
  return (p[0] >= 8 || p[0] < 2) && p[1] >= 1 && p[1] < 9 && p[2] >= 1 && p[2] < 9;
}
bool in_sphere(const float* p) {
  double sum = 0;
  const double center[3] = {0.5, 5, 5};
  for (int c = 0; c < 3; ++c) {
    double d = std::abs(double(p[c]) - center[c]);
    d = std::min(d, 10 - d);
    sum += d * d;
  }
  return sum < 9;
}

// One file, and who is where in it.
struct OneSnapshot {
  OutputFolder folder;
  SetSnapshot made{false};
  std::string path = folder.path("a.hdf5");
  std::map<int, Bits> in_the_box, in_the_sphere, dense;

  OneSnapshot() {
    made.write(path);
    const auto look = [&](int type, const std::vector<float>& positions) {
      for (std::size_t i = 0; i < positions.size() / 3; ++i) {
        in_the_box[type].push_back(in_box(&positions[3 * i]));
        in_the_sphere[type].push_back(in_sphere(&positions[3 * i]));
        dense[type].push_back(type == 0 && i >= 99 && i < 399);  // ID = row + 1
      }
    };
    look(0, made.gas);
    look(1, made.dark);
    look(4, made.stars);
  }
  SetMembers members(const std::vector<NamedSet>& sets) const {
    KnownIds ids;
    Progress progress;
    return members_of_sets({sets, path, {path}, {}, compute::Device::cpu(), {}}, ids, progress);
  }
};

Bits bits_of(const SetMembers& members, int type, std::size_t set) {
  Bits bits;
  for (const std::uint16_t word : members.of.at(type)) bits.push_back(word >> set & 1u);
  return bits;
}

template <class F>
void check_set(const SetMembers& members, std::size_t set, const std::map<int, Bits>& a,
               const std::map<int, Bits>& b, const F& expected) {
  std::uint64_t count = 0;
  for (const auto& [type, bits] : a) {
    Bits wanted;
    for (std::size_t i = 0; i < bits.size(); ++i)
      wanted.push_back(expected(bits[i], b.at(type)[i]));
    const bool same = bits_of(members, type, set) == wanted;
    CAPTURE(type, set);
    CHECK(same);
    count += std::uint64_t(std::count(wanted.begin(), wanted.end(), true));
  }
  CHECK(members.counts.at(set) == count);
  CHECK(count > 0);
}

std::set<std::uint64_t> ids_in_set(const SetMembers& members, int type,
                                   const std::vector<std::uint64_t>& ids, std::size_t set = 0) {
  std::set<std::uint64_t> in;
  const Bits bits = bits_of(members, type, set);
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i]) in.insert(ids[i]);
  return in;
}

}  // namespace

TEST_CASE("sets hold what their formulas say", "[sets]") {
  const OneSnapshot one;
  const auto a = one.in_the_box, b = one.in_the_sphere;
  // Those of which others are made stand last.
  const SetMembers members = one.members({
      made("both", {"box", {}}, SetOperation::Intersection, {"sphere", {}}),
      made("either", {{}, kBox}, SetOperation::Union, {{}, kSphere}),
      made("neither", {"either", {}}, SetOperation::Difference, {"either", {}}),
      made("outer", {"box", {}}, SetOperation::Difference, {{}, kSphere}),
      made("inner", {"either", {}}, SetOperation::Difference, {"outer", {}}),
      of("box", kBox),
      of("sphere", kSphere),
      of("dense", density(100, 400)),
      made("dense there", {"dense", {}}, SetOperation::Intersection, {"both", {}}),
  });
  check_set(members, 0, a, b, [](bool x, bool y) { return x && y; });
  check_set(members, 1, a, b, [](bool x, bool y) { return x || y; });
  CHECK(members.counts[2] == 0);
  check_set(members, 3, a, b, [](bool x, bool y) { return x && !y; });
  check_set(members, 4, a, b, [](bool, bool y) { return y; });
  check_set(members, 5, a, b, [](bool x, bool) { return x; });
  check_set(members, 6, a, b, [](bool, bool y) { return y; });
  check_set(members, 7, one.dense, one.dense, [](bool x, bool) { return x; });
  std::map<int, Bits> both = a;
  for (auto& [type, bits] : both)
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = bits[i] && b.at(type)[i];
  check_set(members, 8, one.dense, both, [](bool x, bool y) { return x && y; });
}

TEST_CASE("twelve sets have their bits, and a thirteenth is refused", "[sets]") {
  const OneSnapshot one;
  std::vector<NamedSet> sets;
  for (int k = 0; k < 12; ++k)
    sets.push_back(of("s" + std::to_string(k), density(1 + 10 * k, 31 + 10 * k)));
  const SetMembers members = one.members(sets);
  for (std::size_t k = 0; k < 12; ++k) {
    CHECK(members.counts[k] == 30);
    CHECK(bits_of(members, 0, k)[10 * k]);
    CHECK_FALSE(bits_of(members, 0, k)[10 * k + 30]);
  }
  sets.push_back(of("more", kBox));
  CHECK(message_of([&] { one.members(sets); }).find("there are 12 sets already") !=
        std::string::npos);
}

TEST_CASE("labels are those of the last set that is shown, without rejected rows", "[sets]") {
  const OneSnapshot one;
  const SetMembers members =
      one.members({of("a", density(1, 6)), of("b", density(4, 9)), of("c", density(8, 10))});
  const std::vector<std::uint64_t> rejected{1, 8};
  const auto labels = [&](unsigned shown) {
    auto all = set_labels(members, 0, SetSnapshot::kGas - 2, rejected, std::uint16_t(shown));
    CHECK(std::count(all.begin() + 8, all.end(), 0) == SetSnapshot::kGas - 10);
    all.resize(8);
    return std::vector<int>(all.begin(), all.end());
  };
  // Rows 0 2 3 4 5 6 7 9: IDs one more.
  CHECK(labels(0b111) == std::vector<int>{1, 1, 2, 2, 2, 2, 3, 0});
  CHECK(labels(0b001) == std::vector<int>{1, 1, 1, 1, 0, 0, 0, 0});
  CHECK(labels(0b110) == std::vector<int>{0, 0, 2, 2, 2, 2, 3, 0});
  CHECK(labels(0) == std::vector<int>(8, 0));
  // A type that the file has not, and particles of another file.
  CHECK(set_labels(members, 5, 3, {}, 0b111) == std::vector<std::uint8_t>(3, 0));
  CHECK(message_of([&] { set_labels(members, 0, 10, {}, 1); }).find("a part is drawn") !=
        std::string::npos);
}

TEST_CASE("sets are followed by ID where their selections are", "[sets]") {
  const OutputFolder folder;
  const SetSnapshot first(false), second(true);
  const std::string a = folder.path("a.hdf5"), b = folder.path("b.hdf5");
  first.write(a);
  second.write(b);
  SelectionChoice followed = kSphere;
  followed.follow_ids = true;
  const std::vector<NamedSet> sets{
      of("same", followed), of("there", kSphere),
      made("moved", {"same", {}}, SetOperation::Difference, {"there", {}})};
  KnownIds ids;
  Progress progress;
  const auto in = [&](const std::string& path) {
    return members_of_sets({sets, path, {a, b}, {}, compute::Device::cpu(), {}}, ids, progress);
  };
  const SetMembers home = in(a), later = in(b);
  CHECK(home.counts[0] == home.counts[1]);
  CHECK(home.counts[2] == 0);
  const auto baryons = [&](const SetMembers& members, const SetSnapshot& snapshot) {
    auto all = ids_in_set(members, 0, snapshot.gas_ids);
    all.merge(ids_in_set(members, 4, snapshot.star_ids));
    return all;
  };
  const auto stars = ids_in_set(later, 4, second.star_ids);
  CHECK(std::any_of(stars.begin(), stars.end(), [](std::uint64_t id) { return id <= 60; }));
  const bool same_gas = baryons(later, second) == baryons(home, first);
  const bool same_dark =
      ids_in_set(later, 1, second.dark_ids) == ids_in_set(home, 1, first.dark_ids);
  CHECK(same_gas);
  CHECK(same_dark);
  // Where a box stands still, others are in it.
  const bool others =
      ids_in_set(later, 1, second.dark_ids, 1) != ids_in_set(home, 1, first.dark_ids);
  CHECK(others);
  CHECK(later.counts[2] > later.counts[0] / 2);
  // IDs that were read are known: they do without the first snapshot.
  std::filesystem::remove(a);
  CHECK(in(b).counts[0] == later.counts[0]);
  KnownIds none;
  CHECK(message_of([&] {
          members_of_sets({sets, b, {a, b}, {}, compute::Device::cpu(), {}}, none, progress);
        }).find("a.hdf5") != std::string::npos);
}

TEST_CASE("a request is another one with other particles, not with other looks", "[sets]") {
  const SetsRequest request{{of("a", kBox), of("b", kSphere)}, "x", {"x", "y"}, {}, {}, {}};
  SetsRequest other = request;
  other.sets[0].color = std::array<double, 3>{1, 0, 0};
  other.sets[1].shown = false;
  CHECK(request.same_as(other));
  other.series.push_back("z");
  CHECK(request.same_as(other));
  other = request;
  other.sets[1].first.selection.radius = 4;
  CHECK_FALSE(request.same_as(other));
  other = request;
  other.snapshot = "y";
  CHECK_FALSE(request.same_as(other));
  other = request;
  other.series[0] = "y";
  CHECK_FALSE(request.same_as(other));
  other = request;
  other.sets.pop_back();
  CHECK_FALSE(request.same_as(other));
}

TEST_CASE("sets that cannot be are told in a sentence that names them", "[sets]") {
  const OneSnapshot one;
  const auto fault = [&](const std::vector<NamedSet>& sets) {
    return message_of([&] { one.members(sets); });
  };
  CHECK(fault({made("a", {"b", {}}, SetOperation::Union, {"a", {}}), of("b", kBox)}) ==
        "the set 'a' is made of itself; give the new set another name");
  CHECK(fault({made("a", {"b", {}}, SetOperation::Union, {{}, kBox}),
               made("b", {"a", {}}, SetOperation::Union, {{}, kBox})})
            .find("is made of itself") != std::string::npos);
  CHECK(fault({made("a", {"x", {}}, SetOperation::Union, {{}, kBox})}) ==
        "there is no set 'x', of which 'a' is made");
  CHECK(fault({of("a", kBox), of("a", kSphere)}) == "two sets have the name 'a'");
  for (const std::string& name :
       {std::string(), std::string("selection"), std::string("off"), std::string(41, 'x')})
    CHECK(fault({of(name, kBox)}).find("cannot be the name of a set") != std::string::npos);
  SelectionChoice no_field = density(1, 2);
  no_field.field = "Dencity";
  const std::string told = fault({of("odd", no_field)});
  CHECK(told.find("set 'odd': ") == 0);
  CHECK(told.find("did you mean Density") != std::string::npos);
}

TEST_CASE("colors of sets are read as they are written", "[sets]") {
  CHECK(set_colors().size() >= 6);
  for (const SetColor& known : set_colors()) {
    CHECK(parse_color(known.name) == known.display);
    CHECK(color_text(known.display) == known.name);
  }
  const std::array<double, 3> odd{1, 128 / 255., 0};
  CHECK(color_text(odd) == "#ff8000");
  CHECK(parse_color("#Ff8000") == odd);
  CHECK(parse_color("ff8000") == odd);
  for (const char* bad : {"", "#", "#ff800", "#ff80000", "#ff80g0", "ff800", "blau", "own"})
    CHECK_FALSE(parse_color(bad));
  std::vector<NamedSet> sets;
  std::set<std::array<double, 3>> given;
  for (int k = 0; k < 8; ++k) {
    sets.push_back(of(std::to_string(k), kBox));
    sets.back().color = next_color({sets.begin(), sets.end() - 1});
    given.insert(*sets.back().color);
  }
  CHECK(given.size() == 8);
  CHECK(next_color(sets) == next_color({}));
  // Neither blue as dark matter nor as red as gas is.
  const auto first = next_color({});
  CHECK(first[1] > first[0] + 0.25);
  CHECK(first[1] > first[2] + 0.25);
}
