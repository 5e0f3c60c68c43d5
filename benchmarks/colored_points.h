#pragma once

#include "benchmarks/universe.h"
#include "compute/exec/device.h"
#include "compute/exec/resident_labels.h"
#include "compute/splotch/renderer.h"

#include <functional>
#include <memory>

namespace haloscope::benchmarks {

// The points as a picture's particles.
std::unique_ptr<compute::splotch::Renderer> draw_points(const Universe& u, compute::Device device);

// Times `label`, and the colors of all particles by its labels, and prints "labels … ms; colors …
// ms; both … ms" without an end of line. Where labels do not stay on the picture's GPU, there are
// no times of colors.
void measure_colors(compute::splotch::Renderer& renderer, int repeats,
                    const std::function<std::shared_ptr<const compute::ResidentLabels>()>& label);

}  // namespace haloscope::benchmarks
