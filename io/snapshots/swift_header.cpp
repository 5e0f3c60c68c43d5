#include "io/snapshots/swift_header.h"

#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_handle.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace haloscope::io {

namespace {

// "Cubic spline (M4)", "Wendland C2", "wendland-C2": letters and digits decide.
std::string bare_letters(const std::string& text) {
  std::string bare;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      bare += char(std::tolower(static_cast<unsigned char>(c)));
  return bare;
}

}  // namespace

void read_swift_header(hid_t file, GadgetHeader& header) {
  Hdf5Lock lock;
  const Hdf5Handle own = open_hdf5_group(file, "Header");
  const Hdf5Handle cosmology = open_hdf5_group(file, "Cosmology");
  const Hdf5Handle units = open_hdf5_group(file, "Units");
  const Hdf5Handle parameters = open_hdf5_group(file, "Parameters");

  header.per_h = false;
  header.scale_factor = scalar_attribute(own.id(), "Scale-factor");
  if (!header.scale_factor) header.scale_factor = scalar_attribute(cosmology.id(), "Scale-factor");
  if (!header.redshift) header.redshift = scalar_attribute(cosmology.id(), "Redshift");
  if (const auto h = scalar_attribute(cosmology.id(), "h")) header.hubble_param = h;
  if (const auto matter = scalar_attribute(cosmology.id(), "Omega_m")) header.omega_matter = matter;
  if (const auto lambda = scalar_attribute(cosmology.id(), "Omega_lambda"))
    header.omega_lambda = lambda;
  if (const auto run = scalar_attribute(cosmology.id(), "Cosmological run"))
    header.comoving_integration = *run != 0;

  header.length_cm = scalar_attribute(units.id(), "Unit length in cgs (U_L)");
  header.mass_g = scalar_attribute(units.id(), "Unit mass in cgs (U_M)");
  const auto time_s = scalar_attribute(units.id(), "Unit time in cgs (U_t)");
  if (header.length_cm && time_s && *time_s > 0)
    header.velocity_cm_per_s = *header.length_cm / *time_s;

  // Its parameter file is stored as text.
  const auto periodic = text_attribute(parameters.id(), "InitialConditions:periodic");
  if (periodic) header.periodic = *periodic != "0";
}

SwiftKernel read_swift_kernel(hid_t file) {
  static const std::pair<const char*, double> kernels[] = {
      {"cubicspline", 1.825742}, {"quarticspline", 2.018932}, {"quinticspline", 2.195775},
      {"wendlandc2", 1.936492},  {"wendlandc4", 2.207940},    {"wendlandc6", 2.449490}};
  const Hdf5Handle scheme = open_hdf5_group(file, "HydroScheme");
  SwiftKernel kernel;
  kernel.name = text_attribute(scheme.id(), "Kernel function").value_or("");
  const std::string bare = bare_letters(kernel.name);
  for (const auto& [name, support] : kernels) {
    if (bare.rfind(name, 0) != 0) continue;
    kernel.support_per_h = support;
    kernel.known = true;
  }
  return kernel;
}

bool is_swift_virtual(hid_t file) {
  const Hdf5Handle header = open_hdf5_group(file, "Header");
  return scalar_attribute(header.id(), "Virtual").value_or(0) != 0;
}

}  // namespace haloscope::io
