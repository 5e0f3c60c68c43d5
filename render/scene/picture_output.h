#pragma once

#include "compute/splotch/renderer.h"
#include "core/image.h"
#include "render/colors/tone_map.h"
#include "render/files/image_file.h"
#include "render/scene/map_picture.h"
#include "render/scene/render_request.h"
#include "render/scene/shown_sets.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace haloscope::render {

// Throws Error unless `request.output` has an extension that its mode can be written as, and can be
// written at all. Called before anything is read.
void require_output(const RenderRequest& request);

// Host memory that a picture takes while it is drawn and written: sums and image of light or of a
// map, display values, and overlays.
std::uint64_t picture_bytes(PixelSize size);
// Whether somebody should know of it before the drawing.
bool is_worth_telling(std::uint64_t bytes);
// "A picture of 16384 x 16384 pixels takes 14.0 GiB of memory while it is drawn."
std::string memory_in_words(PixelSize size);

// What is chosen from a picture so that it is neither black nor white; a film chooses it once.
struct Exposure {
  ToneCurve curve;                     // default mode
  double brightness = 1;               // classic: factor on all optical depths
  compute::splotch::Ranging map = {};  // a map: scale and limits where its look leaves them open
};
// `sets`: those that the frame shows.
Exposure choose_exposure(const RenderRequest& request, const compute::splotch::Frame& frame,
                         const ShownSets& sets);

// The display values of a frame of default or classic mode, or of a map in place of its light.
Image8 display_picture(const RenderRequest& request, const ImageF& image, const Exposure& exposure);

// Done to display values before they are written.
using FinishPicture = std::function<Image8(const Image8&)>;

// Turns a frame of default or classic mode into the file `request.output`, with the slice over it
// that the view sees; an .exr holds light alone, and no slice.
void write_picture(const RenderRequest& request, const ImageF& image, const Exposure& exposure,
                   const ImageText& text, const ShownSlice& slice,
                   const compute::splotch::View& view, const FinishPicture& finish = {});
// The same with the exposure that suits the frame. Returns sentences about what was chosen.
std::vector<std::string> write_picture(const RenderRequest& request,
                                       const compute::splotch::Frame& frame, const ShownSets& sets,
                                       const ImageText& text, const ShownSlice& slice,
                                       const compute::splotch::View& view,
                                       const FinishPicture& finish = {});

}  // namespace haloscope::render
