#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What a picture is made of, as plain data: camera, appearance of each particle type, and how to
// compute. Units: world lengths are the snapshot's code units; image lengths are pixels.
namespace haloscope::compute::splotch {

enum class Mode {
  Classic,  // what Splotch 6 computes, to 1/255 of its 8-bit image
  Default,  // flux-conserving, soft near plane, linear HDR
  Map       // physical surface density of one or two weights; exact flux
};

// Two planes across an axis (0 is x), world lengths. In a periodic domain the way leads from `low`
// upwards to `high`, over the edge where `high` is below.
struct Planes {
  std::size_t axis = 0;
  double low = 0, high = 0;
};

struct View {
  std::array<double, 3> eye{0, 0, 1};
  std::array<double, 3> target{0, 0, 0};
  std::array<double, 3> up{0, 1, 0};
  bool perspective = true;
  double fov_degrees = 45;  // horizontal
  // Orthographic image width in world lengths; 0: as wide as the perspective view is at the target.
  double ortho_width = 0;
  int width = 800;
  int height = 800;
  // Kept: depths in (z_near, z_far), measured along the line of sight.
  double z_near = 0;
  double z_far = 1e23;
  // Kept: particles whose positions lie between them.
  std::optional<Planes> planes;
  // Classic stereo: middle between the eyes; has the axes, and no parallax at its target distance.
  std::optional<std::array<double, 3>> stereo_center;
  // Of a part of a larger picture: where the line of sight lies, in columns and rows from the
  // middle of the part.
  std::array<double, 2> line_of_sight{0, 0};
};

enum class Transform { Linear, Log, Asinh };

// value → transform → [low, high] → [0, 1]. Limits are in transformed units (3.5 means 10^3.5).
struct Ranging {
  Transform transform = Transform::Linear;
  float low = 0;
  float high = 1;
};

// How the light of all particles with one label is changed.
struct Tint {
  std::array<float, 3> color{1, 1, 1};
  float strength = 0;    // 0: a particle's own color, 1: `color` in its place
  float brightness = 1;  // 0 to 1, of the light; 0: not drawn at all
};
inline constexpr std::size_t kTints = 16;

// How the particles of one type look. `palette` has at least one RGB node, or is ignored when the
// color is a vector.
struct Appearance {
  Ranging color;
  Ranging intensity;  // classic mode only
  std::vector<std::array<float, 3>> palette;
  float brightness = 1;
  float radius_factor = 1;  // stored radius → radius in world lengths (size_fac)
  float fixed_radius = 0;   // used instead of the stored radius where not 0 (size_fix)
  float smooth_factor = 1;  // widens the splat but not its 1/r (classic: smooth_factor<t>)
  bool uses_color = true;   // false: as if its particles had none; a map has one sum less then
  // By label (Renderer::label), at most kTints; labels beyond change nothing. Default mode only.
  std::vector<Tint> tints = {};
};

enum class Strategy { Auto, Paper };
enum class LargeOn { Auto, Cpu, Gpu };
// Back-to-front order of the absorbing model (A ≠ E); numbers are Splotch's sort_type.
enum class AbsorptionOrder {
  None = 0,
  Depth = 1,
  RedDescending = 2,
  RedAscending = 3,
  RadiusDescending = 4
};

struct Options {
  Mode mode = Mode::Default;
  bool absorption = false;  // classic: A ≠ E
  float gray_absorption = 0.2f;
  AbsorptionOrder absorption_order = AbsorptionOrder::Depth;
  float min_radius_pixels = 1;  // classic: minrad_pix
  Strategy strategy = Strategy::Auto;
  LargeOn large = LargeOn::Auto;
  bool deterministic = false;
  // Default mode: draw each splat pixel by pixel, however wide it is (levels.h), and in full
  // precision, however small (plain_runs.cuh).
  bool exact = false;
  // n: draw about every n-th particle with n times its light, so that the picture expected is that
  // of all, in about 1/n of the time. A power of two up to 64; see sample.h. Ignored by the
  // absorbing model, which is not linear in the particles.
  int sample = 1;
  // Leave the picture on the GPU, for a window there; ignored on the CPU.
  bool keep_on_device = false;
};

// Host columns of one type, all of length `count` where not null; the renderer copies them.
// `radius`: H, the support radius (classic: Splotch's r), ≤ 0 or null: from the local spacing.
struct TypeInput {
  std::uint64_t count = 0;
  std::array<const std::uint32_t*, 3> position{};
  const float* radius = nullptr;
  std::array<const float*, 3> color{};  // one or three columns; none: palette's last node
  // > 0: color by the number density inside the radius, made on the fly: this many over 4πH³/3;
  // `color` stays empty.
  float density_color = 0;
  const float* weight = nullptr;  // classic: intensity; default and maps: mass
  float uniform_weight = 1;       // where `weight` is null
  // Keep position, radius and row of a particle in 16 bytes where they fit the device, in place of
  // 20. Radii are within 2⁻¹⁷ of themselves then: not for pictures that are compared to the bit.
  bool packed = false;
  // Keep the row of a particle in host memory but while somebody needs it, and four bytes less on
  // a GPU.
  bool rows_aside = false;
};

// How many particles fell in each class in the last frame, and the work they made.
struct Counts {
  std::uint64_t particles = 0;
  std::uint64_t inactive = 0;
  std::uint64_t small = 0;
  std::uint64_t medium = 0;
  std::uint64_t large = 0;
  std::uint64_t large_on_cpu = 0;
  double mean_radius_pixels = 0;  // of the active ones (auto strategy)
  // About how often exact drawing adds to a pixel: 1 per small particle, πr² per other (auto
  // strategy).
  double pixel_updates = 0;
};

}  // namespace haloscope::compute::splotch
