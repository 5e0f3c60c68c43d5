#pragma once

#include "app/viewer/tasks/file_kind.h"
#include "app/viewer/tasks/folder_rows.h"
#include "app/viewer/tasks/task.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::app::viewer {

// A folder as far as it was read.
struct FolderModel {
  std::string folder;  // empty: none
  bool listed = false;
  std::string fault;  // why it cannot be
  std::vector<FolderRow> rows;
  std::map<std::string, FileKind> kinds;  // by a row's first file; those that were looked at
};

// Lists a folder and looks into its files on a thread of its own. The list is there at once; what
// the files are follows, and only of those that are seen.
class FolderReader final : public TaskBase {
 public:
  explicit FolderReader(std::function<void()> wake) : task_(std::move(wake)) {}

  // This folder, and of it what these files are; call once per frame.
  void want(const std::string& folder, const std::vector<std::string>& seen);
  // The folder is not shown any more; the next want() reads anew.
  void forget();
  // Takes over what was read.
  void take();
  const FolderModel& model() const { return model_; }

  bool busy() const override { return task_.busy(); }
  Worker::Status status() const override { return task_.status(); }
  void cancel() override { task_.cancel(); }
  void wait() override { task_.wait(); }

 private:
  // What comes from the thread about one folder, piece by piece.
  struct News {
    std::string folder;
    std::optional<std::vector<FolderRow>> rows;
    std::string fault;
    std::vector<std::pair<std::string, FileKind>> kinds;
  };
  void read_all(const std::string& folder, Progress& progress);
  std::vector<FolderRow> joined(const std::string& folder, std::vector<FolderRow> rows,
                                Progress& progress);
  FileKind look_into(const std::string& folder, const std::string& name);
  void tell(News news);

  FolderModel model_;
  std::mutex mutex_;
  std::vector<News> news_;
  Task<void> task_;  // last: ends first
};

}  // namespace haloscope::app::viewer
