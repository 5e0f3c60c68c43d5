#include "compute/splotch/make_splats_cpu.h"

#include "compute/splotch/layer.h"
#include "core/simd_clones.h"

#include <algorithm>

namespace haloscope::compute::splotch {

namespace {

template <Mode M, bool Labeled>
inline __attribute__((always_inline)) std::size_t make_each(const Projector<Real<M>>& projector,
                                                            const Layer& layer, float large_radius,
                                                            std::size_t first, std::size_t last,
                                                            Splat* out, SplatTally& tally) {
  SplatTally local;
  const float pixels = float(projector.width) * float(projector.height);
  std::size_t made = 0;
  for (std::size_t i = first; i < last; ++i) {
    Class c;
    if constexpr (Labeled)
      c = make_splat<M>(projector, load_particle(layer.columns, i), layer.shading, large_radius,
                        out[made], layer.shading.tints[layer.columns.label[i]]);
    else
      c = make_splat<M>(projector, load_particle(layer.columns, i), layer.shading, large_radius,
                        out[made]);
    local.count(c, c == Class::Inactive ? 0.f : out[made].radius, pixels);
    if (c != Class::Inactive) local.count_wide(out[made++].radius, pixels);
  }
  tally += local;
  return made;
}

// The particles of a block, unpacked all at once, by SIMD instructions.
struct UnpackedBlock {
  alignas(64) std::uint32_t x[spatial::kPointBlock], y[spatial::kPointBlock],
      z[spatial::kPointBlock];
  alignas(64) float radius[spatial::kPointBlock];
};

// Packed particles [first, first + count) of one block as a layer of their own.
inline __attribute__((always_inline)) Layer unpack_block(const Layer& layer, std::size_t first,
                                                         std::size_t count, UnpackedBlock& to) {
  Layer part = slice(layer, first, count);
  Columns& columns = part.columns;
  const spatial::PointBlock block = *columns.position.blocks;
  const spatial::Positions position = columns.position;
  for (std::size_t k = 0; k < count; ++k) {
    const spatial::FixedPoint at = block.place(position.words(k));
    to.x[k] = at.x;
    to.y[k] = at.y;
    to.z[k] = at.z;
  }
  if (block.is_loose()) {
    columns.radius += std::size_t(block.loose) * spatial::kPointBlock;
  } else {
    for (std::size_t k = 0; k < count; ++k) to.radius[k] = block.radius(position.words(k));
    columns.radius = to.radius;
  }
  columns.position = {to.x, to.y, to.z};
  return part;
}

template <Mode M>
inline __attribute__((always_inline)) std::size_t make_unpacked(const Projector<Real<M>>& projector,
                                                                const Layer& layer,
                                                                float large_radius,
                                                                std::size_t first, std::size_t last,
                                                                Splat* out, SplatTally& tally) {
  if constexpr (M == Mode::Default)
    if (layer.shading.tints)
      return make_each<M, true>(projector, layer, large_radius, first, last, out, tally);
  return make_each<M, false>(projector, layer, large_radius, first, last, out, tally);
}

template <Mode M>
inline __attribute__((always_inline)) std::size_t make_splats(const Projector<Real<M>>& projector,
                                                              const Layer& layer,
                                                              float large_radius, std::size_t first,
                                                              std::size_t last, Splat* out,
                                                              SplatTally& tally) {
  UnpackedBlock block;
  std::size_t made = 0;
  const bool packed = layer.columns.packed();
  const std::size_t most = packed ? spatial::kPointBlock : last - first;
  for (std::size_t at = first; at < last; at += most) {
    const std::size_t count = std::min(last - at, most);
    const Layer part = packed ? unpack_block(layer, at, count, block) : slice(layer, at, count);
    made += make_unpacked<M>(projector, part, large_radius, 0, count, out + made, tally);
  }
  return made;
}

}  // namespace

// Clones cannot be templates, hence the macro. They exist for their fused multiply-adds: plain
// x86-64 calls a library function for each.
#define HALOSCOPE_MAKE_SPLATS(MODE)                                                          \
  HALOSCOPE_SIMD_CLONES __attribute__((flatten)) std::size_t make_splats_##MODE(             \
      const Projector<Real<Mode::MODE>>& projector, const Layer& layer, float large_radius,  \
      std::size_t first, std::size_t last, Splat* out, SplatTally& tally) {                  \
    return make_splats<Mode::MODE>(projector, layer, large_radius, first, last, out, tally); \
  }                                                                                          \
  template <>                                                                                \
  std::size_t make_splats_on_cpu<Mode::MODE>(                                                \
      const Projector<Real<Mode::MODE>>& projector, const Layer& layer, float large_radius,  \
      std::size_t first, std::size_t last, Splat* out, SplatTally& tally) {                  \
    return make_splats_##MODE(projector, layer, large_radius, first, last, out, tally);      \
  }

HALOSCOPE_MAKE_SPLATS(Classic)
HALOSCOPE_MAKE_SPLATS(Default)
HALOSCOPE_MAKE_SPLATS(Map)

}  // namespace haloscope::compute::splotch
