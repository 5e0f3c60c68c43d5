#pragma once

#include "analysis/halos/found_halos.h"
#include "app/viewer/tasks/scene_model.h"
#include "core/particles.h"
#include "render/colors/palette.h"

#include <cstddef>

// What panels show in tests.
namespace haloscope::test {

// A snapshot of gas and dark matter in a box of 100 that no file holds.
inline app::viewer::SceneModel box_model() {
  app::viewer::SceneModel scene;
  scene.path = "/data/snap_099.hdf5";
  scene.info.format = "GADGET-4";
  scene.info.box_size = 100;
  scene.info.periodic = true;
  scene.info.cosmology.redshift = 0.5;
  scene.types = {0, 1};
  scene.names = {"gas", "dm"};
  scene.counts = {110592, 110592};
  scene.bounds = {{0, 0, 0}, {100, 100, 100}};
  render::TypeLook gas, dm;
  gas.color = "Temperature";
  gas.palette = render::find_palette("gist_heat").colors;
  dm.color = kLocalDensity;
  dm.palette = render::find_palette("viridis").colors;
  scene.looks = {gas, dm};
  scene.appearances.resize(2);
  scene.appearances[0].color = {compute::splotch::Transform::Log, 3.5f, 7};
  scene.device_name = "cpu";
  return scene;
}

inline analysis::FoundHalos many_halos(std::size_t count) {
  analysis::FoundHalos halos;
  halos.mass_unit = "1e10 Msun/h";
  halos.length_unit = "kpc/h";
  for (std::size_t k = 0; k < count; ++k) {
    analysis::HaloRow row;
    row.number = k;
    row.members = count - k;
    row.mass = double(count - k);
    row.r200 = row.radius = 4;
    row.center = {double(k * 37 % 100), double(k * 61 % 100), double(k * 83 % 100)};
    halos.rows.push_back(row);
  }
  return halos;
}

}  // namespace haloscope::test
