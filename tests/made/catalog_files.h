#pragma once

#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <cstdint>
#include <string>
#include <vector>

// Writers of small halo catalogs of every kind for the tests; nothing here shares code with the
// readers.
namespace catalog_files {

// A few halos in a box of 100 Mpc/h, masses in Msun/h, radii in Mpc/h.
struct Halos {
  std::vector<double> x, y, z, mass, radius;
  std::vector<std::uint64_t> members;
  std::size_t size() const { return mass.size(); }
};

inline Halos some_halos(std::size_t count, std::uint64_t seed = 1) {
  Halos halos;
  const auto positions = snapshot_files::some_positions(count, 100, seed);
  for (std::size_t i = 0; i < count; ++i) {
    halos.x.push_back(positions[3 * i]);
    halos.y.push_back(positions[3 * i + 1]);
    halos.z.push_back(positions[3 * i + 2]);
    halos.mass.push_back(1e12 * double(count - i));
    halos.radius.push_back(0.3);
    halos.members.push_back(100 * (count - i));
  }
  return halos;
}

struct SubhaloTab {
  int files = 1, index = 0;
  std::uint64_t total = 0;  // 0: what is here
  double length_cm = 3.085678e24;
  double box = 100;
  double time = 0.5;
  bool arepo = false;
};

// Rows begin … end-1 of the halos as one file of a fof_subhalo_tab set: groups, and one subhalo
// each.
inline void write_subhalo_tab(const std::string& path, const Halos& halos, std::size_t begin,
                              std::size_t end, const SubhaloTab& set = {}) {
  const std::uint64_t n = end - begin;
  const std::uint64_t total = set.total ? set.total : n;
  const double lengths = 3.085678e24 / set.length_cm;
  snapshot_files::FileWriter file(path);
  file.group("Header").group("Parameters").group("Group").group("Subhalo");
  const std::string subhalos = set.arepo ? "Nsubgroups" : "Nsubhalos";
  file.attribute<std::uint64_t>("Header", "Ngroups_ThisFile", {n}, false);
  file.attribute<std::uint64_t>("Header", "Ngroups_Total", {total}, false);
  file.attribute<std::uint64_t>("Header", subhalos + "_ThisFile", {n}, false);
  file.attribute<std::uint64_t>("Header", subhalos + "_Total", {total}, false);
  file.attribute<std::int32_t>("Header", "NumFiles", {set.files}, false);
  file.number("Header", "BoxSize", set.box * lengths).number("Header", "Time", set.time);
  file.number("Header", "Redshift", 1 / set.time - 1);
  file.number("Parameters", "HubbleParam", 0.7).number("Parameters", "Omega0", 0.3);
  file.number("Parameters", "OmegaLambda", 0.7);
  file.number("Parameters", "UnitLength_in_cm", set.length_cm);
  file.number("Parameters", "UnitMass_in_g", 1.989e43);
  file.number("Parameters", "UnitVelocity_in_cm_per_s", 1e5);
  if (n == 0) return;
  std::vector<float> position, mass, radius;
  std::vector<std::int32_t> members;
  std::vector<std::uint64_t> ids;
  for (std::size_t i = begin; i < end; ++i) {
    for (const double x : {halos.x[i], halos.y[i], halos.z[i]})
      position.push_back(float(x * lengths));
    mass.push_back(float(halos.mass[i] / 1e10));
    radius.push_back(float(halos.radius[i] * lengths));
    members.push_back(std::int32_t(halos.members[i]));
    ids.push_back((std::uint64_t(1) << 63) + 1 + i);
  }
  file.dataset("Group/GroupPos", {n, 3}, position).dataset("Group/GroupMass", {n}, mass);
  file.dataset("Group/GroupLen", {n}, members).dataset("Group/Group_R_Crit200", {n}, radius);
  file.dataset("Group/GroupVel", {n, 3}, position);
  file.dataset("Subhalo/SubhaloPos", {n, 3}, position).dataset("Subhalo/SubhaloMass", {n}, mass);
  file.dataset("Subhalo/SubhaloLen", {n}, members);
  file.dataset("Subhalo/SubhaloHalfmassRad", {n}, radius);
  file.dataset("Subhalo/SubhaloIDMostbound", {n}, ids);
}

// out_N.list as Rockstar writes it.
inline std::string rockstar_text(const Halos& halos) {
  std::string text =
      "#ID DescID Mvir Vmax Vrms Rvir Rs Np X Y Z VX VY VZ Spin b_to_a(500c) A[x]\n"
      "#a = 0.500000\n#Om = 0.300000; Ol = 0.700000; h = 0.700000\n"
      "#FOF linking length: 0.280000\n#Particle mass: 1.00000e+10 Msun/h\n"
      "#Box size: 100.000000 Mpc/h\n#Units: Masses in Msun / h\n"
      "#Units: Positions in Mpc / h (comoving)\n"
      "#Units: Velocities in km / s (physical, peculiar)\n"
      "#Units: Halo Distances, Lengths, and Radii in kpc / h (comoving)\n"
      "#Rockstar Version: 0.99.9\n";
  for (std::size_t i = 0; i < halos.size(); ++i) {
    char line[400];
    std::snprintf(
        line, sizeof line,
        "%llu -1 %.6e 200.5 150.25 %.4f 20.1 %llu %.9f %.9f %.9f 10 -20 30 0.03 0.8 nan\n",
        9007199254740993ULL + i, halos.mass[i], halos.radius[i] * 1000,
        static_cast<unsigned long long>(halos.members[i]), halos.x[i], halos.y[i], halos.z[i]);
    text += line;
  }
  return text;
}

inline std::string ahf_text(const Halos& halos) {
  std::string text =
      "#ID(1)\thostHalo(2)\tnumSubStruct(3)\tMvir(4)\tnpart(5)\tXc(6)\tYc(7)\tZc(8)\tVXc(9)\t"
      "VYc(10)\tVZc(11)\tRvir(12)\n";
  for (std::size_t i = 0; i < halos.size(); ++i) {
    char line[300];
    std::snprintf(line, sizeof line,
                  "%zu\t0\t0\t%.6e\t%llu\t%.6f\t%.6f\t%.6f\t1.5\t2.5\t3.5\t%.4f\n", i,
                  halos.mass[i], static_cast<unsigned long long>(halos.members[i]),
                  halos.x[i] * 1000, halos.y[i] * 1000, halos.z[i] * 1000, halos.radius[i] * 1000);
    text += line;
  }
  return text;
}

inline std::string csv_text(const Halos& halos) {
  std::string text =
      "# box = 100 Mpc/h\n# h = 0.7\n"
      "id,x [Mpc/h],y [Mpc/h],z [Mpc/h],mass [1e10 Msun/h],radius [kpc/h],members,note\n";
  for (std::size_t i = 0; i < halos.size(); ++i) {
    char line[300];
    std::snprintf(line, sizeof line, "%llu,%.9f,%.9f,%.9f,%.7g,%g,%llu,word\n",
                  18446744073709551000ULL + i, halos.x[i], halos.y[i], halos.z[i],
                  halos.mass[i] / 1e10, halos.radius[i] * 1000,
                  static_cast<unsigned long long>(halos.members[i]));
    text += line;
  }
  return text;
}

}  // namespace catalog_files
