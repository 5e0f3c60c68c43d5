#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

// Splotch's image by plain double-precision loops, written from the formulas of splotch-semantics
// (sections 1 to 7) alone: shares no code with the renderer.
namespace splotch_reference {

using Vec = std::array<double, 3>;

struct Particle {
  Vec position;
  double radius, intensity;
  Vec color;
  int type = 0;
};

struct TypeLook {
  bool vector_color = false, color_log = false, color_asinh = false, intensity_log = false;
  double color_min = NAN, color_max = NAN, intensity_min = NAN, intensity_max = NAN;
  double brightness = 1, smooth_factor = 1, size_fac = 1, size_fix = 0;
  std::vector<Vec> palette{{0, 0, 0}, {1, 1, 1}};
};

struct Scene {
  std::vector<Particle> particles;
  std::map<int, TypeLook> looks{{0, {}}};
  Vec camera{0, 0, 1}, lookat{0, 0, 0}, sky{0, 1, 0};
  std::optional<Vec> center;  // stereo: between the eyes, of which the camera is one
  bool perspective = true, a_eq_e = true, periodic = false;
  double box = 0;
  double fov = 45, zmin = 0, zmax = 1e23, minrad_pix = 1, gray = 0.2;
  double gamma = 1, brightness = 0, contrast = 1;
  int sort_type = 1, width = 64, height = 64;
};

inline double dot(const Vec& a, const Vec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vec scaled(const Vec& a, double s) {
  return {a[0] * s, a[1] * s, a[2] * s};
}

// §1: value → transform → [0, 1] by the type's own data range where no limit is given.
inline std::vector<double> ranged(const std::vector<double>& values, bool log, bool asinh,
                                  double low, double high) {
  std::vector<double> t;
  double data_low = 1e300, data_high = -1e300;
  for (double v : values) {
    double x = v;
    if (log) x = v > 0 ? std::log10(v) : -38;
    if (!log && asinh) x = std::asinh(v);
    if (!(log && v <= 0)) {
      data_low = std::min(data_low, x);
      data_high = std::max(data_high, x);
    }
    t.push_back(x);
  }
  if (!std::isnan(low)) data_low = low;
  if (!std::isnan(high)) data_high = high;
  for (double& x : t)
    x = data_high == data_low
            ? 1
            : (std::clamp(x, data_low, data_high) - data_low) / (data_high - data_low);
  return t;
}

inline Vec palette_color(const std::vector<Vec>& palette, double t) {
  const double place = t * double(palette.size() - 1);
  const auto k = std::min(std::size_t(place), palette.size() - 2);
  Vec out;
  for (std::size_t c = 0; c < 3; ++c)
    out[c] = palette[k][c] + (place - double(k)) * (palette[k + 1][c] - palette[k][c]);
  return out;
}

// The image's light in [.., ..] before the conversion to 8 bits: height × width × 3, file order.
inline std::vector<double> render(const Scene& s) {
  struct Drawn {
    double x, y, z, width, sigma;
    Vec e;
  };
  std::vector<Drawn> drawn;
  // §3: with a center the axes and the distance are the center's; positions stay relative to the
  // camera.
  const Vec middle = s.center.value_or(s.camera);
  Vec back = {middle[0] - s.lookat[0], middle[1] - s.lookat[1], middle[2] - s.lookat[2]};
  const double distance = std::sqrt(dot(back, back));
  back = scaled(back, 1 / distance);
  Vec right = cross(s.sky, back);
  right = scaled(right, 1 / std::sqrt(dot(right, right)));
  const Vec up = cross(back, right);
  const double tangent = std::tan(s.fov * M_PI / 360), half = s.width / 2.0;
  const double ycorr = (s.height - s.width) / 2.0;
  const Vec aside = {middle[0] - s.camera[0], middle[1] - s.camera[1], middle[2] - s.camera[2]};
  const double shift_x = -half / (tangent * distance) * dot(right, aside);
  const double shift_y = -half / (tangent * distance) * dot(up, aside);

  for (const auto& [type, look] : s.looks) {
    std::vector<double> intensity, colors;
    std::vector<const Particle*> members;
    for (const auto& p : s.particles)
      if (p.type == type) {
        members.push_back(&p);
        intensity.push_back(p.intensity);
        for (std::size_t c = 0; c < (look.vector_color ? 3u : 1u); ++c)
          colors.push_back(p.color[c]);
      }
    intensity =
        ranged(intensity, look.intensity_log, false, look.intensity_min, look.intensity_max);
    colors = ranged(colors, look.color_log, look.color_asinh, look.color_min, look.color_max);
    for (std::size_t i = 0; i < members.size(); ++i) {
      Vec d = members[i]->position;
      for (std::size_t c = 0; c < 3; ++c) {
        if (s.periodic) {
          if (d[c] - s.lookat[c] > s.box / 2)
            d[c] -= s.box;
          else if (d[c] - s.lookat[c] < -s.box / 2)
            d[c] += s.box;
        }
        d[c] -= s.camera[c];
      }
      const double z = dot(back, d);
      if (!(-z > s.zmin && -z < s.zmax)) continue;
      const double scale = s.perspective ? -half / (tangent * z) : half / (tangent * distance);
      const double r = look.size_fix != 0 ? look.size_fix : members[i]->radius * look.size_fac;
      const double r0 = 2 * r * scale * look.smooth_factor;
      const double full = std::sqrt(r0 * r0 + s.minrad_pix * s.minrad_pix);
      const Vec color = look.vector_color ? Vec{colors[3 * i], colors[3 * i + 1], colors[3 * i + 2]}
                                          : palette_color(look.palette, colors[i]);
      const double amount =
          intensity[i] * look.brightness * 0.5 * (0.5 * std::pow(M_PI, -5.0 / 6)) / (r * full / r0);
      drawn.push_back({half + scale * dot(right, d) + shift_x,
                       half + ycorr + scale * dot(up, d) + shift_y, z, 0.75 * full,
                       0.5 * std::pow(M_PI, -1.0 / 6) * full, scaled(color, amount)});
    }
  }
  if (!s.a_eq_e && s.sort_type > 0)
    std::stable_sort(drawn.begin(), drawn.end(), [&](const Drawn& a, const Drawn& b) {
      switch (s.sort_type) {
        case 2:
          return a.e[0] > b.e[0];
        case 3:
          return a.e[0] < b.e[0];
        case 4:
          return a.width > b.width;
        default:
          return a.z < b.z;
      }
    });

  std::vector<double> image(std::size_t(s.width) * std::size_t(s.height) * 3, 0.0);
  for (const Drawn& p : drawn) {
    // Clamped before truncation so that giants don't overflow an int.
    auto truncated = [](double v) { return int(std::clamp(v, -1e6, 1e6)); };
    for (int x = std::max(0, truncated(p.x - p.width + 1));
         x < std::min(s.width, truncated(p.x + p.width + 1)); ++x) {
      const double dx = x - p.x;
      const double column = std::sqrt(std::max(0.0, p.width * p.width - dx * dx));
      for (int y = std::max(0, truncated(p.y - column + 1));
           y < std::min(s.height, truncated(p.y + column + 1)); ++y) {
        const double att = std::exp(-(dx * dx + (y - p.y) * (y - p.y)) / (p.sigma * p.sigma));
        double* light = image.data() + 3 * (std::size_t(y) * std::size_t(s.width) + std::size_t(x));
        for (std::size_t c = 0; c < 3; ++c) {
          if (s.a_eq_e) {
            light[c] += att * p.e[c];
          } else {
            const double q = p.e[c] / (p.e[c] + s.gray);
            light[c] += (light[c] - q) * (std::exp(-att * p.e[c]) - 1);
          }
        }
      }
    }
  }
  for (double& light : image) {
    if (s.a_eq_e) light = 1 - std::exp(-light);
    if (s.gamma != 1 || s.brightness != 0 || s.contrast != 1)
      light = s.contrast * std::pow(light, s.gamma) + s.brightness;
  }
  return image;
}

}  // namespace splotch_reference
