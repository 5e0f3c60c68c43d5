#pragma once

#include "analysis/color_choice.h"
#include "analysis/option_parsing/any_options.h"
#include "analysis/selection/set_members.h"
#include "analysis/snapshot/field_choice.h"
#include "analysis/snapshot/snapshot_options.h"
#include "compute/exec/device.h"
#include "compute/splotch/settings.h"
#include "core/text_values.h"
#include "io/loading/kept_lengths.h"
#include "io/loading/selection.h"
#include "render/camera.h"
#include "render/colors/tone_map.h"
#include "render/scene/map_look.h"
#include "render/scene/slab_choice.h"
#include "render/scene/slice_picture.h"
#include "render/scene/type_choice.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::render {

// How to compute; common to all commands that draw.
struct ComputeRequest {
  std::string device = "auto";  // a word of compute::choose_device()
  std::string gpus;             // of several at once, a word of compute::choose_gpus(); empty: one
  std::optional<compute::Device> chosen = {};  // in place of these words
  // That draw the window together, in place of `gpus`; empty: one does.
  std::vector<compute::Device> devices = {};
  // The GPU that draws the window: "auto" takes it, so that pictures need not leave it.
  std::optional<compute::GpuId> window_gpu;
  compute::splotch::Strategy strategy = compute::splotch::Strategy::Auto;
  compute::splotch::LargeOn large = compute::splotch::LargeOn::Auto;
  bool deterministic = false;
  bool exact = false;                  // default mode: no splat on a coarser level
  std::uint64_t gpu_memory_bytes = 0;  // 0: what the GPU has free

  // May wake the GPU. Throws Error where the device cannot be had.
  compute::Device choose() const {
    return chosen ? *chosen : compute::choose_device(device, window_gpu);
  }
};

// What is searched for, for particles to have its colors.
struct ColorSearch {
  std::string finder;
  analysis::AnyOptions options;
  std::string field;                // of what is found; empty: the colors of its pieces
  analysis::ColorChoice look = {};  // of the field
  bool measured = false;            // its pieces too, which are circled
};

// A slice of the grid of what is searched for, over the picture.
struct SliceSearch {
  std::string finder;
  analysis::AnyOptions options;
  SliceChoice choice;
  ShownSlice known = {};  // that need not be searched for
};

// Sets of particles that are shown.
struct SetSearch {
  analysis::ShowSets how = analysis::ShowSets::Highlight;
  std::vector<analysis::NamedSet> sets;
  std::vector<std::string> series;  // that SelectionChoice.made_in counts
  std::string follow = {};          // in films the set whose middle is the target; empty: none
  // Who is in them, where that is known already of the snapshot that is drawn.
  std::shared_ptr<const analysis::SetMembers> known = nullptr;
};

// `haloscope render` as plain data.
struct RenderRequest {
  std::string snapshot, output;
  analysis::SnapshotOptions said;  // of the snapshot
  io::Selection selection;
  std::optional<PixelSize> size;
  std::vector<std::string> types;  // names or numbers; empty: all that are shown at first
  // Types that are not shown at first are read as well, for one who switches them on and off.
  bool hidden_too = false;
  std::optional<analysis::FieldChoice> color;
  std::optional<std::array<double, 2>> range;  // in the field's own units
  std::string palette;                         // name or file; empty: each type's own
  std::string state;                           // a file with what is left open (--state)
  std::map<int, TypeChoice> choices;           // by type number, over what stands above
  CameraChoice camera;
  compute::splotch::Mode mode = compute::splotch::Mode::Default;
  std::string mean_field;          // maps: empty: surface density
  std::vector<double> brightness;  // one for all types, or one for each
  // Powers of two, and the power of the display values; none: 0 and 1, or the state's.
  std::optional<double> exposure_ev, gamma;
  std::optional<ToneCurve> tone;  // default: what suits the picture
  // Pictures on white, for print; none: the state's, or dark.
  std::optional<bool> white_ground = {};
  double smooth = 1;
  int neighbors = 32;  // inside a smoothing length that the file lacks; 0: estimate it
  io::KeepLengths keep_lengths = io::KeepLengths::Beside;  // of the last
  ComputeRequest compute;
  int repeat = 1;
  std::string stats;
  bool overwrite = false;  // replaces also files of others
  bool quiet = false;
  std::optional<ColorSearch> color_by;  // in place of the particles' own colors
  std::optional<SliceSearch> slice;     // not of maps
  std::optional<SetSearch> sets;        // default mode only
  // What the window draws over its stills is drawn over the picture too: names of
  // session::overlay_names(), and "usual" for those of the state file, else of a new window.
  std::optional<std::vector<std::string>> overlays;
  std::optional<double> letter_size = {};  // a factor on those of overlays; none: the state's
  SlabChoice slab = {};                    // what is drawn, by where it is
  MapLook map = {};                        // in place of light, in default mode
};

}  // namespace haloscope::render
