#pragma once

#include "analysis/run_context.h"
#include "compute/exec/device.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::cli {

// The devices that --gpus names; none: it was not given. Throws Error where they cannot be had, and
// where --device or a launcher says something else.
std::vector<compute::Device> devices_of_gpus(const std::string& gpus, const std::string& device,
                                             const analysis::RunContext& context);

// Calls work(its context, its device) for each device, on a thread of its own: these are the ranks
// of one process. The first one's context prints and reports progress, those of others are silent.
// Where one fails the others are cancelled, and its fault is thrown when all have ended; where
// somebody cancels the progress of `context`, all end with Cancelled.
void run_on_devices(
    const std::vector<compute::Device>& devices, analysis::RunContext& context,
    const std::function<void(analysis::RunContext& own, compute::Device device)>& work);

// Calls work(its context, its device) for a search: once without a device where there are no
// devices, else as above. Faults name options by their flags.
void search_on_devices(const std::vector<compute::Device>& devices, analysis::RunContext& context,
                       const std::function<void(analysis::RunContext& own,
                                                std::optional<compute::Device> device)>& work);

}  // namespace haloscope::app::cli
