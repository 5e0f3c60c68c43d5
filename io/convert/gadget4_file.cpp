#include "io/convert/gadget4_file.h"

#include "io/snapshots/gadget_softening.h"
#include "io/snapshots/stored_baryons.h"

#include <algorithm>
#include <vector>

namespace haloscope::io {

Gadget4File::Gadget4File(const std::string& path, std::uint64_t expected_bytes)
    : writer_(path, expected_bytes) {}

void Gadget4File::write_cosmology(hid_t object, const SnapshotInfo& info,
                                  const Gadget4Layout& layout) {
  writer_.number(object, "HubbleParam", layout.hubble_param);
  writer_.number(object, "Omega0", info.cosmology.omega_matter);
  writer_.number(object, "OmegaLambda", info.cosmology.omega_lambda);
  // Mean spacings of dark matter alone ask for it.
  if (const auto baryons = stored_omega_baryon(info))
    writer_.number(object, "OmegaBaryon", *baryons);
  writer_.number(object, "UnitLength_in_cm", layout.units.length_cm);
  writer_.number(object, "UnitMass_in_g", layout.units.mass_g);
  writer_.number(object, "UnitVelocity_in_cm_per_s", layout.units.velocity_cm_per_s);
}

void Gadget4File::write_header(const SnapshotInfo& info, const Gadget4Layout& layout,
                               const std::map<int, std::uint64_t>& counts) {
  int types = kGadgetTypes;
  if (!counts.empty()) types = std::max(types, counts.rbegin()->first + 1);
  std::vector<std::uint64_t> per_type(std::size_t(types), 0);
  std::vector<double> masses(std::size_t(types), 0);
  for (const auto& [type, count] : counts) per_type[std::size_t(type)] = count;
  for (const auto& [type, mass] : layout.mass_table) masses[std::size_t(type)] = mass;
  const bool comoving = info.units.comoving;
  const double time = comoving ? info.cosmology.scale_factor : info.time;

  const Hdf5Handle header = writer_.group("Header");
  writer_.counts(header.id(), "NumPart_ThisFile", per_type);
  writer_.counts(header.id(), "NumPart_Total", per_type);
  writer_.numbers(header.id(), "MassTable", masses);
  writer_.number(header.id(), "Time", time);
  writer_.number(header.id(), "Redshift", info.cosmology.redshift.value_or(0));
  writer_.number(header.id(), "BoxSize", info.box_size);
  writer_.whole(header.id(), "NumFilesPerSnapshot", 1);
  if (layout.arepo) write_cosmology(header.id(), info, layout);

  const Hdf5Handle parameters = writer_.group("Parameters");
  write_cosmology(parameters.id(), info, layout);
  writer_.number(parameters.id(), "BoxSize", info.box_size);
  writer_.whole(parameters.id(), "ComovingIntegrationOn", comoving ? 1 : 0);
  writer_.whole(parameters.id(), "PeriodicBoundariesOn", info.periodic ? 1 : 0);
  write_softening(parameters.id(), info, counts);

  const Hdf5Handle config = writer_.group("Config");
  writer_.whole(config.id(), "NTYPES", types);
  if (info.periodic) writer_.whole(config.id(), "PERIODIC", 1);
  if (layout.arepo) writer_.whole(config.id(), "VORONOI", 1);
  for (const auto& [type, count] : counts)
    if (count > 0) writer_.group("PartType" + std::to_string(type));
}

// A class of its own for each type. Its largest physical length is that of now, for what the input
// says of other times is not known.
void Gadget4File::write_softening(hid_t parameters, const SnapshotInfo& info,
                                  const std::map<int, std::uint64_t>& counts) {
  const double a = info.units.comoving ? info.cosmology.scale_factor : 1;
  for (const auto& [type, count] : counts) {
    const auto softening = stored_softening(info, type);
    if (count == 0 || !softening) continue;
    const std::string number = std::to_string(type);
    writer_.whole(parameters, ("SofteningClassOfPartType" + number).c_str(), type);
    writer_.number(parameters, ("SofteningComovingClass" + number).c_str(), *softening);
    writer_.number(parameters, ("SofteningMaxPhysClass" + number).c_str(), *softening * a);
  }
}

void Gadget4File::write_provenance(const std::map<std::string, std::string>& origin) {
  const Hdf5Handle group = writer_.group("Provenance");
  for (const auto& [name, text] : origin) writer_.text(group.id(), name, text);
}

void Gadget4File::begin_field(int type, const OutputField& field, std::uint64_t rows,
                              bool compress) {
  dataset_ = {};
  dataset_ = writer_.dataset("PartType" + std::to_string(type) + "/" + field.name, field.scalar,
                             rows, field.components, compress);
  if (field.scaling) writer_.scaling(dataset_.id(), *field.scaling);
}

void Gadget4File::write_rows(const OutputField& field, std::uint64_t first, std::uint64_t rows,
                             const void* data) {
  writer_.write_rows(dataset_.id(), field.name, field.scalar, first, rows, field.components, data);
}

void Gadget4File::commit() {
  dataset_ = {};
  writer_.commit();
}

}  // namespace haloscope::io
