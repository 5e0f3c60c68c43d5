// Tables of points: arrays of NumPy and text, and what neither may be.

#include "io/tables/point_table.h"

#include "core/error.h"
#include "io/tables/npy_file.h"
#include "tests/catch.h"
#include "tests/made/npy_files.h"
#include "tests/output_folder.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using test::npy_bytes;
using test::raw_bytes;

namespace {

std::string refusal(const test::OutputFolder& folder, const std::string& name,
                    const std::string& bytes) {
  test::put_bytes(folder.path(name), bytes);
  Progress progress;
  return test::message_of([&] { io::read_point_table(folder.path(name), progress); });
}

}  // namespace

TEST_CASE("arrays of both precisions, orders and versions are the same points", "[tables]") {
  const test::OutputFolder folder;
  const std::vector<double> rows{1, 2, 3, 4, 5, 6.5}, columns{1, 3, 5, 2, 4, 6.5};
  const std::vector<float> rows32{1, 2, 3, 4, 5, 6.5};
  const std::pair<const char*, std::string> files[] = {
      {"a.npy", npy_bytes("'<f8'", "(3, 2)", raw_bytes(rows))},
      {"b.npy", npy_bytes("'<f4'", "(3, 2)", raw_bytes(rows32))},
      {"c.npy", npy_bytes("'<f8'", "(3, 2)", raw_bytes(columns), "True")},
      {"d.npy", npy_bytes("'<f8'", "(3, 2)", raw_bytes(rows), "False", 2)},
      {"noending", npy_bytes("'<f8'", "(3, 2)", raw_bytes(rows), "False", 3)},
      {"e.csv", "# a comment\na,b\n1,2\n3, 4\n\n5,6.5\n"},
      {"f.txt", "1 2\n3\t4\n5 6.5"},
      {"g.csv", "1;2\n3;4\n5;6.5\n"}};
  for (const auto& [name, bytes] : files) {
    INFO(name);
    test::put_bytes(folder.path(name), bytes);
    CHECK(io::is_point_table(folder.path(name)));
    Progress progress;
    const io::PointTable table = io::read_point_table(folder.path(name), progress);
    CHECK(table.rows == 3);
    CHECK(table.columns == 2);
    REQUIRE(table.values.size() == rows.size());
    CHECK(std::vector<double>(table.values.begin(), table.values.end()) == rows);
  }
}

TEST_CASE("text with x, y, z and more is a snapshot, other text of numbers a table", "[tables]") {
  const test::OutputFolder folder;
  const auto is_table = [&](const std::string& text) {
    test::put_bytes(folder.path("t.csv"), text);
    return io::is_point_table(folder.path("t.csv"));
  };
  CHECK(is_table("x,y,z\n1,2,3\n"));
  CHECK(is_table("1,2,3,4\n"));
  CHECK(is_table("a,b,c,d\n1,2,3,4\n"));
  CHECK_FALSE(is_table("x,y,z,mass\n1,2,3,4\n"));
  CHECK_FALSE(is_table("# x y z vx vy vz\n1 2 3 4 5 6\n"));
  CHECK_FALSE(is_table("# haloscope halo catalog\nGroupLen,GroupMass\n1,2\n"));
  CHECK_FALSE(io::is_point_table(folder.path("nothing.npy")));
  CHECK_FALSE(io::is_point_table(folder.path()));
}

TEST_CASE("what is no table of points gets one sentence that says why", "[tables]") {
  const test::OutputFolder folder;
  const std::vector<double> four{1, 2, 3, 4};
  const std::string data = raw_bytes(four);
  const std::vector<double> bad{1, 2, 3, 4, std::numeric_limits<double>::quiet_NaN(), 6};
  const std::vector<double> far{1, 2, 3, -std::numeric_limits<double>::infinity()};
  const std::pair<std::string, std::string> arrays[] = {
      {npy_bytes("'<f2'", "(2, 2)", data), "float16"},
      {npy_bytes("'<i8'", "(2, 2)", data), "whole ones (<i8)"},
      {npy_bytes("'|u1'", "(2, 2)", data), "whole ones (|u1)"},
      {npy_bytes("'|b1'", "(2, 2)", data), "whole ones (|b1)"},
      {npy_bytes("'<c8'", "(2, 2)", data), "complex"},
      {npy_bytes("'>f8'", "(2, 2)", data), "another machine"},
      {npy_bytes("'<U3'", "(2, 2)", data), "no numbers"},
      {npy_bytes("'|O'", "(2, 2)", data), "no numbers"},
      {npy_bytes("[('x', '<f8'), ('y', '<f8')]", "(2,)", data), "records"},
      {npy_bytes("'<f8'", "(4,)", data), "1 dimension,"},
      {npy_bytes("'<f8'", "()", data), "0 dimensions"},
      {npy_bytes("'<f8'", "(1, 2, 2)", data), "3 dimensions"},
      {npy_bytes("'<f8'", "(0, 3)", ""), "no rows"},
      {npy_bytes("'<f8'", "(4, 0)", ""), "no columns"},
      {npy_bytes("'<f8'", "(3, 2)", data), "ends before its 3 x 2"},
      {npy_bytes("'<f8'", "(99999999999999999999999, 2)", data), "shape cannot be"},
      {npy_bytes("'<f8'", "(1000000000000000000, 4)", data), "cannot be"},
      {npy_bytes("'<f8'", "(-1, 2)", data), "shape"},
      {npy_bytes("'<f8'", "(3, 2)", raw_bytes(bad)), "column 0 of row 2, counted from 0, is nan"},
      {npy_bytes("'<f8'", "(2, 2)", raw_bytes(far)), "column 1 of row 1, counted from 0, is -inf"},
      {npy_bytes("'<f8'", "(2, 2)", data, "False", 9), "format 9"},
      {"\x93NUMPY", "cut short"},
      {npy_bytes("'<f8'", "(2, 2)", data).substr(0, 30), "cut short"},
      {"no array at all", "no array of NumPy"}};
  for (const auto& [bytes, part] : arrays) {
    const std::string sentence = refusal(folder, "bad.npy", bytes);
    INFO(part << ": " << sentence);
    CHECK(sentence.find(part) != std::string::npos);
    CHECK(sentence.find("bad.npy") != std::string::npos);
  }
  const std::pair<std::string, std::string> texts[] = {
      {"1,2\n3,4,5\n", "line 2: it has 3 numbers where the first row has 2"},
      {"1,2\n\n3,four\n", "line 3: 'four' is no number"},
      {"x,y\nhello,world\n", "line 2: 'hello' is no number"},
      {"1,2\n3,\n", "line 2: '' is no number"},
      {"a,b\n", "without a row of numbers"},
      {"1,2\nnan,4\n", "column 0 of row 1"}};
  for (const auto& [bytes, part] : texts) {
    const std::string sentence = refusal(folder, "bad.csv", bytes);
    INFO(part << ": " << sentence);
    CHECK(sentence.find(part) != std::string::npos);
  }
}

TEST_CASE("arrays that are written are read by the format's description", "[tables]") {
  const test::OutputFolder folder;
  Progress progress;
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8};
  io::write_npy(folder.path("z.npy"), ScalarType::Float64, 2, 4, values.data(), progress);
  std::string head;
  CHECK(test::read_array<double>(folder.path("z.npy"), head) == values);
  CHECK(head.find("'descr': '<f8'") != std::string::npos);
  CHECK(head.find("'shape': (2, 4)") != std::string::npos);
  CHECK((10 + head.size()) % 64 == 0);
  const std::vector<std::int32_t> labels{0, -1, 1};
  io::write_npy(folder.path("l.npy"), ScalarType::Int32, 3, 1, labels.data(), progress);
  CHECK(test::read_array<std::int32_t>(folder.path("l.npy"), head) == labels);
  CHECK(head.find("'shape': (3,)") != std::string::npos);
  io::write_npy(folder.path("n.npy"), ScalarType::Float64, 0, 4, nullptr, progress);
  CHECK(test::read_array<double>(folder.path("n.npy"), head).empty());
  CHECK(head.find("'shape': (0, 4)") != std::string::npos);
}
