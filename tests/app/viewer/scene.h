#pragma once

#include "analysis/finding.h"
#include "analysis/halos/halo_options.h"
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

// With members, mass and an R200 of 4.
inline analysis::Finding many_halos(std::size_t count) {
  analysis::Finding halos;
  halos.finder = "halos";
  halos.options = analysis::HaloOptions{};
  halos.pieces = count;
  halos.columns = {{"Members", "", {}, true}, {"Mass", "1e10 Msun/h", {}}, {"R200", "kpc/h", {}}};
  halos.members_column = 0;
  halos.radius_column = 2;
  for (std::size_t k = 0; k < count; ++k) {
    halos.columns[0].values.push_back(double(count - k));
    halos.columns[1].values.push_back(double(count - k));
    halos.columns[2].values.push_back(4);
    halos.places.push_back({{double(k * 37 % 100), double(k * 61 % 100), double(k * 83 % 100)}, 4});
  }
  halos.catalog.tables.emplace_back();
  return halos;
}

}  // namespace haloscope::test
