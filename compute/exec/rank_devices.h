#pragma once

#include "compute/exec/device.h"
#include "compute/exec/gpus.h"
#include "compute/exec/ranks.h"

#include <string>
#include <vector>

// Which GPUs the ranks of a job compute on.
namespace haloscope::compute {

// The device of this rank by a word of --device, as choose_device() takes it. "cuda": each rank
// gets a GPU of its own, the first that it sees and that no rank before it on its machine has.
// "auto": the same where every rank can have one, else the processor for all. All ranks call it,
// each with the name of its machine; one Error, the same on all of them, tells why it cannot be:
// more ranks than GPUs, a GPU that is of no use, the number of a single one.
Device choose_device_of_rank(const std::string& word, Ranks& ranks, const std::string& host,
                             const Gpus& gpus = gpus_here());

// Checks a word for the GPUs of one process: "all", or numbers with commas between. Asks no driver.
// Throws Error for other words, and where a number stands there twice.
void check_gpus_word(const std::string& word);

// The GPUs that such a word names; "all": those that this build can use. Throws Error where one of
// them, or any at all, cannot be had: one sentence that tells which there are.
std::vector<Device> choose_gpus(const std::string& word, const Gpus& gpus = gpus_here());

}  // namespace haloscope::compute
