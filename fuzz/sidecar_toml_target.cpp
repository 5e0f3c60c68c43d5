// What a user keeps beside a snapshot, and the same words on the command line: the input is a
// sidecar file; each of its words is set and applied to a snapshot of every unit.

#include "core/error.h"
#include "fuzz/input_files.h"
#include "io/loading/override_words.h"
#include "io/loading/overrides.h"
#include "io/loading/sidecar.h"

namespace {

haloscope::SnapshotInfo some_info() {
  haloscope::SnapshotInfo info;
  info.format = "Gadget-2";
  info.files = {"snapshot_000.hdf5"};
  info.box_size = 10;
  info.periodic = true;
  haloscope::TypeInfo gas;
  gas.name = "gas";
  gas.count = 3;
  haloscope::FieldInfo field;
  field.name = "Coordinates";
  field.components = 3;
  field.unit = "kpc/h";
  gas.fields = {field};
  gas.roles[haloscope::Role::Position] = "Coordinates";
  info.types[0] = gas;
  info.smoothing_lengths[0] = {"SmoothingLength", 1,
                               haloscope::SmoothingLengthMeaning::Kind::Length};
  return info;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haloscope;
  fuzz::InputFiles files;
  const std::string snapshot = files.path("snapshot_000.hdf5");
  const std::string path = io::sidecar_path(snapshot);
  files.add(path.substr(path.rfind('/') + 1),
            std::string_view(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> known;
  for (const auto& word : io::override_words()) known.emplace_back(word.word);
  io::Overrides overrides;
  try {
    for (const auto& entry : io::read_sidecar(path, known)) {
      const io::OverrideWord* word = io::find_override_word(entry.word);
      if (!word) __builtin_trap();
      word->set(overrides, entry.text, entry.where);
    }
    SnapshotInfo info = some_info();
    io::apply_overrides(overrides, info);
  } catch (const Error&) {
  }
  return 0;
}
