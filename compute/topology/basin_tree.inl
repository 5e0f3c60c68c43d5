#pragma once

#include "compute/exec/buffer.h"
#include "compute/hierarchy/elder_rule.inl"
#include "compute/topology/basin_branches.inl"
#include "compute/topology/basins.inl"
#include "compute/topology/cell_lists.inl"
#include "compute/topology/contacts.inl"
#include "compute/topology/merge_tree.h"
#include "compute/topology/segments.inl"
#include "compute/topology/sweep_keys.inl"
#include "compute/topology/tell_branches.inl"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// The merge tree of basins, for either executor: what is left of a grid once its cells are in
// basins and the contacts of these are known. It takes memory by basins and saddles, not by cells.
namespace haloscope::compute::topology {

template <class T>
struct BitsOfKeys {
  const std::uint32_t* key;
  Levels levels;
  std::uint64_t* bits;
  HALOSCOPE_HD void operator()(std::size_t b) const { bits[b] = bits_of_key<T>(key[b], levels); }
};

template <class T>
struct BitsOfMoments {
  const std::uint64_t* moment;
  Levels levels;
  std::uint64_t* bits;
  HALOSCOPE_HD void operator()(std::size_t e) const {
    bits[e] = bits_of_key<T>(key_of_moment(moment[e]), levels);
  }
};

template <class Exec>
struct BasinTree {
  BasinsOn<Exec> basins;
  CellList<Exec> saddle_cell;  // of all saddles (contacts.inl)
  SaddlesOn<Exec> saddles;
  hierarchy::EldersOn<Exec> elders;
  Buffer<BranchEnd, Exec> end;  // of each age; empty where `elders` tell them from the first
  Buffer<std::uint64_t, Exec> birth, death;  // ordered bits: of maxima, of saddles

  std::uint32_t count() const { return basins.count(); }
  hierarchy::AgesView ages() const { return {basins.age.data(), basins.by_age.data()}; }

  // Takes what begin_contacts() has begun.
  template <class Contacts>
  void join(Exec& exec, Contacts contacts) {
    if (count() == 0) return;
    auto branches = join_basins(exec, std::move(contacts), ages(), count());
    saddles = std::move(branches.saddles);
    end = std::move(branches.end);
  }

  void require_elders(Exec& exec) {
    if (count() == 0 || !elders.death.empty()) return;
    if (end.empty())
      elders = find_elders(exec, saddles, ages(), count());
    else
      elders = elders_of_ends(exec, end, ages(), saddles);
  }

  // Elders with their dendrogram, which FindBranchOfCell asks.
  void require_dendrogram(Exec& exec) {
    require_elders(exec);
    if (count() > 0 && elders.lightest.empty())
      elders = find_elders(exec, saddles, ages(), count());
  }

  // Makes room for births and deaths.
  void begin_values(Exec& exec) {
    if (end.empty()) require_elders(exec);
    birth = Buffer<std::uint64_t, Exec>(exec, count(), "maxima");
    death = Buffer<std::uint64_t, Exec>(exec, saddles.count, "saddles");
  }

  // Of values of at most 32 bits.
  template <class T>
  void take_values_of_keys(Exec& exec, Levels levels) {
    parallel_for(exec, "maxima", count(), BitsOfKeys<T>{basins.key.data(), levels, birth.data()});
    parallel_for(exec, "saddles", saddles.count,
                 BitsOfMoments<T>{saddles.moment.data(), levels, death.data()});
  }

  SegmentsOn<Exec> segments(Exec& exec, ValueKind kind, const Simplification& simplification,
                            Labeling labeling) {
    require_simplification(simplification);
    require_elders(exec);
    const auto& to = labeling == Labeling::Branch ? elders.parent : elders.across;
    const JoinNoise join_noise{
        simplification, kind, elders.death.data(), birth.data(), death.data(), to.data(), nullptr};
    return segment_basins(exec, count(), join_noise, ages());
  }

  // Copies to the host.
  Branches branches(Exec& exec, ValueKind kind) const {
    const std::size_t size = count();
    Branches told;  // whole or not at all
    told.kind = kind;
    for (auto* const column : {&told.maximum, &told.saddle, &told.birth, &told.death})
      column->resize(size);
    for (auto* const column : {&told.parent, &told.across}) column->resize(size);
    if constexpr (Exec::is_cuda) {
      using Column = Buffer<std::uint32_t, Exec>;
      using WideColumn = Buffer<std::uint64_t, Exec>;
      WideColumn maximum(exec, size, "branches"), saddle(exec, size, "branches"),
          births(exec, size, "branches"), deaths(exec, size, "branches");
      Column parent(exec, size, "branches"), across(exec, size, "branches");
      tell(exec, maximum, saddle, parent, across, births, deaths);
      download_to(exec, told.maximum, maximum);
      download_to(exec, told.saddle, saddle);
      download_to(exec, told.parent, parent);
      download_to(exec, told.across, across);
      download_to(exec, told.birth, births);
      download_to(exec, told.death, deaths);
    } else {
      tell(exec, told.maximum, told.saddle, told.parent, told.across, told.birth, told.death);
    }
    return told;
  }

 private:
  template <class WideColumn, class Column>
  void tell(Exec& exec, WideColumn& maximum, WideColumn& saddle, Column& parent, Column& across,
            WideColumn& births, WideColumn& deaths) const {
    const std::size_t size = maximum.size();
    if (end.empty())
      parallel_for(
          exec, "branches", size,
          TellBranches{ages(), basins.maximum.view(), saddle_cell.view(), elders.death.data(),
                       elders.parent.data(), elders.across.data(), saddles.moment.data(),
                       birth.data(), death.data(), maximum.data(), saddle.data(), parent.data(),
                       across.data(), births.data(), deaths.data()});
    else
      parallel_for(exec, "branches", size,
                   TellBranchEnds{size, basins.by_age.data(), end.data(), basins.maximum.view(),
                                  saddle_cell.view(), birth.data(), death.data(), maximum.data(),
                                  saddle.data(), parent.data(), across.data(), births.data(),
                                  deaths.data()});
  }

  template <class Column, class T>
  static void download_to(Exec& exec, Column& to, const Buffer<T, Exec>& from) {
    exec.download(to.data(), from.data(), from.size() * sizeof(T));
  }
};

}  // namespace haloscope::compute::topology
