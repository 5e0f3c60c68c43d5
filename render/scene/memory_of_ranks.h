#pragma once

#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "core/text_values.h"
#include "render/scene/render_request.h"

#include <cstdint>
#include <string>

// What ranks of one machine take of its host memory together: told before they begin.
namespace haloscope::render {

// Host memory of this rank's part in a picture that all ranks draw on devices of this kind: a GPU
// sums up in its own memory, beside which the processor has sums for what it draws; the first rank
// gets the picture.
std::uint64_t picture_bytes_of_rank(const RenderRequest& request, PixelSize size,
                                    compute::Device device, bool is_first);

// Whether each rank has all of it, so that fewer ranks need less, or a part.
enum class HeldByRanks { Each, Parts };

// Throws Error where this machine has not the memory that its ranks need together, of which `own`
// is this one's. `gpus`: they are those of one process. `remedy`: what helps beside other ranks.
// All ranks call it.
void require_memory_of_ranks(compute::Ranks& ranks, bool gpus, HeldByRanks held, std::uint64_t own,
                             const std::string& purpose, const std::string& remedy);

// Whether each machine has the memory that its ranks need together, of which `own` is this one's.
// All ranks call it.
bool ranks_have_memory(compute::Ranks& ranks, std::uint64_t own);

}  // namespace haloscope::render
