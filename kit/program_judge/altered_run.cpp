#include "program_judge/altered_run.hpp"

#include <fstream>
#include <stdexcept>
#include <utility>

#include "program_judge/data_folder.hpp"
#include "program_judge/result_origin.hpp"
#include "program_judge/run_verdict.hpp"

namespace tilelab::judge {
namespace {

using nlohmann::json;

constexpr const char* told =
    "The result is right, but it does not follow from the numbers that reached the GPU: let the kernel compute it from the numbers as they "
    "are in the files.";

void write(const std::string& path, const std::vector<std::byte>& content) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

json pair_of(const std::string& base, ElementType type, const std::vector<std::byte>& from, const std::vector<std::byte>& to) {
  write(base + ".from", from);
  write(base + ".to", to);
  return {{"from", base + ".from"}, {"to", base + ".to"}, {"element_bytes", bytes_of(type)}};
}

std::vector<std::byte> widened(const std::vector<std::byte>& numbers) {
  return encoded(ElementType::f64, decoded(ElementType::f32, numbers));
}

json pairs_of(const ProgramTrial& trial, const std::string& scratch) {
  json pairs = json::array();
  for (std::size_t i = 0; i < trial.files.size(); ++i) {
    const std::string base = scratch + "/altered" + std::to_string(i);
    const std::vector<std::byte>&from = trial.files[i].content, &to = trial.altered->files.at(i).content;
    pairs.push_back(pair_of(base, trial.type, from, to));
    if (trial.type == ElementType::f32)  // a program may widen them first
      pairs.push_back(pair_of(base + "wide", ElementType::f64, widened(from), widened(to)));
  }
  return pairs;
}

// What the host may do with what it was shown: see HostReads.
enum class Shown { nothing, carries, tagged };

// Whether a kernel made the other result.
bool follows(LaunchRecord& record, const BuiltProgram& program, const ProgramTrial& trial, Shown shown) {
  json description = described(program, trial.arguments, trial.device_bytes);
  description["altered"] = pairs_of(trial, program.scratch);
  description["shown_reads"] = reads_of(program);
  if (shown != Shown::nothing) description["options"]["carries"] = true;
  if (shown == Shown::tagged) description["options"]["tagged"] = true;
  DataFolder(program.folder).fill(trial.files);
  const ConductedRun run = conduct(program, std::move(description));
  LaunchRecord again = record;
  judge_end(again, run);
  if (again.verdict == Verdict::internal_error) {
    worsen(record, again.verdict, again.message);
    return true;
  }
  std::vector<KnownValues> known;
  for (const DataFile& one : trial.altered->files) known.push_back({trial.type, one.content});
  return came_from_a_kernel(trial.altered->expectation, trial.type, run.copies, known);
}

}  // namespace

void judge_altered_run(LaunchRecord& record, const BuiltProgram& program, const ProgramTrial& trial) {
  for (const Shown shown : {Shown::nothing, Shown::carries, Shown::tagged})
    if (follows(record, program, trial, shown)) return;
  worsen(record, Verdict::rejected, told);
}

}  // namespace tilelab::judge
