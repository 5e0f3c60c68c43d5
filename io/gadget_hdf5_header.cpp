#include "io/gadget_hdf5_header.h"

#include "core/error.h"
#include "io/hdf5_attributes.h"
#include "io/hdf5_dataset.h"
#include "io/hdf5_handle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace haloscope::io {

namespace {

// The first of several spellings in the first of several places.
std::optional<double> find_number(std::initializer_list<hid_t> places,
                                  std::initializer_list<const char*> names) {
  for (const hid_t place : places)
    for (const char* name : names)
      if (const auto value = scalar_attribute(place, name)) return value;
  return {};
}

// The counts that the header lacks (cut-outs, hand-made files), from the datasets themselves.
void count_from_datasets(hid_t file, GadgetHeader& header) {
  for (const auto& group : group_names(file)) {
    const int type = particle_type_number(group);
    if (type < 0) continue;
    const Hdf5Handle positions = open_hdf5_dataset(file, group + "/Coordinates");
    if (!positions) continue;
    if (header.this_file.size() <= std::size_t(type))
      header.this_file.resize(std::size_t(type) + 1);
    header.this_file[std::size_t(type)] = dataset_layout(positions.id()).rows();
  }
}

// A 64-bit total is complete; GADGET-4 writes no high words beside it, and codes that write both
// mean the total. Only 32-bit low words are combined with high ones.
void read_totals(hid_t group, GadgetHeader& header) {
  header.total = count_attribute(group, "NumPart_Total").value_or(std::vector<std::uint64_t>{});
  if (attribute_element_bytes(group, "NumPart_Total") != 4) return;
  const auto high = count_attribute(group, "NumPart_Total_HighWord");
  if (!high) return;
  for (std::size_t i = 0; i < std::min(high->size(), header.total.size()); ++i)
    header.total[i] += (*high)[i] << 32;
}

std::optional<bool> periodic_by_options(hid_t config, hid_t parameters, Hdf5Dialect dialect) {
  if (const auto on = scalar_attribute(parameters, "PeriodicBoundariesOn")) return *on != 0;
  if (config < 0 || dialect != Hdf5Dialect::Gadget4) return {};
  return has_attribute(config, "PERIODIC");
}

}  // namespace

GadgetHeader read_gadget_header(hid_t file, const std::string& path, Hdf5Dialect dialect) {
  Hdf5Lock lock;
  const Hdf5Handle group = open_hdf5_group(file, "Header");
  const Hdf5Handle parameter_group = open_hdf5_group(file, "Parameters");
  const Hdf5Handle config = open_hdf5_group(file, "Config");
  const Hdf5Handle unit_group = open_hdf5_group(file, "Units");
  const hid_t own = group.id(), parameters = parameter_group.id(), units = unit_group.id();

  GadgetHeader header;
  if (auto counts = count_attribute(own, "NumPart_ThisFile")) {
    header.this_file = std::move(*counts);
    header.counts_given = true;
  } else {
    count_from_datasets(file, header);
  }
  read_totals(own, header);
  header.mass_table = number_attribute(own, "MassTable").value_or(std::vector<double>{});
  if (const auto files = count_attribute(own, "NumFilesPerSnapshot"))
    header.file_count = std::max<std::uint64_t>(1, files->front());

  for (const hid_t place : {own, parameters})
    if (header.box.empty())
      header.box = number_attribute(place, "BoxSize").value_or(std::vector<double>{});
  for (const double side : header.box)
    if (!std::isfinite(side) || side < 0)
      throw BadFile(fmt::format("BoxSize in /Header is {}, expected a length or 0", side), path);

  header.time = scalar_attribute(own, "Time");
  header.redshift = scalar_attribute(own, "Redshift");
  header.hubble_param = find_number({own, parameters}, {"HubbleParam"});
  header.omega_matter = find_number({own, parameters}, {"Omega0", "Omega_Matter", "OmegaMatter"});
  header.omega_lambda = find_number({own, parameters}, {"OmegaLambda", "Omega_Lambda"});
  header.length_cm =
      find_number({own, parameters, units}, {"UnitLength_in_cm", "UnitLength_In_CGS"});
  header.mass_g = find_number({own, parameters, units}, {"UnitMass_in_g", "UnitMass_In_CGS"});
  header.velocity_cm_per_s =
      find_number({own, parameters, units}, {"UnitVelocity_in_cm_per_s", "UnitVelocity_In_CGS"});
  if (const auto comoving = scalar_attribute(parameters, "ComovingIntegrationOn"))
    header.comoving_integration = *comoving != 0;
  header.periodic = periodic_by_options(config.id(), parameters, dialect);
  return header;
}

namespace {

void describe_box(const GadgetHeader& header, SnapshotInfo& info) {
  if (header.box.empty()) return;
  info.box_size = *std::max_element(header.box.begin(), header.box.end());
  info.periodic = info.box_size > 0 && header.periodic.value_or(true);
  const bool cube = std::all_of(header.box.begin(), header.box.end(),
                                [&](double side) { return side == info.box_size; });
  if (!cube) {
    info.periodic = false;
    info.assumed.push_back(fmt::format("The box is not a cube ({}): took it as not periodic.",
                                       fmt::join(header.box, " x ")));
  } else if (info.box_size > 0 && !info.periodic) {
    info.assumed.push_back("The run was not periodic although BoxSize is set.");
  } else if (info.periodic && !header.periodic) {
    info.assumed.push_back("The box is taken as periodic because BoxSize is set.");
  }
}

bool is_cosmological(const GadgetHeader& header, SnapshotInfo& info) {
  if (header.comoving_integration) return *header.comoving_integration;
  const bool no_matter = header.omega_matter.value_or(0) == 0;
  if (!no_matter && info.box_size > 0) return true;
  info.assumed.push_back(
      fmt::format("Not cosmological, because {}: lengths are physical.",
                  no_matter ? "Omega0 is 0 or absent" : "BoxSize is 0 or absent"));
  return false;
}

void describe_time(const GadgetHeader& header, bool cosmological, SnapshotInfo& info) {
  info.time = header.time.value_or(0);
  info.cosmology = {};
  info.cosmology.hubble_param = header.hubble_param.value_or(1);
  if (!(info.cosmology.hubble_param > 0)) info.cosmology.hubble_param = 1;
  if (!cosmological) return;
  info.cosmology.omega_matter = header.omega_matter.value_or(0);
  info.cosmology.omega_lambda = header.omega_lambda.value_or(0);
  const bool redshift_usable = header.redshift && *header.redshift > -1;
  if (header.time && *header.time > 0)
    info.cosmology.scale_factor = *header.time;
  else if (redshift_usable)
    info.cosmology.scale_factor = 1 / (1 + *header.redshift);
  else
    info.assumed.push_back("Neither Time nor Redshift is in the file: took a = 1.");
  info.cosmology.redshift =
      redshift_usable ? *header.redshift : 1 / info.cosmology.scale_factor - 1;
  const double by_redshift = 1 / (1 + *info.cosmology.redshift);
  if (std::abs(by_redshift - info.cosmology.scale_factor) > 1e-3 * by_redshift) {
    info.cosmology.scale_factor = by_redshift;
    info.assumed.push_back(
        fmt::format("Time ({}) is not the scale factor of redshift {}: went by the redshift.",
                    info.time, *info.cosmology.redshift));
  }
  if (!header.hubble_param) info.assumed.push_back("HubbleParam is not in the file: took h = 1.");
}

}  // namespace

void describe_cosmology(const GadgetHeader& header, SnapshotInfo& info) {
  describe_box(header, info);
  const bool cosmological = is_cosmological(header, info);
  describe_time(header, cosmological, info);
  info.units = {};
  auto take = [](const std::optional<double>& from, double& to) {
    if (from && std::isfinite(*from) && *from > 0) to = *from;
  };
  take(header.length_cm, info.units.length_cm);
  take(header.mass_g, info.units.mass_g);
  take(header.velocity_cm_per_s, info.units.velocity_cm_per_s);
  info.units.comoving = cosmological;
  info.units.per_h = cosmological;
}

}  // namespace haloscope::io
