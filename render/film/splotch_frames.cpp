#include "render/film/splotch_frames.h"

#include "analysis/snapshot/output_guard.h"
#include "compute/splotch/ranging.h"
#include "core/error.h"
#include "io/loading/particle_loader.h"
#include "io/snapshot_reader.h"
#include "io/snapshots/gadget_binary_fields.h"
#include "render/colors/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace haloscope::render {

namespace {

using namespace compute::splotch;
using io::SplotchInput;
using io::SplotchParameters;
using io::SplotchType;

// What a raw table without a column I counts as.
constexpr float kTableIntensity = 0.5f;

bool is_table(const SplotchParameters& p) {
  return p.simtype == SplotchInput::RawTable;
}

// A table holds one kind of particles, whatever ptypes says.
int kinds(const SplotchParameters& p) {
  return is_table(p) ? 1 : p.ptypes;
}

struct Labels {
  std::string size, color, intensity;
};

// Fields by Splotch's names for them: of binary Gadget files the labels of their blocks.
std::string field_named(const SplotchParameters& p, const std::string& label) {
  return p.simtype == SplotchInput::GadgetBinary ? io::gadget_field_name(label) : label;
}

// Names of the fields of one kind; empty: none.
Labels labels_of(const SplotchParameters& p, const SplotchType& t, int kind) {
  if (is_table(p))
    return {p.r > 0 ? "Radius" : "", p.C1 > 0 ? "Color" : "", p.I > 0 ? "Intensity" : ""};
  const std::string color = field_named(p, t.color_label);
  const std::string intensity = field_named(p, t.intensity_label);
  if (t.size_fix != 0) return {"", color, intensity};
  if (t.size_label.empty())
    throw Error(fmt::format("size_fix{0} is 0 and there is no size_label{0}", kind), p.file,
                "give one of them");
  return {field_named(p, t.size_label), color, intensity};
}

io::LoadRequest load_request(const SplotchParameters& p) {
  io::LoadRequest request;
  for (int kind = 0; kind < kinds(p); ++kind) {
    const SplotchType& t = p.types[std::size_t(kind)];
    const int type = is_table(p) ? 0 : t.ptype;
    auto found = std::find_if(request.types.begin(), request.types.end(),
                              [&](const auto& one) { return one.type == type; });
    if (found == request.types.end()) found = request.types.insert(found, {type, {}, false, false});
    const Labels labels = labels_of(p, t, kind);
    for (const std::string& label : {labels.size, labels.color, labels.intensity})
      if (!label.empty()) found->fields.push_back(label);
  }
  return request;
}

// A periodic domain's positions in one that does not wrap: twice as wide, which costs one bit.
void open_box(ParticleSet& particles) {
  Domain& domain = particles.domain;
  if (!domain.periodic) return;
  for (auto& columns : particles.types)
    for (auto& axis : columns.position)
      for (auto& x : axis) x = (x >> 1) + (1u << 30);
  for (double& origin : domain.origin) origin -= 0.5 * domain.side;
  domain.side *= 2;
  domain.periodic = false;
}

Transform transform_of(bool log, bool asinh) {
  return log ? Transform::Log : asinh ? Transform::Asinh : Transform::Linear;
}

Ranging limited(Ranging range, const std::optional<double>& low,
                const std::optional<double>& high) {
  if (low) range.low = float(*low);
  if (high) range.high = float(*high);
  return range;
}

const Array<float>& scalar(const ParticleColumns& columns, const std::string& label,
                           const SplotchParameters& p) {
  const auto& components = columns.fields.at(label);
  // A table's color has up to three columns, of which scalar colors use the first.
  if (components.size() != 1 && !is_table(p))
    throw Error(fmt::format("{} has {} components where one is needed", label, components.size()),
                p.file);
  return components.front();
}

class KindMaker {
 public:
  KindMaker(const ParticleColumns& columns, const SplotchParameters& p, int kind,
            SplotchScene& scene)
      : columns_(columns),
        p_(p),
        type_(p.types[std::size_t(kind)]),
        labels_(labels_of(p, type_, kind)),
        rows_(std::size_t(columns.count)),
        scene_(scene) {}

  void make() {
    input_.count = columns_.count;
    for (std::size_t c = 0; c < 3; ++c) input_.position[c] = columns_.position[c].data();
    set_radius();
    set_color();
    set_intensity();
    look_.brightness = float(type_.brightness);
    look_.smooth_factor = float(type_.smooth_factor);
    scene_.inputs.push_back(input_);
    scene_.appearances.push_back(look_);
  }

 private:
  void set_radius() {
    const double factor = is_table(p_) ? p_.table_smooth_factor : type_.size_fac;
    if (labels_.size.empty()) {
      look_.fixed_radius = float(is_table(p_) ? factor : type_.size_fix);
      input_.radius = constant(1);
    } else {
      input_.radius = scalar(columns_, labels_.size, p_).data();
      look_.radius_factor = float(factor);
    }
  }

  void set_color() {
    std::vector<const float*> colors;
    const std::size_t wanted = type_.color_is_vector ? 3 : 1;
    if (labels_.color.empty()) {
      for (std::size_t c = 0; c < wanted; ++c) colors.push_back(constant(1));
    } else if (type_.color_is_vector) {
      const auto& components = columns_.fields.at(labels_.color);
      if (components.size() != 3 && !is_table(p_))
        throw Error(fmt::format("{} has {} components, but a vector color needs 3", labels_.color,
                                components.size()),
                    p_.file, "set color_is_vector to F");
      for (std::size_t c = 0; c < wanted; ++c)
        colors.push_back(c < components.size() ? scaled(components[c]) : constant(0));
    } else {
      colors.push_back(scaled(scalar(columns_, labels_.color, p_)));
    }
    for (std::size_t c = 0; c < wanted; ++c) input_.color[c] = colors[c];
    look_.color = limited(data_range(colors.data(), int(colors.size()), rows_,
                                     transform_of(type_.color_log, type_.color_asinh)),
                          type_.color_min, type_.color_max);
    if (!type_.color_is_vector) {
      look_.palette = read_palette(io::find_splotch_file(p_, type_.palette)).colors;
      scene_.color_bars.push_back(look_.palette);
    }
  }

  void set_intensity() {
    const Transform transform = transform_of(type_.intensity_log, false);
    const float* column = labels_.intensity.empty()
                              ? constant(is_table(p_) ? kTableIntensity : 1.f)
                              : scalar(columns_, labels_.intensity, p_).data();
    input_.weight = column;
    look_.intensity =
        limited(data_range(&column, 1, rows_, transform), type_.intensity_min, type_.intensity_max);
  }

  const float* constant(float value) {
    Array<float> column(rows_);
    std::fill(column.begin(), column.end(), value);
    scene_.made_columns.push_back(std::move(column));
    return scene_.made_columns.back().data();
  }

  const float* scaled(const Array<float>& column) {
    if (type_.color_fac == 1) return column.data();
    Array<float> product(rows_);
    for (std::size_t i = 0; i < rows_; ++i) product[i] = float(type_.color_fac * column[i]);
    scene_.made_columns.push_back(std::move(product));
    return scene_.made_columns.back().data();
  }

  const ParticleColumns& columns_;
  const SplotchParameters& p_;
  const SplotchType& type_;
  Labels labels_;
  std::size_t rows_;
  SplotchScene& scene_;
  TypeInput input_;
  Appearance look_;
};

}  // namespace

ParticleSet load_splotch_particles(const SplotchParameters& p,
                                   const std::vector<std::string>& outputs, Progress& progress) {
  const std::string path = io::find_splotch_file(p, io::splotch_snapshot_path(p));
  const io::OpenOptions::RawTable table = io::splotch_raw_table(p);
  io::OpenOptions options;
  if (is_table(p)) options.raw_table = &table;
  const auto reader = io::open_snapshot(path, options);
  for (const auto& output : outputs) analysis::refuse_overwriting({output}, reader->info().files);
  ParticleSet particles = io::load_particles(*reader, load_request(p), progress);
  if (!p.periodic) open_box(particles);
  return particles;
}

std::string splotch_columns_key(const SplotchParameters& p) {
  std::string key = io::splotch_snapshot_path(p);
  key += fmt::format("|{}|{},{},{},{},{},{},{},{}", p.periodic, p.x, p.y, p.z, p.r, p.I, p.C1, p.C2,
                     p.C3);
  for (int kind = 0; kind < kinds(p); ++kind) {
    const SplotchType& t = p.types[std::size_t(kind)];
    const Labels labels = labels_of(p, t, kind);
    key += fmt::format("|{},{},{},{},{},{}", t.ptype, labels.size, labels.color, labels.intensity,
                       t.color_is_vector, t.color_fac);
  }
  return key;
}

SplotchScene make_splotch_scene(const ParticleSet& particles, const SplotchParameters& p) {
  SplotchScene scene;
  for (int kind = 0; kind < kinds(p); ++kind) {
    const int type = is_table(p) ? 0 : p.types[std::size_t(kind)].ptype;
    for (const auto& columns : particles.types)
      if (columns.type == type) KindMaker(columns, p, kind, scene).make();
  }
  return scene;
}

View splotch_view(const SplotchParameters& p) {
  View view;
  view.eye = p.camera;
  view.target = p.lookat;
  view.up = p.sky;
  view.perspective = p.projection;
  view.fov_degrees = p.fov;
  view.width = p.xres;
  view.height = p.yres;
  view.z_near = p.zmin;
  view.z_far = p.zmax;
  view.stereo_center = p.center;
  return view;
}

}  // namespace haloscope::render
