#include "benchmarks/set_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace haloscope::benchmarks {

namespace {

using Rows = std::span<const SetRow>;

struct Column {
  std::string title;
  std::function<std::string(const SetRow&)> tell;
  bool is_figure = true;  // there is none where a row has no figures
};

bool any(Rows rows, bool (*is)(const SetRow&)) {
  return std::any_of(rows.begin(), rows.end(), is);
}

std::string threads_word(const SetRow& row) {
  if (row.is_gpu()) return "";
  return row.threads > 0 ? std::to_string(row.threads) : "all";
}

std::vector<Column> names() {
  return {{"set", [](const SetRow& row) { return row.set; }, false},
          {"cells", [](const SetRow& row) { return row.cells; }, false},
          {"type", [](const SetRow& row) { return row.type; }, false},
          {"neighbors", [](const SetRow& row) { return std::to_string(row.neighbors); }, false},
          {"device", [](const SetRow& row) { return row.device; }, false},
          {"threads", threads_word, false},
          {"method", [](const SetRow& row) { return row.method; }, false}};
}

std::vector<Column> times() {
  return {{"runs", [](const SetRow& row) { return std::to_string(row.runs); }},
          {"ms", [](const SetRow& row) { return fmt::format("{:.2f}", row.measured.wall.median); }},
          {"range",
           [](const SetRow& row) {
             return fmt::format("{:.2f} to {:.2f}", row.measured.wall.low, row.measured.wall.high);
           }},
          {"Mvoxel/s", [](const SetRow& row) { return fmt::format("{:.1f}", row.rate()); }}};
}

// What not all devices and jobs have is told only where one has it.
std::vector<Column> columns_of(Rows rows) {
  std::vector<Column> columns = names();
  for (Column& column : times()) columns.push_back(std::move(column));
  const auto add = [&](std::string title, std::function<std::string(const SetRow&)> tell) {
    columns.push_back({std::move(title), std::move(tell)});
  };
  add("ms without upload and download",
      [](const SetRow& row) { return fmt::format("{:.2f}", row.on_device); });
  if (any(rows, [](const SetRow& row) { return row.is_gpu(); }))
    add("device memory until then, B per cell", [](const SetRow& row) {
      return row.is_gpu() ? fmt::format("{:.1f}", double(row.bytes) / 1e6 / row.megavoxels) : "";
    });
  if (any(rows, [](const SetRow& row) { return !row.is_gpu(); }))
    add("Mvoxel per core-second", [](const SetRow& row) {
      return row.is_gpu() ? "" : fmt::format("{:.2f}", row.core_rate());
    });
  add("maxima", [](const SetRow& row) { return std::to_string(row.maxima); });
  add("pairs", [](const SetRow& row) { return std::to_string(row.pairs); });
  add("times the first method",
      [](const SetRow& row) { return row.times > 0 ? fmt::format("{:.2f}", row.times) : ""; });
  add("times as fast as its first row",
      [](const SetRow& row) { return row.faster > 0 ? fmt::format("{:.2f}", row.faster) : ""; });
  if (any(rows, [](const SetRow& row) { return !row.cancelled.empty(); }))
    add("cancelled half-way: ended ms later", [](const SetRow& row) { return row.cancelled; });
  return columns;
}

void print_line(const std::vector<std::string>& words) {
  for (const std::string& word : words) fmt::print("| {} ", word);
  fmt::print("|\n");
}

void print_head(const std::vector<std::string>& titles) {
  fmt::print("\n");
  print_line(titles);
  for (std::size_t k = 0; k < titles.size(); ++k) fmt::print("|---");
  fmt::print("|\n");
}

void print_all(Rows rows) {
  const std::vector<Column> columns = columns_of(rows);
  std::vector<std::string> titles;
  for (const Column& column : columns) titles.push_back(column.title);
  print_head(titles);
  for (const SetRow& row : rows) {
    std::vector<std::string> words;
    for (const Column& column : columns)
      words.push_back(column.is_figure && !row.missing.empty() ? "" : column.tell(row));
    // In place of the first figure.
    if (!row.missing.empty()) words[names().size()] = row.missing;
    print_line(words);
  }
}

std::string way_of(const SetRow& row) {
  const std::string threads = threads_word(row);
  return row.device + (threads.empty() ? "" : " " + threads) + " " + row.method;
}

bool is_same_job(const SetRow& a, const SetRow& b) {
  return a.set == b.set && a.cells == b.cells && a.neighbors == b.neighbors;
}

// Seconds: a line for each job, a column for each device, number of threads and method.
void print_seconds(Rows rows) {
  std::vector<std::string> titles{"set", "cells", "type", "neighbors", "maxima"};
  const std::size_t before = titles.size();
  for (const SetRow& row : rows)
    if (std::find(titles.begin() + std::ptrdiff_t(before), titles.end(), way_of(row)) ==
        titles.end())
      titles.push_back(way_of(row));
  if (titles.size() == before + 1) return;  // the rows tell it
  fmt::print("\nSeconds:\n");
  print_head(titles);
  for (std::size_t k = 0; k < rows.size();) {
    const SetRow& first = rows[k];
    std::vector<std::string> words{first.set, first.cells, first.type,
                                   std::to_string(first.neighbors), ""};
    words.resize(titles.size());
    for (; k < rows.size() && is_same_job(rows[k], first); ++k) {
      const SetRow& row = rows[k];
      if (row.maxima > 0) words[before - 1] = std::to_string(row.maxima);
      const auto way =
          std::find(titles.begin() + std::ptrdiff_t(before), titles.end(), way_of(row));
      words[std::size_t(way - titles.begin())] =
          row.missing.empty() ? fmt::format("{:.4f}", row.measured.wall.median / 1e3) : row.missing;
    }
    print_line(words);
  }
}

}  // namespace

void print_rows(std::span<const SetRow> rows) {
  if (rows.empty()) return;
  print_all(rows);
  print_seconds(rows);
}

}  // namespace haloscope::benchmarks
