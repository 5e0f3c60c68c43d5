#include "app/viewer/tasks/folder_reader.h"

#include "core/error.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace haloscope::app::viewer {

namespace {

// As many files as fit into the list are looked into before a row was seen.
constexpr std::size_t kFirstRows = 24;

std::string path_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace

void FolderReader::want(const std::string& folder, const std::vector<std::string>& seen) {
  if (folder != model_.folder) {
    model_ = {};
    model_.folder = folder;
    task_.submit("reading the folder", [this, folder](const std::shared_ptr<Progress>& progress) {
      read_all(folder, *progress);
    });
    return;
  }
  if (task_.busy()) return;
  std::vector<std::string> unknown;
  for (const std::string& name : seen)
    if (!model_.kinds.contains(name)) unknown.push_back(name);
  if (unknown.empty()) return;
  task_.submit("looking into files",
               [this, folder, unknown](const std::shared_ptr<Progress>& progress) {
                 for (std::size_t k = 0; k < unknown.size(); ++k) {
                   progress->report("files", double(k) / double(unknown.size()));
                   look_into(folder, unknown[k]);
                 }
               });
}

void FolderReader::forget() {
  if (model_.folder.empty()) return;
  task_.cancel();
  model_ = {};
}

void FolderReader::take() {
  std::vector<News> news;
  {
    const std::lock_guard lock(mutex_);
    std::swap(news, news_);
  }
  for (News& one : news) {
    if (one.folder != model_.folder) continue;
    if (one.rows) {
      model_.rows = std::move(*one.rows);
      model_.listed = true;
    }
    if (!one.fault.empty()) model_.fault = one.fault;
    for (auto& [name, kind] : one.kinds) model_.kinds[name] = std::move(kind);
  }
}

void FolderReader::tell(News news) {
  const std::lock_guard lock(mutex_);
  news_.push_back(std::move(news));
}

FileKind FolderReader::look_into(const std::string& folder, const std::string& name) {
  FileKind kind = kind_of_file(path_in(folder, name));
  tell({folder, {}, {}, {{name, kind}}});
  return kind;
}

// On the thread. Names are told first, then what the files are.
void FolderReader::read_all(const std::string& folder, Progress& progress) {
  std::vector<FolderRow> rows;
  try {
    rows = list_folder(folder);
  } catch (const Error& error) {
    return tell({folder, std::vector<FolderRow>{}, error.what(), {}});
  }
  tell({folder, rows, {}, {}});
  progress.report("files", 0.01);
  rows = joined(folder, std::move(rows), progress);
  tell({folder, rows, {}, {}});
  std::size_t looked = 0;
  for (const FolderRow& row : rows) {
    if (row.folder || looked++ >= kFirstRows) continue;
    progress.report("files", 0.5 + 0.5 * double(looked) / double(kFirstRows + 1));
    look_into(folder, row.first());
  }
}

// Adds a line for each series before its first member, and puts one line in the place of the files
// of a set. The first of numbered files stands for all of them.
std::vector<FolderRow> FolderReader::joined(const std::string& folder, std::vector<FolderRow> rows,
                                            Progress& progress) {
  const auto all = find_numbered(rows);
  std::map<std::size_t, FolderRow> before;  // by place
  std::set<std::size_t> left_out;
  for (const NumberedFiles& files : all) {
    progress.report("series", 0.01 + 0.49 * double(before.size()) / double(all.size()));
    const FileKind kind = look_into(folder, rows[files.rows.front()].name);
    if (kind.what != FileKind::What::Snapshot) continue;
    FolderRow line{files.name, false, 0, {}, kind.files == 1};
    for (const std::size_t row : files.rows) {
      line.bytes += rows[row].bytes;
      line.members.push_back(rows[row].name);
      if (!line.series) left_out.insert(row);
    }
    before.emplace(files.rows.front(), std::move(line));
  }
  std::vector<FolderRow> lines;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (const auto line = before.find(k); line != before.end())
      lines.push_back(std::move(line->second));
    if (!left_out.contains(k)) lines.push_back(std::move(rows[k]));
  }
  return lines;
}

}  // namespace haloscope::app::viewer
