#include "io/snapshots/gadget_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace haloscope::io {

namespace {

// Relative difference up to which Time is the scale factor of Redshift: both are doubles, of which
// some codes store one as rounded as a float or a listed output time.
constexpr double kScaleFactorTolerance = 1e-3;

bool is_scale_factor(double time, double redshift) {
  return std::abs(time * (1 + redshift) - 1) < kScaleFactorTolerance;
}

void describe_box(const GadgetHeader& header, SnapshotInfo& info) {
  if (header.box.empty()) return;
  info.box_size = *std::max_element(header.box.begin(), header.box.end());
  info.periodic = info.box_size > 0 && header.periodic.value_or(true);
  const bool cube = std::all_of(header.box.begin(), header.box.end(),
                                [&](double side) { return side == info.box_size; });
  if (!cube) {
    info.periodic = false;
    info.assumed.push_back({fmt::format("The box is not a cube ({}): took it as not periodic.",
                                        fmt::join(header.box, " x ")),
                            {Fact::Box}});
  } else if (info.box_size > 0 && !info.periodic) {
    info.assumed.push_back({"The run was not periodic although BoxSize is set.", {Fact::Box}});
  } else if (info.periodic && !header.periodic) {
    info.assumed.push_back({"The box is taken as periodic because BoxSize is set.", {Fact::Box}});
  }
}

// Cut-outs of IllustrisTNG and CAMELS keep little of the header. Codes that write a header of their
// own write Omega0 and Redshift into it, as 0 where the run is not cosmological.
std::string cutout_evidence(const GadgetHeader& header, double box) {
  const auto scale_factor = header.scale_factor ? header.scale_factor : header.time;
  const bool lacks_much = !header.omega_matter || (*header.omega_matter > 0 && box == 0 &&
                                                   (!header.redshift || !scale_factor));
  const bool contradiction =
      header.redshift && scale_factor && !is_scale_factor(*scale_factor, *header.redshift);
  if (!lacks_much || contradiction) return {};
  if (header.illustris_fields)
    return "its fields are those of Illustris runs (GFM_…) and the header lacks the rest";
  const double h = header.hubble_param.value_or(0), a = scale_factor.value_or(0);
  // A run that does not know h has 1 there, or 0.
  if (h > 0 && h < 1 && a > 0 && a <= 1 + kScaleFactorTolerance)
    return "HubbleParam is set and Time can be a scale factor";
  return {};
}

// Evidence of a comoving run; empty where it tells against one, which `against` then says. Isolated
// runs may have a box and a leftover Omega0, and store Redshift 0 at any Time; zoomed ones have no
// box.
std::string comoving_evidence(const GadgetHeader& header, double box, std::string& against) {
  if (header.omega_matter.value_or(0) == 0) {
    against = "Omega0 is 0 or absent";
    return {};
  }
  const auto scale_factor = header.scale_factor ? header.scale_factor : header.time;
  if (!scale_factor || !header.redshift) {
    if (box > 0) return "Omega0 and BoxSize are set";
    against = "BoxSize is 0 or absent";
    return {};
  }
  if (is_scale_factor(*scale_factor, *header.redshift))
    return "Omega0 is set and Time is the scale factor of Redshift";
  if (*header.redshift > 0) return "Omega0 and Redshift are set";
  against = fmt::format("Time ({:g}) is not the scale factor of Redshift ({:g})", *scale_factor,
                        *header.redshift);
  return {};
}

bool is_cosmological(const GadgetHeader& header, SnapshotInfo& info) {
  if (header.comoving_integration) return *header.comoving_integration;
  std::string against;
  const std::string evidence = comoving_evidence(header, info.box_size, against);
  const std::string cutout = evidence.empty() ? cutout_evidence(header, info.box_size) : "";
  if (!cutout.empty()) {
    info.assumed.push_back(fmt::format(
        "Taken as a cut-out of a cosmological run, because {}: took lengths as comoving{}.", cutout,
        header.length_cm ? "" : " (ckpc/h)"));
    return true;
  }
  info.assumed.push_back(
      evidence.empty()
          ? fmt::format("Not cosmological, because {}: took lengths as physical.", against)
          : fmt::format("Taken as cosmological, because {}.", evidence));
  return !evidence.empty();
}

void describe_time(const GadgetHeader& header, bool cosmological, SnapshotInfo& info) {
  info.time = header.time.value_or(0);
  info.cosmology = {};
  info.cosmology.hubble_param = header.hubble_param.value_or(1);
  if (!(info.cosmology.hubble_param > 0)) info.cosmology.hubble_param = 1;
  if (!cosmological) return;
  info.cosmology.omega_matter = header.omega_matter.value_or(0);
  info.cosmology.omega_lambda = header.omega_lambda.value_or(0);
  const bool redshift_usable =
      header.redshift && std::isfinite(*header.redshift) && *header.redshift > -1;
  const auto scale_factor = header.scale_factor ? header.scale_factor : header.time;
  if (scale_factor && *scale_factor > 0 && std::isfinite(*scale_factor))
    info.cosmology.scale_factor = *scale_factor;
  else if (redshift_usable)
    info.cosmology.scale_factor = 1 / (1 + *header.redshift);
  else
    info.assumed.push_back("Neither Time nor Redshift is in the file: took a = 1.");
  info.cosmology.redshift =
      redshift_usable ? *header.redshift : 1 / info.cosmology.scale_factor - 1;
  const double by_redshift = 1 / (1 + *info.cosmology.redshift);
  if (std::abs(by_redshift - info.cosmology.scale_factor) > kScaleFactorTolerance * by_redshift) {
    info.cosmology.scale_factor = by_redshift;
    info.assumed.push_back(
        fmt::format("{} ({}) is not the scale factor of redshift {}: went by the redshift.",
                    header.scale_factor ? "The scale factor" : "Time", *scale_factor,
                    *info.cosmology.redshift));
  }
  if (!header.hubble_param)
    info.assumed.push_back({"HubbleParam is not in the file: took h = 1.", {Fact::Hubble}});
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
  info.units.per_h = header.per_h.value_or(cosmological);
}

}  // namespace haloscope::io
