// Writes the seeds of every target into a folder (fuzz/corpus), with the tests' own writers.
// Usage: haloscope_fuzz_seeds FOLDER

#include "fuzz/hostile_hdf5.h"
#include "fuzz/input_files.h"
#include "tests/made/binary_files.h"
#include "tests/made/catalog_files.h"
#include "tests/made/gadget_binary_sample.h"
#include "tests/made/table_files.h"

#include <filesystem>
#include <iostream>

namespace {

namespace fs = std::filesystem;
using haloscope::fuzz::kNextFile;

fs::path g_corpus;

void seed(const std::string& target, const std::string& name, const std::string& bytes) {
  fs::create_directories(g_corpus / target);
  binary_files::write_bytes((g_corpus / target / name).string(), bytes);
}

// The files of one input.
std::string joined(const std::vector<std::string>& files) {
  std::string all;
  for (const auto& file : files) all += (all.empty() ? "" : std::string(kNextFile)) + file;
  return all;
}

void gadget_binary() {
  for (int variant = 0; variant < 8; ++variant) {
    binary_files::GadgetBinary kind;
    kind.format = 1 + variant % 2;
    kind.swap = variant & 2;
    kind.eight_bytes = kind.long_ids = variant & 4;
    seed("gadget_binary", "variant" + std::to_string(variant),
         gadget_binary_sample::Sample(kind).file.bytes());
  }
  binary_files::GadgetBinary native;
  native.native_types = 2;
  native.count = {2, 1};
  native.mass = {0, 0.5};
  native.format = 2;
  native.reals("POS", {1, 2, 3, 4, 5, 6, 7, 8, 9}).ids({1, 2, 3}).reals("MASS", {1, 2});
  seed("gadget_binary", "native_header", native.bytes());
  std::vector<std::string> pair;
  for (int i = 0; i < 2; ++i) {
    binary_files::GadgetBinary file;
    file.count = {0, 2, 0, 0, 0, 0};
    file.total = {0, 4, 0, 0, 0, 0};
    file.mass = {0, 1, 0, 0, 0, 0};
    file.files = 2;
    file.reals("POS", {1, 2, 3, 4, 5, 6}).reals("VEL", {1, 2, 3, 4, 5, 6}).ids({1, 2});
    pair.push_back(file.bytes());
  }
  seed("gadget_binary", "two_files", joined(pair));
}

std::vector<std::vector<double>> some_rows(std::size_t count, std::size_t width) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back(binary_files::some_values(width, -0.5, 0.5, 1 + i));
  return rows;
}

void tipsy() {
  const std::string parameters =
      "bPeriodic = 1\nbComove = 1\ndPeriod = 1 # box\ndKpcUnit = 50000\ndMsolUnit = 1.8e16\n"
      "dOmega0 = 0.3\ndLambda = 0.7\ndHubble0 = 2.89\nbDoublePos = 0\n";
  for (int variant = 0; variant < 8; ++variant) {
    binary_files::Tipsy file;
    file.swap = variant & 1;
    file.pad = !(variant & 2);
    file.double_positions = variant & 4;
    file.gas = some_rows(3, 12);
    file.dark = some_rows(4, 9);
    file.stars = some_rows(2, 11);
    std::string text = "9\n";
    for (int i = 0; i < 9; ++i) text += "0.5\n";
    binary_files::Bytes array(file.swap);
    array.put<std::uint32_t>(9).put_all<float>(std::vector<double>(9, 0.25));
    const std::string name = "variant" + std::to_string(variant);
    if (variant == 0)
      seed("tipsy", name, file.bytes());
    else if (variant % 2)
      seed("tipsy", name, joined({file.bytes(), parameters, text}));
    else
      seed("tipsy", name, joined({file.bytes(), parameters, text, array.text}));
  }
}

void generic_io() {
  using Writer = table_files::GenericIoWriter;
  auto fill = [](Writer& writer) {
    const auto values = snapshot_files::some_positions(2, 100);
    writer.variable<float>("x", {values[0], values[1]}, Writer::Float | Writer::Signed | Writer::X);
    writer.variable<float>("y", {values[2], values[3]}, Writer::Float | Writer::Signed | Writer::Y);
    writer.variable<float>("z", {values[4], values[5]}, Writer::Float | Writer::Signed | Writer::Z);
    writer.variable<std::int64_t>("id", {1, 1LL << 60}, Writer::Signed);
  };
  for (int variant = 0; variant < 5; ++variant) {
    Writer writer;
    writer.big_endian = variant == 1;
    writer.ranks = variant == 2 ? 2 : 1;
    writer.old_headers = variant == 3;
    writer.blocks = variant == 4;
    fill(writer);
    seed("generic_io", "variant" + std::to_string(variant), writer.bytes());
  }
  Writer map, part;
  map.variable<std::int32_t>("$rank", {0, 1}, Writer::Signed);
  map.variable<std::int32_t>("$partition", {0, 1}, Writer::Signed);
  fill(part);
  seed("generic_io", "parts", joined({map.bytes(), part.bytes(), part.bytes()}));
}

void tables() {
  seed("text_table", "csv",
       "x,y,z,mass,id\n1,2,3,0.5,9007199254740993\n4,5,6,nan,2\n7,8,9,1e3,3\n");
  seed("text_table", "comments",
       "# box = 10 Mpc/h\n# x [kpc/h]  y [kpc/h]  z [kpc/h]  vx\n 1 2 3 4\n 5 6 7 8\n");
  seed("text_table", "bare", "0.1 0.2 0.3\n0.4 0.5 0.6\r\n1e-3\t-2E+5 3.\n\n");
  seed("text_table", "semicolons", "\xef\xbb\xbf\"x\";\"y\";\"z\"\n1;2;3\n4;;6\n-inf;8;9\n");
  const std::string rows =
      table_files::bytes_of_all<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  seed("raw_table", "rows", joined({"Coordinates:f4x3,Masses:f4", rows}));
  seed("raw_table", "columns",
       joined({"Coordinates:f4x3,Masses:f4;layout=columns;endian=big;skip=4;count=2", rows}));
  seed("raw_table", "doubles",
       joined({"ParticleIDs:u8,Coordinates:f8x3,-:i4", rows + rows + rows}));
}

void catalogs() {
  const auto halos = catalog_files::some_halos(3);
  seed("catalogs_text", "rockstar", catalog_files::rockstar_text(halos));
  seed("catalogs_text", "ahf", catalog_files::ahf_text(halos));
  seed("catalogs_text", "csv", catalog_files::csv_text(halos));
}

void options() {
  seed("sidecar_toml", "all",
       "# what I know\nunit-length = \"Mpc/h\"\nunit-mass = \"1e10Msun/h\"\nunit-velocity = "
       "\"1e5cm/s\"\nhubble = 0.7\nbox = 10\nperiodic = true\nsmoothing-means = \"sigma\"\n");
  seed("sidecar_toml", "other", "periodic = \"no\"\nbox = 0\nsmoothing-means = 2.5\n");
  seed("sidecar_toml", "bad", "[table]\nbox = [1, 2]\nunit-length = '''x'''\n");
  const std::string parameters =
      "# demo\nsimtype=0\nnum_blocks=6\nx=1\ny=2\nz=3\nr=4\nI=5\nC1=6\npalette0=demo.pal\n"
      "infile=demo.bin\noutfile=out_\ncamera_x=1\ncamera_y=2\ncamera_z=3\nlookat_x=4\nlookat_y=5\n"
      "lookat_z=6\nswap_endian=F\nxres=64\nyres=64\nbrightness0=2\n";
  const std::string palette = "Name\n0100\n3\n0 0 0\n128 64.5 0\n255 255 255\n";
  const std::string rows = table_files::bytes_of_all<float>(
      {1, 2, 3, 0.1F, 0.5F, 1, 4, 5, 6, 0.2F, 0.25F, 2, 7, 8, 9, 0.3F, 0.75F, 3});
  seed("splotch_files", "raw", joined({parameters, "1 2 3 4 5 6 0 0 1 0\n", palette, rows}));
  seed("splotch_files", "scene",
       joined({parameters + "scene_file=demo.scene\nscene_start=0\nlast_scene=3\n",
               "camera_x camera_y fidx\n1 2 0\n3 4 0.5\n", palette, rows}));
  seed("splotch_files", "gadget",
       "simtype=8\ninfile=snap_\ndatadir=data\nsnapdir=snapdir_\nfidx=7.5\nptypes=2\nptype0=0\n"
       "color_label0=Density\nsize_fix0=0\npictype=2\n");
}

// Their path decides what a sample's second file is called; only the first is a seed.
void hdf5() {
  const fs::path folder = fs::temp_directory_path() / "haloscope-fuzz-seeds";
  fs::create_directories(folder);
  for (std::size_t i = 0; i < haloscope::fuzz::kSampleCount; ++i) {
    const std::string path = (folder / "seed.0.hdf5").string();
    haloscope::fuzz::write_sample(path, i);
    seed("gadget_hdf5_bytes", "sample" + std::to_string(i), binary_files::read_bytes(path));
    // The sample's number, old or new structures, and random changes.
    for (int variant = 0; variant < 3; ++variant) {
      std::string bytes{char(i), char(variant % 2)};
      for (const double value : binary_files::some_values(200, 0, 256, 10 * i + variant))
        if (variant > 0) bytes += char(static_cast<unsigned char>(value));
      seed("gadget_hdf5_structure", "sample" + std::to_string(i) + "abc"[variant], bytes);
    }
  }
  fs::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: haloscope_fuzz_seeds FOLDER\n";
    return 2;
  }
  g_corpus = argv[1];
  gadget_binary();
  tipsy();
  generic_io();
  tables();
  catalogs();
  options();
  hdf5();
}
