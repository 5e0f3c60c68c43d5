#include "analysis/halos/halo_table.h"

#include "analysis/halos/halo_ids.h"
#include "analysis/halos/halo_particles.h"
#include "analysis/halos/measure_over_ranks.h"
#include "analysis/snapshot/peculiar_velocities.h"
#include "compute/exec/named_range.h"
#include "compute/halos/properties/properties.h"
#include "core/unit_words.h"
#include "io/catalogs/catalog_roles.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace haloscope::analysis {

namespace {

namespace halos = compute::halos;
using halos::HaloProperties;
using Vectors = std::vector<HaloProperties::Vector>;

struct Unit {
  std::string text;
  FieldScaling scaling;
};

// The snapshot's own units. Readers of this layout count per h where lengths are comoving, and only
// there.
Units units_of_catalog(const SnapshotInfo& info) {
  Units units = info.units;
  if (units.comoving || !units.per_h) return units;
  units.length_cm /= info.cosmology.hubble_param;
  units.mass_g /= info.cosmology.hubble_param;
  units.per_h = false;
  return units;
}

// Units of a catalog's columns.
class CatalogUnits {
 public:
  explicit CatalogUnits(const SnapshotInfo& info) : units_(units_of_catalog(info)) {}

  Unit length() const {
    const std::string text = io::length_unit(units_);
    return {units_.comoving ? text : "physical " + text,
            {units_.length_cm, units_.comoving ? 1.0 : 0.0, per_h(), 1, 0, 0}};
  }
  Unit mass() const { return {io::mass_unit(units_), {units_.mass_g, 0, per_h(), 0, 1, 0}}; }
  Unit velocity() const {
    return {io::velocity_unit(units_), {units_.velocity_cm_per_s, 0, 0, 0, 0, 1}};
  }
  // GADGET-4's: a times the peculiar one, which without a scale factor is that one.
  Unit internal_velocity() const {
    if (!units_.comoving) return velocity();
    return {io::velocity_unit(units_) + "/a", {units_.velocity_cm_per_s, -1, 0, 0, 0, 1}};
  }
  Unit potential() const {
    const double v = units_.velocity_cm_per_s;
    return {unit_power(io::velocity_unit(units_), 2), {v * v, 0, 0, 0, 0, 2}};
  }
  Unit angular_momentum() const {
    return {"physical " + io::length_unit(units_) + " " + io::velocity_unit(units_),
            {units_.length_cm * units_.velocity_cm_per_s, 0, per_h(), 1, 0, 1}};
  }

 private:
  double per_h() const { return units_.per_h ? -1 : 0; }
  Units units_;
};

// One table: what was measured of halos (names begin with "Group") or of clusters within them
// ("Subhalo").
class TableMaker {
 public:
  TableMaker(const HaloSearch& found, const halos::HaloMembership& members,
             const CatalogUnits& units, const std::string& name)
      : found_(found),
        members_(members),
        units_(units),
        kinds_(found.particles.types.size()),
        rows_(std::size_t(members.halos(kinds_))) {
    table_.name = name;
    table_.count = rows_;
    for (const auto& columns : found.particles.types) types_ = std::max(types_, columns.type + 1);
  }

  // Per halo a whole number, or several. Those of 32 bits have a sign, as GADGET-4's.
  template <class T>
  void add_numbers(const std::string& name, const std::string& description, ScalarType scalar,
                   std::vector<T> values, int components = 1) {
    CatalogColumn& c = column(name, description);
    c.scalar = scalar;
    c.components = components;
    c.values = std::move(values);
  }

  void add_counts() {
    std::vector<std::uint64_t> lengths;
    for (std::size_t h = 0; h < rows_; ++h) lengths.push_back(members_.members(h, kinds_));
    add_numbers("Len", "Number of members", ScalarType::Int32, std::move(lengths));
    add_numbers("LenType", "Number of members of each type", ScalarType::Int32,
                by_type<std::uint64_t>([&](std::size_t h, std::size_t kind) {
                  return std::uint64_t(members_.run(h, kind, kinds_).size());
                }),
                types_);
  }

  // Where members are listed in the catalog.
  void add_list_places(const HaloMembers& placed) {
    add_numbers("FirstIDType",
                "First row of each type's members in IDs/PartTypeN/ParticleIDs of this catalog",
                ScalarType::UInt64, by_type<std::uint64_t>([&](std::size_t h, std::size_t kind) {
                  const auto list = placed.offset.find(found_.particles.types[kind].type);
                  return list == placed.offset.end() ? 0 : list->second[h];
                }),
                types_);
  }

  // Where members lie in the snapshot, if each halo's of each type are one run of its rows.
  void add_snapshot_places() {
    for (const auto& columns : found_.particles.types)
      if (found_.has_members(columns.type) && !columns.rejected_rows.empty()) return;
    std::vector<std::uint64_t> next(kinds_, 0);
    std::vector<std::uint64_t> first(rows_ * kinds_);
    for (std::size_t h = 0; h < rows_; ++h)
      for (std::size_t kind = 0; kind < kinds_; ++kind) {
        const auto run = members_.run(h, kind, kinds_);
        if (!run.empty() && run.back() - run.front() + 1 != run.size()) return;
        // Nobody is where the next one would be.
        first[h * kinds_ + kind] = run.empty() ? next[kind] : run.front();
        if (!run.empty()) next[kind] = std::uint64_t(run.back()) + 1;
      }
    add_numbers("OffsetType",
                "First row of each type's members in PartTypeN of the snapshot, where they are one "
                "run of rows, as GADGET-4's",
                ScalarType::UInt64, by_type<std::uint64_t>([&](std::size_t h, std::size_t kind) {
                  return first[h * kinds_ + kind];
                }),
                types_);
  }

  void add_masses(const HaloProperties& p) {
    add("Mass", units_.mass(), "Mass of all members", p.mass);
    add("MassType", units_.mass(), "Mass of the members of each type",
        by_type<double>(
            [&](std::size_t h, std::size_t kind) { return p.type_mass[h * kinds_ + kind]; }),
        types_);
  }

  void add_places(const HaloProperties& p, const std::vector<std::uint64_t>& most_bound) {
    add("Pos", units_.length(), "Member of lowest potential", p.most_bound_position);
    add("CM", units_.length(), "Center of mass", p.center_of_mass);
    add_numbers("IDMostbound", "ID of the member of lowest potential", ScalarType::UInt64,
                most_bound);
    add("Potential", units_.potential(), "Lowest potential, of the members alone and per mass",
        p.potential);
    add("HalfmassRad", units_.length(), "Radius about Pos of half the members' mass",
        p.half_mass_radius);
    add("FarthestRad", units_.length(), "Distance of the farthest member from Pos", p.farthest);
  }

  // The mean velocity times `factor` is in `unit`. No halos have no velocities either: whether they
  // are `known` is up to the snapshot.
  void add_motions(const HaloProperties& p, bool known, const Unit& unit, double factor,
                   const std::string& about_velocity) {
    add("Vmax", units_.velocity(),
        "Largest circular velocity of the members' mass, but for the innermost few", p.v_max);
    add("VmaxRad", units_.length(), "Radius of Vmax about Pos", p.r_max);
    if (!known) return;
    add("Vel", unit, about_velocity, p.velocity, factor);
    add("VelDisp", units_.velocity(),
        "Dispersion of peculiar velocities in one dimension, weighted by mass",
        p.velocity_dispersion);
    add("Spin", units_.angular_momentum(),
        "Angular momentum per mass of the members within 200 critical densities",
        p.angular_momentum);
    add("SpinBullock", {},
        "J / (sqrt(2) M V R) of the members within 200 critical densities (Bullock et al. 2001)",
        p.spin);
  }

  // `matter`: names of the types that are counted.
  void add_spheres(const HaloProperties& p, const std::string& matter) {
    const struct {
      halos::SphereKind kind;
      const char *name, *words;
    } kinds[] = {{halos::Critical200, "Crit200", "200 times the critical density"},
                 {halos::Critical500, "Crit500", "500 times the critical density"},
                 {halos::Mean200, "Mean200", "200 times the mean density"},
                 {halos::TopHat, "TopHat200", "the density of Bryan and Norman 1998"}};
    for (const auto& one : kinds) {
      std::vector<double> mass, radius;
      for (const auto& sphere : p.sphere) {
        mass.push_back(sphere.mass[one.kind]);
        radius.push_back(sphere.radius[one.kind]);
      }
      add(std::string("_M_") + one.name, units_.mass(),
          fmt::format("Mass of all {} around Pos, in the halo or not, within {}", matter,
                      one.words),
          std::move(mass));
      add(std::string("_R_") + one.name, units_.length(),
          fmt::format("Radius of that sphere of {}", one.words), std::move(radius));
    }
  }

  void add_shapes(const HaloProperties& p) {
    add("AxisRatioBA", {}, "Middle by longest axis of the members' inertia", p.b_to_a);
    add("AxisRatioCA", {}, "Shortest by longest axis of the members' inertia", p.c_to_a);
  }

  HaloTable take() {
    io::assign_halo_roles(table_);
    return std::move(table_);
  }

 private:
  CatalogColumn& column(const std::string& name, const std::string& description) {
    CatalogColumn& c = table_.columns.emplace_back();
    c.name = table_.name + name;
    c.description = description;
    return c;
  }

  void add(const std::string& name, const Unit& unit, const std::string& description,
           std::vector<double> values, int components = 1) {
    CatalogColumn& c = column(name, description);
    c.unit = unit.text;
    if (!unit.text.empty()) c.scaling = unit.scaling;
    c.components = components;
    c.values = std::move(values);
  }

  void add(const std::string& name, const Unit& unit, const std::string& description,
           const Vectors& vectors, double factor = 1) {
    std::vector<double> values;
    values.reserve(vectors.size() * 3);
    for (const auto& v : vectors)
      for (const double x : v) values.push_back(x * factor);
    add(name, unit, description, std::move(values), 3);
  }

  // One value per halo and GADGET type number from one per halo and type of the search.
  template <class T, class F>
  std::vector<T> by_type(const F& value) const {
    std::vector<T> values(rows_ * std::size_t(types_), T(0));
    for (std::size_t h = 0; h < rows_; ++h)
      for (std::size_t kind = 0; kind < kinds_; ++kind)
        values[h * std::size_t(types_) + std::size_t(found_.particles.types[kind].type)] =
            value(h, kind);
    return values;
  }

  const HaloSearch& found_;
  const halos::HaloMembership& members_;
  const CatalogUnits& units_;
  std::size_t kinds_, rows_;
  int types_ = 6;
  HaloTable table_;
};

class CatalogMaker {
 public:
  CatalogMaker(const io::SnapshotReader& reader, HaloSearch& found, Progress& progress,
               const CatalogContent& content)
      : reader_(reader),
        info_(reader.info()),
        content_(content),
        found_(found),
        progress_(progress),
        units_(info_),
        kinds_(found.particles.types.size()),
        halos_(std::size_t(found.members.halos(kinds_))) {}

  FoundCatalog make() {
    describe_snapshot();
    set_up_physics();
    HaloProperties halos;
    std::optional<HaloProperties> clusters;
    if (found_.measured) {
      halos = std::move(found_.measured->properties);
      ids_ = std::move(found_.measured->ids);
      tell_of_wide_halos(halos.too_wide);
    } else {
      measure_here(halos, clusters);
    }
    out_.said.insert(out_.said.end(), ids_.said.begin(), ids_.said.end());
    out_.catalog.tables.push_back(group_table(halos));
    if (clusters) out_.catalog.tables.push_back(subhalo_table(*clusters));
    out_.members = std::move(ids_.halos);
    return std::move(out_);
  }

 private:
  void measure_here(HaloProperties& halos, std::optional<HaloProperties>& clusters) {
    // On the CPU the cores have enough to do, and memory is counted for one after the other.
    std::optional<IdsBeside> beside;
    if (content_.members &&
        halos::can_measure_on(found_.device, particles_, found_.members.rows.size()))
      beside.emplace(reader_, found_);
    halos = measure(found_.members);
    if (found_.substructure) clusters = measure(found_.substructure->members);
    tell_of_wide_halos(halos.too_wide);
    const compute::TimedRange timer(found_.timings, "IDs");
    IdsOfKinds all;
    if (beside)
      all = beside->take();
    else if (content_.members)
      all = read_all_ids(reader_, found_, progress_);
    ids_ = read_halo_ids(reader_, found_, halos, clusters ? &*clusters : nullptr,
                         content_.members ? &all : nullptr, progress_);
  }

  void describe_snapshot() {
    HaloCatalog& c = out_.catalog;
    c.format = "haloscope";
    c.box_size = info_.box_size;
    c.periodic = info_.periodic;
    c.time = info_.time;
    c.cosmology = info_.cosmology;
    c.hubble_known = info_.cosmology.hubble_param != 1;
    c.units = units_of_catalog(info_);
  }

  void add_velocities(const ParticleColumns& columns, halos::HaloParticles::Type& type) {
    const auto v = columns.fields.find(velocity_field(info_.types.at(columns.type)));
    if (v == columns.fields.end()) {
      out_.said.push_back(fmt::format(
          "{} has no velocities: the catalog has none, nor dispersions and spins.", columns.name));
      return;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) type.velocity[axis] = v->second[axis].data();
  }

  void set_up_physics() {
    particles_.domain = found_.particles.domain;
    for (const auto& columns : found_.particles.types) {
      halos::HaloParticles::Type type;
      type.type = columns.type;
      type.around = !found_.has_members(columns.type);
      type.count = columns.count;
      for (std::size_t axis = 0; axis < 3; ++axis)
        type.position[axis] = columns.position[axis].data();
      if (!type.around) add_velocities(columns, type);
      if (!columns.mass.empty()) type.mass = columns.mass.data();
      type.uniform_mass = columns.uniform_mass;
      particles_.types.push_back(type);
    }
    moving_ = found_.measured ? found_.measured->moving : particles_.has_velocities();
    physics_ = halo_physics(info_, found_);
    if (physics_.hubble_now > 0) return;
    out_.said.push_back(
        found_.no_spheres
            ? "Spherical overdensities and spins are zero: at the mean density that the units make "
              "of the particles, a sphere of 200 times the mean would hold the whole box."
            : "There is no cosmology in the file: spherical overdensities and spins are zero.");
  }

  HaloProperties measure(const halos::HaloMembership& members) {
    const compute::TimedRange timer(found_.timings, "properties");
    return halos::measure_halos(found_.device, particles_, members, physics_, progress_);
  }

  void tell_of_wide_halos(std::uint64_t count) {
    if (count == 0 || !info_.periodic) return;
    out_.said.push_back(fmt::format(
        "{} {} over half the box: which images of members are the nearest is not known there, "
        "and centers, radii, shapes and spins are not to be trusted.",
        count,
        count == 1 ? fmt::format("{} reaches", content_.one)
                   : fmt::format("{} reach", content_.several)));
  }

  void tell_of_thin_halos(const HaloProperties& p) {
    if (!(physics_.hubble_now > 0)) return;
    const auto thin = std::count_if(p.sphere.begin(), p.sphere.end(), [](const auto& sphere) {
      return !(sphere.radius[halos::Critical200] > 0);
    });
    if (thin > 0)
      out_.said.push_back(
          fmt::format("Around {} of {} {} with members, no sphere is as dense as 200 times the "
                      "critical density, or only one with the mass of five members or less: R, M "
                      "and spin are 0 there.",
                      thin, p.sphere.size(), content_.several));
  }

  std::string matter() const {
    std::string names;
    for (const auto& columns : found_.particles.types)
      names += (names.empty() ? "" : ", ") + columns.name;
    return names;
  }

  void add_members(TableMaker& table, const HaloMembers& placed) const {
    table.add_counts();
    if (content_.members) table.add_list_places(placed);
    if (content_.rows_of_files) table.add_snapshot_places();
  }

  HaloTable group_table(const HaloProperties& p) {
    TableMaker table(found_, found_.members, units_, "Group");
    add_members(table, ids_.halos);
    table.add_masses(p);
    table.add_places(p, ids_.most_bound);
    const bool comoving = info_.units.comoving;
    table.add_motions(
        p, moving_, units_.internal_velocity(), comoving ? info_.cosmology.scale_factor : 1,
        comoving ? "Mean velocity weighted by mass: peculiar velocity times a, as GADGET-4's"
                 : "Mean velocity weighted by mass");
    tell_of_thin_halos(p);
    table.add_spheres(p, matter());
    table.add_shapes(p);
    if (found_.substructure) {
      std::vector<std::int64_t> clusters(halos_, 0), first(halos_, -1);
      const auto& parent = found_.substructure->parent;
      for (std::size_t s = 0; s < parent.size(); ++s)
        if (clusters[parent[s]]++ == 0) first[parent[s]] = std::int64_t(s);
      table.add_numbers("Nsubs", "Number of clusters within", ScalarType::Int32, clusters);
      table.add_numbers("FirstSub", "The first of them; -1: there is none", ScalarType::Int64,
                        first);
    }
    return table.take();
  }

  HaloTable subhalo_table(const HaloProperties& p) const {
    const halos::Substructure& found = *found_.substructure;
    TableMaker table(found_, found.members, units_, "Subhalo");
    add_members(table, ids_.clusters);
    std::vector<std::uint64_t> rank, parent;
    for (std::size_t s = 0; s < found.parent.size(); ++s) {
      parent.push_back(found.parent[s]);
      rank.push_back(s > 0 && found.parent[s - 1] == found.parent[s] ? rank.back() + 1 : 0);
    }
    table.add_numbers("GroupNr", "The halo, counted from 0", ScalarType::Int64, parent);
    table.add_numbers("RankInGr", "Place in its halo by size", ScalarType::Int32, rank);
    table.add_masses(p);
    table.add_places(p, ids_.most_bound_of_clusters);
    table.add_motions(p, moving_, units_.velocity(), 1, "Mean peculiar velocity weighted by mass");
    table.add_shapes(p);
    return table.take();
  }

  const io::SnapshotReader& reader_;
  const SnapshotInfo& info_;
  const CatalogContent content_;
  HaloSearch& found_;
  Progress& progress_;
  CatalogUnits units_;
  std::size_t kinds_, halos_;
  HaloIds ids_;
  halos::HaloParticles particles_;
  halos::HaloPhysics physics_;
  bool moving_ = false;
  FoundCatalog out_;
};

}  // namespace

FoundCatalog make_catalog(const io::SnapshotReader& reader, HaloSearch& found, Progress& progress,
                          const CatalogContent& content) {
  return CatalogMaker(reader, found, progress, content).make();
}

}  // namespace haloscope::analysis
