#include "io/snapshots/hdf5_particle_header.h"

#include "core/error.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/snapshots/swift_header.h"

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

// By the first dataset of one value per particle; 0 where there is none.
std::uint64_t rows_of_columns(hid_t file, const std::string& group) {
  const Hdf5Handle columns = open_hdf5_group(file, group);
  for (const auto& name : dataset_names(columns.id())) {
    const DatasetLayout layout = dataset_layout(open_hdf5_dataset(columns.id(), name).id());
    if (layout.shape.size() == 1) return layout.rows();
  }
  return 0;
}

// The counts that the header lacks (cut-outs, hand-made files), from the datasets themselves.
void count_from_datasets(hid_t file, GadgetHeader& header) {
  for (const auto& group : group_names(file)) {
    const int type = particle_type_number(group);
    if (type < 0) continue;
    Hdf5Handle positions = open_hdf5_dataset(file, group + "/Coordinates");
    if (!positions) positions = open_hdf5_dataset(file, group + "/IntCoordinates");
    const std::uint64_t rows =
        positions ? dataset_layout(positions.id()).rows() : rows_of_columns(file, group);
    if (rows == 0) continue;
    if (header.this_file.size() <= std::size_t(type))
      header.this_file.resize(std::size_t(type) + 1);
    header.this_file[std::size_t(type)] = rows;
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

GadgetHeader read_hdf5_header(hid_t file, const std::string& path, Hdf5Dialect dialect) {
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
  // A cut-out is one file, whatever the header that it copied says.
  const auto files = count_attribute(own, "NumFilesPerSnapshot");
  if (files && !facts_of(dialect).one_file)
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
  header.illustris_fields = facts_of(dialect).mesh_cells && has_illustris_fields(file);
  header.periodic = periodic_by_options(config.id(), parameters, dialect);
  // EAGLE's and OWLS' Time is a time.
  header.scale_factor = scalar_attribute(own, "ExpansionFactor");
  if (dialect == Hdf5Dialect::Swift) read_swift_header(file, header);
  return header;
}

}  // namespace haloscope::io
