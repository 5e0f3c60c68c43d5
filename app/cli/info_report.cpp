#include "app/cli/info_report.h"

#include "analysis/snapshot/counts_text.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/bytes/scalar_type.h"
#include "io/loading/derived_fields.h"
#include "io/snapshots/gadget_units.h"
#include "render/scene/choose_looks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace haloscope::app::cli {

namespace {

using nlohmann::json;

json type_json(const SnapshotInfo& info, int number, const TypeInfo& type,
               const CountsByType& counts) {
  json fields = json::array();
  json details = json::object();
  for (const auto& field : type.fields) {
    fields.push_back(field.name);
    details[field.name] = {{"components", field.components},
                           {"type", io::scalar_name(field.scalar)},
                           {"unit", field.unit}};
  }
  json derived = json::array();
  for (const auto& field : io::derived_fields(info, number)) derived.push_back(field.name);
  json report = {{"name", type.name},         {"count", type.count},
                 {"fields", fields},          {"field_details", details},
                 {"derived_fields", derived}, {"uniform_mass", type.uniform_mass}};
  if (type.low_resolution) report["low_resolution"] = true;
  if (const auto found = counts.find(number); found != counts.end()) {
    report["counts"] = counts_json(found->second);
    report["counts"]["mean_position"] =
        found->second.shown() > 0 ? json(found->second.mean_position) : json(nullptr);
  }
  return report;
}

// By name, and because names allow for rounding of constants, in cgs: most files say how large a
// number's unit is to six digits or fewer.
std::string unit_text(const Units& units) {
  const char* const per_h = units.per_h ? "/h" : "";
  return fmt::format("length {} ({:.6g} cm{}), mass {} ({:.6g} g{}), velocity {} ({:.6g} cm/s){}",
                     io::length_unit(units), units.length_cm, per_h, io::mass_unit(units),
                     units.mass_g, per_h, io::velocity_unit(units), units.velocity_cm_per_s,
                     units.comoving ? "; lengths are comoving" : "");
}

std::string type_text(const SnapshotInfo& info, int number, const TypeInfo& type,
                      const CountsByType& counts) {
  std::string text = fmt::format("\ntype {}    {}: {} particles", number, type.name, type.count);
  if (type.uniform_mass > 0) text += fmt::format(", mass {:g} each", type.uniform_mass);
  if (const auto found = counts.find(number); found != counts.end()) {
    const std::string odd = analysis::counts_text(found->second);
    if (!odd.empty()) text += "\n            of these " + odd;
  }
  std::size_t width = 0;
  auto label = [](const FieldInfo& f) {
    return f.name + (f.components > 1 ? fmt::format("[{}]", f.components) : "");
  };
  auto fields = type.fields;
  const std::size_t stored = fields.size();
  for (const auto& f : io::derived_fields(info, number)) fields.push_back(f);
  for (const auto& f : fields) width = std::max(width, label(f).size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string about = i < stored               ? fields[i].unit
                              : fields[i].unit.empty() ? std::string("(derived)")
                                                       : fields[i].unit + "  (derived)";
    text += "\n            " + (about.empty()
                                    ? label(fields[i])
                                    : fmt::format("{:{}}  {}", label(fields[i]), width, about));
  }
  return text;
}

}  // namespace

RenderMemory estimate_render_memory(const SnapshotInfo& info) {
  RenderMemory memory;
  render::RenderRequest request;
  render::LookPlan plan;
  try {
    plan = render::plan_looks(info, request);
    memory.host_bytes = io::estimate_memory(info, plan.load);
  } catch (const Error&) {
    return memory;  // nothing to draw
  }
  // On the device: position, smoothing length, order, and mass and color where they are columns.
  for (std::size_t k = 0; k < plan.looks.size(); ++k) {
    const TypeInfo& type = info.types.at(plan.load.types[k].type);
    std::uint64_t per_particle = 3 * 4 + 4 + 4;
    if (!plan.looks[k].color.empty()) per_particle += 4;
    if (type.uniform_mass == 0 && type.find(Role::Mass)) per_particle += 4;
    memory.device_bytes += per_particle * type.count;
  }
  const PixelSize size;
  const std::uint64_t pixels = std::uint64_t(size.width) * std::uint64_t(size.height);
  memory.device_bytes += pixels * (4 + 3) * 4;
  // Without a GPU the renderer's own columns lie on the host beside the file's.
  memory.host_bytes += memory.device_bytes + pixels * (3 * 4 + 3);
  return memory;
}

json counts_json(const LoadCounts& c) {
  return {{"in_file", c.in_file},     {"read", c.read},
          {"shown", c.shown()},       {"wrapped", c.wrapped},
          {"rejected", c.rejected()}, {"not_finite", c.not_finite},
          {"too_far", c.too_far},     {"wind", c.wind}};
}

json info_json(const SnapshotInfo& info, const RenderMemory& memory, const CountsByType& counts) {
  json types = json::object();
  for (const auto& [number, type] : info.types)
    types[std::to_string(number)] = type_json(info, number, type, counts);
  const auto& c = info.cosmology;
  const auto& u = info.units;
  return {{"format", info.format},
          {"files", info.files},
          {"box_size", info.box_size},
          {"periodic", info.periodic},
          {"redshift", c.redshift ? json(*c.redshift) : json(nullptr)},
          {"time", info.time},
          {"types", types},
          {"assumed", sentences_of(info.assumed)},
          {"cosmology",
           {{"scale_factor", c.scale_factor},
            {"hubble_param", c.hubble_param},
            {"omega_matter", c.omega_matter},
            {"omega_lambda", c.omega_lambda}}},
          {"units",
           {{"length_cm", u.length_cm},
            {"mass_g", u.mass_g},
            {"velocity_cm_per_s", u.velocity_cm_per_s},
            {"comoving", u.comoving},
            {"per_h", u.per_h}}},
          {"render_memory",
           {{"host_bytes", memory.host_bytes}, {"device_bytes", memory.device_bytes}}}};
}

std::string info_text(const SnapshotInfo& info, const RenderMemory& memory,
                      const CountsByType& counts) {
  std::string length;
  for (const auto& [number, type] : info.types)
    if (const FieldInfo* position = type.find(Role::Position)) length = position->unit;
  // "1 x 50000 kpc": some codes' unit is the box.
  if (!length.empty()) length = (length[0] >= '0' && length[0] <= '9' ? " x " : " ") + length;
  std::string text = fmt::format("format    {}\nfiles     {}", info.format, info.files.front());
  if (info.files.size() > 1) text += fmt::format(" and {} more", info.files.size() - 1);
  text += info.box_size > 0 ? fmt::format("\nbox       {:g}{}, {}", info.box_size, length,
                                          info.periodic ? "periodic" : "not periodic")
                            : std::string("\nbox       none");
  const auto& c = info.cosmology;
  if (c.redshift)
    // Codes reach z = 0 up to rounding.
    text += fmt::format("\nredshift  {:.4g} (h {:g}, omega_m {:g}, omega_lambda {:g})",
                        std::abs(*c.redshift) < 1e-9 ? 0 : *c.redshift, c.hubble_param,
                        c.omega_matter, c.omega_lambda);
  else
    text += fmt::format("\ntime      {:g}", info.time);
  text += "\nunits     " + unit_text(info.units);
  for (const auto& [number, type] : info.types) text += type_text(info, number, type, counts);
  if (info.types.empty()) text += "\nno particles";
  text += fmt::format("\nto render {} of host memory, and {} of GPU memory with --device cuda",
                      bytes_in_words(memory.host_bytes), bytes_in_words(memory.device_bytes));
  for (const auto& one : info.assumed) text += "\nassumed   " + one.sentence;
  return text;
}

}  // namespace haloscope::app::cli
