#include "benchmarks/universe.h"

#include "core/error.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdio>

namespace haloscope::benchmarks {

Statistics statistics(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  return {samples[n / 2], samples.front(), samples[std::min(n - 1, n * 95 / 100)]};
}

Universe read_universe(const std::string& path, double box) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) throw Error("cannot be opened", path, "make it with a universe generator");
  std::fseek(file, 0, SEEK_END);
  const std::size_t n = std::size_t(std::ftell(file)) / 12;
  std::rewind(file);
  Array<float> xyz(3 * n);
  const bool complete = std::fread(xyz.data(), 12, n, file) == n;
  std::fclose(file);
  if (!complete) throw BadFile("ends early", path);
  Universe u;
  u.domain.side = box;
  u.domain.periodic = true;
  for (auto& p : u.position) p = Array<std::uint32_t>(n);
  tbb::parallel_for(std::size_t(0), n, [&](std::size_t i) {
    for (std::size_t c = 0; c < 3; ++c)
      u.position[c][i] = u.domain.to_fixed(xyz[3 * i + c], int(c));
  });
  return u;
}

}  // namespace haloscope::benchmarks
