#include "analysis/plot_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace haloscope::analysis {

namespace {

struct Column {
  const char* name;
  double PlotPoint::*member;
};

constexpr Column kColumns[] = {{"x", &PlotPoint::x},           {"x_low", &PlotPoint::x_low},
                               {"x_high", &PlotPoint::x_high}, {"y", &PlotPoint::y},
                               {"y_low", &PlotPoint::y_low},   {"y_high", &PlotPoint::y_high}};

bool is_used(const Plot& plot, const Column& column) {
  return std::any_of(plot.layers.begin(), plot.layers.end(), [&](const PlotLayer& layer) {
    return !layer.guide &&
           std::any_of(layer.points.begin(), layer.points.end(),
                       [&](const PlotPoint& point) { return !std::isnan(point.*column.member); });
  });
}

// A line of its own in the comment, whatever stands in it.
std::string comment(const std::string& words) {
  std::string line = words;
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return "# " + line + "\n";
}

// As CSV wants it: in quotes where it holds a comma or a quote.
std::string field(const std::string& words) {
  if (words.find_first_of(",\"\r\n") == std::string::npos) return words;
  std::string quoted = "\"";
  for (const char c : words) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string number(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

// A row for each bin that has a value.
std::string map_rows(const PlotMap& map) {
  std::string text = "x_low,x_high,y_low,y_high,value\n";
  const std::size_t rows = map.y_edges.size() - 1;
  for (std::size_t k = 0; k < map.values.size(); ++k) {
    if (std::isnan(map.values[k])) continue;
    const std::size_t i = k / rows, j = k % rows;
    text += fmt::format("{},{},{},{},{}\n", map.x_edges[i], map.x_edges[i + 1], map.y_edges[j],
                        map.y_edges[j + 1], map.values[k]);
  }
  return text;
}

}  // namespace

std::string plain_title(const std::string& title) {
  std::string plain;
  for (std::size_t k = 0; k < title.size(); ++k) {
    const bool opens = k + 1 < title.size() && title[k + 1] == '{';
    if (title[k] == '_' && opens) continue;
    if (title[k] != '{' && title[k] != '}') plain += title[k];
  }
  return plain;
}

std::string plot_csv(const Plot& plot) {
  std::string text = comment("haloscope plot");
  if (!plot.title.empty()) text += comment(plain_title(plot.title));
  for (const std::string& note : plot.notes) text += comment(note);
  text += comment("x: " + plain_title(plot.x.title));
  text += comment("y: " + plain_title(plot.y.title));
  for (const PlotMark& mark : plot.marks)
    text += comment(fmt::format("line at {} = {}: {}", mark.across_x ? "x" : "y", mark.at,
                                plain_title(mark.name)));
  if (plot.map)
    return text + comment("value: " + plain_title(plot.map->colors.title)) + map_rows(*plot.map);
  std::vector<Column> columns;
  for (const Column& column : kColumns)
    if (is_used(plot, column)) columns.push_back(column);
  // Lines to compare with are no data.
  const bool several = std::count_if(plot.layers.begin(), plot.layers.end(),
                                     [](const PlotLayer& layer) { return !layer.guide; }) > 1;
  std::string head = several ? "layer" : "";
  for (const Column& column : columns) head += (head.empty() ? "" : ",") + std::string(column.name);
  text += head + "\n";
  for (const PlotLayer& layer : plot.layers) {
    if (layer.guide) continue;
    for (const PlotPoint& point : layer.points) {
      std::string row = several ? field(plain_title(layer.name)) : "";
      for (std::size_t k = 0; k < columns.size(); ++k)
        row += (k > 0 || several ? "," : "") + number(point.*columns[k].member);
      text += row + "\n";
    }
  }
  return text;
}

}  // namespace haloscope::analysis
