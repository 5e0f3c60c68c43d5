#include "app/commands/info.h"

#include "app/choose_looks.h"
#include "app/open_snapshot.h"
#include "app/text_values.h"
#include "io/derived_fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace haloscope::app {

namespace {

using nlohmann::json;

const char* scalar_name(ScalarType type) {
  switch (type) {
    case ScalarType::Float32:
      return "float32";
    case ScalarType::Float64:
      return "float64";
    case ScalarType::Int32:
      return "int32";
    case ScalarType::UInt32:
      return "uint32";
    case ScalarType::Int64:
      return "int64";
    default:
      return "uint64";
  }
}

json type_json(const SnapshotInfo& info, int number, const TypeInfo& type) {
  json fields = json::array();
  json details = json::object();
  for (const auto& field : type.fields) {
    fields.push_back(field.name);
    details[field.name] = {{"components", field.components},
                           {"type", scalar_name(field.scalar)},
                           {"unit", field.unit}};
  }
  json derived = json::array();
  for (const auto& field : io::derived_fields(info, number)) derived.push_back(field.name);
  return {{"name", type.name},         {"count", type.count},
          {"fields", fields},          {"field_details", details},
          {"derived_fields", derived}, {"uniform_mass", type.uniform_mass}};
}

}  // namespace

RenderMemory estimate_render_memory(const SnapshotInfo& info, const std::string& position_field) {
  RenderMemory memory;
  RenderRequest request;
  LookPlan plan;
  try {
    plan = plan_looks(info, position_field, request);
    memory.host_bytes = io::estimate_memory(info, plan.load);
  } catch (const Error&) {
    return memory;  // nothing to draw
  }
  // On the device: position, smoothing length, order, and mass and color where they are columns.
  for (std::size_t k = 0; k < plan.looks.size(); ++k) {
    const TypeInfo& type = info.types.at(plan.load.types[k].type);
    std::uint64_t per_particle = 3 * 4 + 4 + 4;
    if (!plan.looks[k].color.empty()) per_particle += 4;
    if (type.uniform_mass == 0 && type.find("Masses")) per_particle += 4;
    memory.device_bytes += per_particle * type.count;
  }
  const PixelSize size;
  const std::uint64_t pixels = std::uint64_t(size.width) * std::uint64_t(size.height);
  memory.device_bytes += pixels * (4 + 3) * 4;
  // Without a GPU the renderer's own columns lie on the host beside the file's.
  memory.host_bytes += memory.device_bytes + pixels * (3 * 4 + 3);
  return memory;
}

json info_json(const SnapshotInfo& info, const RenderMemory& memory) {
  json types = json::object();
  for (const auto& [number, type] : info.types)
    types[std::to_string(number)] = type_json(info, number, type);
  const auto& c = info.cosmology;
  const auto& u = info.units;
  return {{"format", info.format},
          {"files", info.files},
          {"box_size", info.box_size},
          {"periodic", info.periodic},
          {"redshift", c.redshift ? json(*c.redshift) : json(nullptr)},
          {"time", info.time},
          {"types", types},
          {"assumed", info.assumed},
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

std::string info_text(const SnapshotInfo& info, const RenderMemory& memory) {
  std::string length;
  for (const auto& [number, type] : info.types)
    if (const FieldInfo* position = type.find("Coordinates")) length = " " + position->unit;
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
  text +=
      fmt::format("\nunits     {:.6g} cm, {:.6g} g, {:.6g} cm/s{}{}", info.units.length_cm,
                  info.units.mass_g, info.units.velocity_cm_per_s,
                  info.units.per_h ? ", with 1/h" : "", info.units.comoving ? ", comoving" : "");
  for (const auto& [number, type] : info.types) {
    text += fmt::format("\ntype {}    {}: {} particles", number, type.name, type.count);
    if (type.uniform_mass > 0) text += fmt::format(", mass {:g} each", type.uniform_mass);
    for (const auto& f : type.fields)
      text += fmt::format("\n            {}{}{}", f.name,
                          f.components > 1 ? fmt::format("[{}]", f.components) : "",
                          f.unit.empty() ? "" : "  " + f.unit);
    for (const auto& f : io::derived_fields(info, number))
      text +=
          fmt::format("\n            {}{}  (derived)", f.name, f.unit.empty() ? "" : "  " + f.unit);
  }
  if (info.types.empty()) text += "\nno particles";
  text += fmt::format("\nto render {} of host memory, and {} of GPU memory with --device cuda",
                      bytes_in_words(memory.host_bytes), bytes_in_words(memory.device_bytes));
  for (const auto& sentence : info.assumed) text += "\nassumed   " + sentence;
  return text;
}

void add_info_command(CLI::App& app, RunContext& context, std::function<void()>& run) {
  struct Request {
    std::string file;
    bool json = false;
    bool allow_missing_files = false;
  };
  auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("info", "What a snapshot holds, without reading it all");
  command->add_option("FILE", request->file, "Snapshot: a file, one of several, or their folder")
      ->required();
  command->add_flag("--json", request->json, "As JSON (box_size is 0 where there is no box)");
  command->add_flag("--allow-missing-files", request->allow_missing_files,
                    "Go on when files of a multi-file snapshot are missing");
  command->callback([request, &context, &run] {
    run = [request, &context] {
      const auto reader = open_snapshot(request->file, request->allow_missing_files);
      const auto memory = estimate_render_memory(reader->info(), reader->position_field());
      context.print(request->json ? info_json(reader->info(), memory).dump(2)
                                  : info_text(reader->info(), memory));
    };
  });
}

}  // namespace haloscope::app
