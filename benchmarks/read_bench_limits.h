#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What the machine can do with the same bytes and no work on them. All in seconds.

// `cat FILES > /dev/null`, with the start of the process.
double time_cat(const std::vector<std::string>& files);

// All bytes of the files by every core at once into cache-sized buffers.
double time_parallel_copy(const std::vector<std::string>& files);

// Every core writes to fresh memory of huge pages for the first time. Of two turns the second: what
// the first one gives back is then this machine's own, where a virtual machine would otherwise have
// to ask its host.
double time_fresh_memory(std::uint64_t bytes);

// The compressed chunks of datasets, held in memory.
struct CompressedChunks {
  std::vector<std::vector<unsigned char>> chunks;
  std::vector<std::uint64_t> decompressed;  // bytes of each
  std::uint64_t bytes = 0;                  // compressed, together

  // Of the datasets that are chunked and compressed by deflate as the last filter.
  void add(const std::string& file, const std::string& dataset);
};

// Decompresses every chunk on all cores into one buffer per core, with libdeflate where `fast`,
// else with zlib; undoes no other filter.
double time_inflate(const CompressedChunks& chunks, bool fast);

// Resident memory of this process: now, and at most since reset_peak_memory().
std::uint64_t resident_memory();
std::uint64_t peak_memory();
void reset_peak_memory();
