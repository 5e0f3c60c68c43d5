#include "compute/exec/slices.inl"
#include "compute/topology/basins.inl"
#include "compute/topology/merge_contacts_cpu.h"
#include "compute/topology/sweep_keys.inl"
#include "tests/catch.h"
#include "tests/made/fields.h"

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;
using namespace haloscope::compute::topology;

namespace {

// A grid up to its basins.
template <int C>
struct Basins {
  Cpu exec;
  std::vector<GridBlock> blocks;
  SweepOn<Cpu> sweep;
  BasinsOn<Cpu> basins;
  Buffer<std::uint32_t, Cpu> saddle;

  explicit Basins(const test::Field& field) : blocks{whole_grid(field.shape)} {
    TreeSettings settings;
    settings.connectivity = Connectivity(C);
    const float* const values = field.value.data();
    sweep = sweep_of(exec, field.shape, blocks[0], values_in_grid(blocks[0], values), settings);
    auto found = find_basins<C>(exec, blocks[0], sweep.view(), {});
    saddle = std::move(found.saddle);
    BlocksBasins<Cpu> all(exec, blocks);
    all.add(std::move(found));
    basins = all.make();
  }

  hierarchy::AgesView ages() const { return {basins.age.data(), basins.by_age.data()}; }

  template <class Contacts, class... Stretch>
  BasinBranches<Cpu> join(Contacts contacts, Stretch... stretch) {
    contacts.template add<C>(
        LinkView<C>{blocks[0].view, sweep.view(), basins.of_cell.of_block(blocks[0])},
        {saddle.data(), 0}, std::uint32_t(saddle.size()));
    return join_basins(exec, std::move(contacts), ages(), basins.count(), stretch...);
  }
};

Buffer<std::uint32_t, Cpu> copy(Cpu& exec, const Buffer<std::uint32_t, Cpu>& from) {
  return upload(exec, download(exec, from), "saddles");
}

std::size_t wrong_saddles(const BasinBranches<Cpu>& merged) {
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < merged.end.size(); ++k) {
    const BranchEnd end = merged.end.data()[k];
    wrong +=
        end.edge != kNone && end.saddle != saddle_of_moment(merged.saddles.moment.data()[end.edge]);
  }
  return wrong;
}

template <int C>
void check(const test::Field& field) {
  CAPTURE(C, field.name, field.shape.cells, field.shape.periodic);
  Basins<C> grid(field);
  auto plain = grid.join(ContactLists<Cpu>(grid.exec));
  CHECK(plain.end.empty());
  // They are gone with the dendrogram.
  const Buffer<std::uint32_t, Cpu> ends[2] = {copy(grid.exec, plain.saddles.a),
                                              copy(grid.exec, plain.saddles.b)};
  const auto elders = find_elders(grid.exec, plain.saddles, grid.ages(), grid.basins.count());
  const auto same = [&](const auto& one, const auto& other) {
    return download(grid.exec, one) == download(grid.exec, other);
  };
  // In few stretches ways are long, in many they are settled and shortened.
  for (const std::uint32_t stretch : {1u << 17, 64u, 1u}) {
    CAPTURE(stretch);
    auto merged = grid.join(ContactRows(grid.exec, grid.ages()), stretch);
    CHECK(merged.saddles.count == plain.saddles.count);
    CHECK(same(merged.saddles.moment, plain.saddles.moment));
    const auto of_ends = elders_of_ends(grid.exec, merged.end, grid.ages(), merged.saddles);
    CHECK(same(of_ends.death, elders.death));
    CHECK(same(of_ends.parent, elders.parent));
    CHECK(same(of_ends.across, elders.across));
    CHECK(same(merged.saddles.a, ends[0]));
    CHECK(same(merged.saddles.b, ends[1]));
    CHECK(wrong_saddles(merged) == 0);
  }
}

}  // namespace

// With so many contacts in one stretch, two threads take some far ahead of others, and ways that
// one has seen change behind it.
TEST_CASE("contacts that come out of order are merged as those in order", "[topology]") {
  test::Field field;
  field.name = "white noise";
  field.shape = {{72, 64, 64}, {true, true, true}};
  std::mt19937 random(4);
  for (std::size_t k = 0; k < field.shape.count(); ++k) field.value.push_back(float(random()));
  check<6>(field);
}

TEST_CASE("contacts are merged as a spanning forest and its dendrogram join them", "[topology]") {
  std::mt19937_64 random(44);
  // Rows of more than one stretch are among them.
  for (const GridShape& shape :
       {GridShape{{12, 17, 20}, {true, true, true}}, GridShape{{9, 8, 150}, {false, true, false}},
        GridShape{{1, 30, 131}, {false, false, true}}})
    for (const test::Field& field : test::fields_on(shape, random)) {
      check<6>(field);
      check<14>(field);
      check<18>(field);
      check<26>(field);
    }
}
