#include "app/halo_table.h"

#include "compute/halos/properties.h"
#include "io/catalogs/catalog_roles.h"
#include "io/loading/particle_ids.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace haloscope::app {

namespace {

namespace halos = compute::halos;
using halos::HaloProperties;
using Vectors = std::vector<HaloProperties::Vector>;

struct Unit {
  std::string text;
  FieldScaling scaling;
};

// Units of a catalog's columns in the snapshot's own.
class CatalogUnits {
 public:
  explicit CatalogUnits(const SnapshotInfo& info) : units_(info.units) {}

  Unit length() const {
    const std::string text = io::length_unit(units_);
    return {units_.comoving ? text : "physical " + text,
            {units_.length_cm, units_.comoving ? 1.0 : 0.0, per_h(), 1, 0, 0}};
  }
  Unit mass() const { return {io::mass_unit(units_), {units_.mass_g, 0, per_h(), 0, 1, 0}}; }
  Unit velocity() const {
    return {io::velocity_unit(units_), {units_.velocity_cm_per_s, 0, 0, 0, 0, 1}};
  }
  // GADGET-4's: a times the peculiar one.
  Unit internal_velocity() const {
    return {io::velocity_unit(units_) + "/a", {units_.velocity_cm_per_s, -1, 0, 0, 0, 1}};
  }
  Unit potential() const {
    const double v = units_.velocity_cm_per_s;
    return {"(" + io::velocity_unit(units_) + ")^2", {v * v, 0, 0, 0, 0, 2}};
  }
  Unit angular_momentum() const {
    return {"physical " + io::length_unit(units_) + " " + io::velocity_unit(units_),
            {units_.length_cm * units_.velocity_cm_per_s, 0, per_h(), 1, 0, 1}};
  }

 private:
  double per_h() const { return units_.per_h ? -1 : 0; }
  Units units_;
};

class CatalogMaker {
 public:
  CatalogMaker(const io::SnapshotReader& reader, HaloSearch& found, Progress& progress)
      : reader_(reader),
        info_(reader.info()),
        found_(found),
        progress_(progress),
        units_(info_),
        kinds_(found.particles.types.size()),
        halos_(std::size_t(found.members.halos(kinds_))) {
    for (const auto& columns : found.particles.types) types_ = std::max(types_, columns.type + 1);
  }

  FoundCatalog make() {
    describe_snapshot();
    gather_ids();
    const HaloProperties properties = measure();
    table_.name = "Group";
    table_.count = halos_;
    add_counts();
    add_masses(properties);
    add_places(properties);
    add_motions(properties);
    add_spheres(properties);
    add_shapes(properties);
    io::assign_halo_roles(table_);
    out_.catalog.tables.push_back(std::move(table_));
    return std::move(out_);
  }

 private:
  void describe_snapshot() {
    HaloCatalog& c = out_.catalog;
    c.format = "GADGET-4 fof_subhalo_tab";
    c.box_size = info_.box_size;
    c.periodic = info_.periodic;
    c.time = info_.time;
    c.cosmology = info_.cosmology;
    c.hubble_known = info_.cosmology.hubble_param != 1;
    c.units = info_.units;
  }

  HaloProperties measure() {
    const ScopedTimer timer(found_.timings, "properties");
    halos::HaloParticles particles;
    particles.domain = found_.particles.domain;
    for (const auto& columns : found_.particles.types) {
      halos::HaloParticles::Type type;
      type.type = columns.type;
      type.count = columns.count;
      for (std::size_t axis = 0; axis < 3; ++axis)
        type.position[axis] = columns.position[axis].data();
      if (const auto v = columns.fields.find(velocity_field(info_.types.at(columns.type)));
          v != columns.fields.end())
        for (std::size_t axis = 0; axis < 3; ++axis) type.velocity[axis] = v->second[axis].data();
      else
        out_.said.push_back(
            fmt::format("{} has no velocities: the catalog has none, nor dispersions and spins.",
                        columns.name));
      if (!columns.mass.empty()) type.mass = columns.mass.data();
      type.uniform_mass = columns.uniform_mass;
      particles.types.push_back(type);
    }
    const halos::HaloPhysics physics = halos::make_physics(info_.units, info_.cosmology);
    if (!(physics.hubble_now > 0))
      out_.said.push_back(
          "There is no cosmology in the file: spherical overdensities and spins are zero.");
    return halos::measure_halos(particles, found_.members, physics, progress_);
  }

  void gather_ids() {
    const ScopedTimer timer(found_.timings, "IDs");
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      const auto& columns = found_.particles.types[kind];
      auto ids = io::load_ids(reader_, columns.type, columns.rejected_rows, progress_);
      if (ids.size() != columns.count) {
        out_.said.push_back(fmt::format(
            "{} has no IDs: members are named by their rows, counted from 0.", columns.name));
        ids.resize(std::size_t(columns.count));
        std::iota(ids.begin(), ids.end(), std::uint64_t(0));
      }
      auto& offset = out_.members.offset[columns.type];
      auto& length = out_.members.length[columns.type];
      auto& members = out_.members.ids[columns.type];
      for (std::size_t h = 0; h < halos_; ++h) {
        const auto run = found_.members.run(h, kind, kinds_);
        offset.push_back(members.size());
        length.push_back(run.size());
        for (const std::uint32_t row : run) members.push_back(ids[row]);
      }
    }
  }

  CatalogColumn& column(const std::string& name, const std::string& description) {
    CatalogColumn& c = table_.columns.emplace_back();
    c.name = name;
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
    std::vector<T> values(halos_ * std::size_t(types_), T(0));
    for (std::size_t h = 0; h < halos_; ++h)
      for (std::size_t kind = 0; kind < kinds_; ++kind)
        values[h * std::size_t(types_) + std::size_t(found_.particles.types[kind].type)] =
            value(h, kind);
    return values;
  }

  void add_counts() {
    CatalogColumn& all = column("GroupLen", "Number of members");
    all.scalar = ScalarType::UInt32;
    std::vector<std::uint64_t> lengths;
    for (std::size_t h = 0; h < halos_; ++h) lengths.push_back(found_.members.members(h, kinds_));
    all.values = std::move(lengths);
    CatalogColumn& each = column("GroupLenType", "Number of members of each type");
    each.scalar = ScalarType::UInt32;
    each.components = types_;
    each.values = by_type<std::uint64_t>([&](std::size_t h, std::size_t kind) {
      return std::uint64_t(found_.members.run(h, kind, kinds_).size());
    });
    CatalogColumn& first =
        column("GroupOffsetType", "First row of each type's members in IDs/PartTypeN/ParticleIDs");
    first.scalar = ScalarType::UInt64;
    first.components = types_;
    first.values = by_type<std::uint64_t>([&](std::size_t h, std::size_t kind) {
      return out_.members.offset.at(found_.particles.types[kind].type)[h];
    });
  }

  void add_masses(const HaloProperties& p) {
    add("GroupMass", units_.mass(), "Mass of all members", p.mass);
    add("GroupMassType", units_.mass(), "Mass of the members of each type",
        by_type<double>(
            [&](std::size_t h, std::size_t kind) { return p.type_mass[h * kinds_ + kind]; }),
        types_);
  }

  void add_places(const HaloProperties& p) {
    add("GroupPos", units_.length(), "Member of lowest potential", p.most_bound_position);
    add("GroupCM", units_.length(), "Center of mass", p.center_of_mass);
    CatalogColumn& id = column("GroupIDMostbound", "ID of the member of lowest potential");
    id.scalar = ScalarType::UInt64;
    std::vector<std::uint64_t> ids;
    for (std::size_t h = 0; h < halos_; ++h) {
      const std::size_t kind = p.most_bound_slot[h];
      const int type = found_.particles.types[kind].type;
      const auto run = found_.members.run(h, kind, kinds_);
      const auto at = std::lower_bound(run.begin(), run.end(), p.most_bound_row[h]) - run.begin();
      ids.push_back(out_.members.ids.at(
          type)[std::size_t(out_.members.offset.at(type)[h]) + std::size_t(at)]);
    }
    id.values = std::move(ids);
    add("GroupPotential", units_.potential(), "Lowest potential, of the members alone and per mass",
        p.potential);
    add("GroupHalfmassRad", units_.length(), "Radius about GroupPos of half the members' mass",
        p.half_mass_radius);
    add("GroupFarthestRad", units_.length(), "Distance of the farthest member from GroupPos",
        p.farthest);
  }

  void add_motions(const HaloProperties& p) {
    add("GroupVmax", units_.velocity(), "Largest circular velocity of the members' mass", p.v_max);
    add("GroupVmaxRad", units_.length(), "Radius of GroupVmax about GroupPos", p.r_max);
    if (p.velocity.empty()) return;
    add("GroupVel", units_.internal_velocity(),
        "Mean velocity weighted by mass: peculiar velocity times a, as GADGET-4 has it", p.velocity,
        info_.cosmology.scale_factor);
    add("GroupVelDisp", units_.velocity(),
        "Dispersion of peculiar velocities in one dimension, weighted by mass",
        p.velocity_dispersion);
    add("GroupSpin", units_.angular_momentum(),
        "Angular momentum per mass of the members within Group_R_Crit200", p.angular_momentum);
    add("GroupSpinBullock", {}, "J / (sqrt(2) M V R) within Group_R_Crit200 (Bullock et al. 2001)",
        p.spin);
  }

  void add_spheres(const HaloProperties& p) {
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
      add(std::string("Group_M_") + one.name, units_.mass(),
          fmt::format("Mass of all particles around GroupPos within {}", one.words),
          std::move(mass));
      add(std::string("Group_R_") + one.name, units_.length(),
          fmt::format("Radius of that sphere of {}", one.words), std::move(radius));
    }
  }

  void add_shapes(const HaloProperties& p) {
    add("GroupAxisRatioBA", {}, "Middle by longest axis of the members' inertia", p.b_to_a);
    add("GroupAxisRatioCA", {}, "Shortest by longest axis of the members' inertia", p.c_to_a);
  }

  const io::SnapshotReader& reader_;
  const SnapshotInfo& info_;
  HaloSearch& found_;
  Progress& progress_;
  CatalogUnits units_;
  std::size_t kinds_, halos_;
  int types_ = 6;
  HaloTable table_;
  FoundCatalog out_;
};

}  // namespace

FoundCatalog make_catalog(const io::SnapshotReader& reader, HaloSearch& found, Progress& progress) {
  return CatalogMaker(reader, found, progress).make();
}

}  // namespace haloscope::app
