#pragma once

#include "analysis/field_plot.h"
#include "analysis/file_rows.h"
#include "analysis/finder.h"
#include "analysis/snapshot/choose_types.h"
#include "io/loading/particle_loader.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

// An analysis that the program does not have: it cuts a snapshot into slabs of even width along x.
// It names itself here alone; whatever the program offers for analyses must take it as it is.
namespace haloscope::test {

struct SlabOptions {
  std::uint64_t slabs = 4;
  std::vector<std::string> types;  // that are cut; empty: all
  bool operator==(const SlabOptions&) const = default;
};

template <class V>
void visit(V& v, SlabOptions& o) {
  v.count("slabs", o.slabs, 1, {.help = "Number of slabs", .label = "Slabs", .usual = 1});
  v.types("types", o.types,
          {.value = "gas,…", .help = "Particles that are cut", .label = "Types", .empty = "all"});
}

class SlabFinder final : public analysis::FinderOf<SlabOptions> {
 public:
  SlabFinder()
      : FinderOf({"slabs", "slab", "slabs", "Slabs of even width along x", "There is no slab."}) {}

  analysis::Finding search(const io::SnapshotReader& reader, const SlabOptions& options,
                           const analysis::FindRequest& request,
                           Progress& progress) const override {
    io::LoadRequest load;
    for (const int type : analysis::choose_types(reader.info(), options.types, "`types`"))
      load.types.push_back({type, {}, false, false});
    const ParticleSet particles = io::load_particles(reader, load, progress);
    const double low = lowest_x(particles), width = 1.000001 * (highest_x(particles) - low);

    analysis::Finding finding;
    finding.pieces = options.slabs;
    finding.summary = fmt::format("{} slabs", options.slabs);
    auto labels = std::make_shared<Labels>();
    labels->pieces = options.slabs;
    analysis::ParticleField& x = finding.fields["x"];
    x.unit = "code length";
    analysis::PieceColumn members{"Members", "", std::vector<double>(options.slabs, 0), true};
    for (const ParticleColumns& columns : particles.types) {
      std::vector<std::uint32_t> labels_read;
      std::vector<float> x_read;
      for (const std::uint32_t fixed : columns.position[0]) {
        const double place = particles.domain.to_world(fixed, 0);
        labels_read.push_back(std::uint32_t((place - low) / width * double(options.slabs)));
        x_read.push_back(float(place));
        ++members.values[labels_read.back()];
      }
      labels->of[columns.type] = analysis::file_rows(std::move(labels_read), columns.rejected_rows,
                                                     std::uint32_t(Labels::kNone));
      x.values[columns.type] = analysis::file_rows(std::move(x_read), columns.rejected_rows,
                                                   std::numeric_limits<float>::quiet_NaN());
    }
    finding.labels = std::move(labels);
    const double step = width / double(options.slabs);
    for (std::uint64_t n = 0; n < options.slabs; ++n)
      finding.places.push_back({{low + (double(n) + 0.5) * step, 0, 0}, step / 2});
    finding.catalog.tables.push_back(table(members.values));
    finding.columns = {std::move(members)};
    finding.members_column = 0;
    finding.plots = {analysis::field_plot("x", x)};
    // The window has said what reading took for granted when it drew the particles.
    if (!request.resident) finding.notes = particles.assumed;
    finding.notes.push_back("`slabs` along x are cut.");
    return finding;
  }

 private:
  static HaloTable table(const std::vector<double>& members) {
    HaloTable table;
    table.name = "slabs";
    table.count = members.size();
    CatalogColumn column;
    column.name = "Members";
    column.values = members;
    table.columns.push_back(std::move(column));
    table.roles[HaloRole::MemberCount] = {"Members"};
    return table;
  }
  static double lowest_x(const ParticleSet& particles) {
    double low = HUGE_VAL;
    for (const auto& columns : particles.types)
      for (const std::uint32_t x : columns.position[0])
        low = std::min(low, particles.domain.to_world(x, 0));
    return low;
  }
  static double highest_x(const ParticleSet& particles) {
    double high = -HUGE_VAL;
    for (const auto& columns : particles.types)
      for (const std::uint32_t x : columns.position[0])
        high = std::max(high, particles.domain.to_world(x, 0));
    return high;
  }
};

// The x of each particle alone: no pieces, no labels, no catalog.
class HeightFinder final : public analysis::FinderOf<SlabOptions> {
 public:
  HeightFinder() : FinderOf({"height", "", "", "x", "There is none."}) {}

  analysis::Finding search(const io::SnapshotReader& reader, const SlabOptions& options,
                           const analysis::FindRequest& request,
                           Progress& progress) const override {
    analysis::Finding slabs = SlabFinder().search(reader, options, request, progress);
    analysis::Finding finding;
    finding.fields = std::move(slabs.fields);
    finding.plots = std::move(slabs.plots);
    finding.summary = "x of all particles";
    return finding;
  }
};

}  // namespace haloscope::test
