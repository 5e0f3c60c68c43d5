#pragma once

#include "core/halo_catalog.h"
#include "core/progress.h"
#include "io/catalogs/plain_dataset.h"

#include <string>
#include <vector>

namespace haloscope::io {

// Writes the halos as an HDF5 file in the layout of GADGET-4's fof_subhalo_tab, which
// open_catalog() reads back to the same values.
//
//   /Header, /Parameters, /Config   counts, time, cosmology and code units
//   /Group/NAME, /Subhalo/NAME      the columns of the tables of these names (for want of a Group
//                                   the first other table): N, or N x components
//   /IDs/PartTypeN/ParticleIDs      the members, halo after halo
//   /IDs/ID                         those of all types: halo after halo, in it type after type
//   /Provenance                     program, snapshot, command line, parameters
//   what is `beside`                by its own names
//
// A column is stored in its own scalar type, or in 64 bits where that cannot hold its whole
// numbers. Each has attributes `unit` and `description`, and where the unit is known to_cgs,
// a_scaling, h_scaling, length_scaling, mass_scaling and velocity_scaling as GADGET-4 notes them
// beside its snapshots' fields; its own catalogs have none. GroupLen, GroupLenType and
// GroupFirstIDType, the first row in the lists of IDs, come from `members` where the table lacks
// them. GADGET-4's GroupOffsetType is a row of its snapshot, whose particles stand in the order of
// the groups: the writer does not know the snapshot and writes it only as a column of the table.
// Code lengths and masses are given per h in comoving runs and without h in others, as all readers
// of this layout take them.
//
// As several `files` it is a set of names_of_parts(): each has as many rows of each table as the
// others, or one more, and the members of its groups. GroupFirstIDType continues from file to file;
// what is `beside` stands in the first. The files get their names when all of them are on the disk.
//
// Made for others' readers, by their sources:
// - yt 4.4 asks /Header for AREPO's names and the cosmology too, reads IDs/ID by sums of GroupLen,
//   and opens no other name than BASE.0.hdf5, whatever NumFiles says. Units it takes from no
//   attribute: lengths are Mpc/h and masses 1e10 Msun/h unless yt.load is given a unit_base, for
//   which the attributes of /Parameters will do as they are.
// - pynbody 2.8 asks for a name with "fof_subhalo_tab_" in it and finds members in the snapshot by
//   GroupOffsetType, for want of it and for subhalos by sums of the lengths: properties are right,
//   members are only where that column is. It divides by the number of groups, and so opens no
//   catalog without any.
//
// Throws Error when the file cannot be written, or columns and members do not fit the number of
// halos, and Cancelled; the old file, if any, is then still there.
void write_fof_subhalo(const std::string& path, const HaloCatalog& catalog,
                       const HaloMembers& members, const CatalogProvenance& provenance,
                       Progress& progress, const std::vector<PlainDataset>& beside = {},
                       int files = 1);

}  // namespace haloscope::io
