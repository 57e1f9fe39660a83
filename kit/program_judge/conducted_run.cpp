#include "program_judge/conducted_run.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "judge/process/orphans.hpp"
#include "program/memory/provenance.hpp"
#include "program_judge/data_folder.hpp"
#include "program_judge/native_session.hpp"
#include "program_judge/output_process.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::judge {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds slack{20};  // for the conductor itself, beyond the time that a program has

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("the file " + path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The processor time of a launcher's launches is halved by whoever made its trial.
void cut(json& limits, const RunShare& share, bool is_launcher) {
  const auto halve = [&](const char* key) {
    if (limits.contains(key)) limits[key] = limits.at(key).get<std::uint64_t>() >> share.halvings;
  };
  halve("host_clock_ms");
  halve("idle_ms");
  if (!is_launcher) halve("clock_ms");
  if (!is_launcher) halve("wall_ms");
  limits["wall_ms"] = std::min(limits.at("wall_ms").get<std::uint64_t>(), static_cast<std::uint64_t>(share.most.count()));
}

// A program that ignores the signal of a file that is too large fails at its next write, and ends as it likes.
void note_full_file(json& record, const json& limits, const DataFolder& folder) {
  const auto most = limits.value("file_bytes", std::uint64_t{0});
  const bool has_failed = record.value("ended", "") == "signal" || (record.value("ended", "") == "exit" && record.value("status", 0) != 0);
  if (most == 0 || !has_failed || record.contains("limit") || folder.largest_file() < most) return;
  record["limit"] = "file-size";
  record["most"] = most;
}

}  // namespace

BuiltProgram read_program_file(const std::string& path) {
  const json value = json_from(text_of(path));
  BuiltProgram program{.conductor = value.at("conductor").get<std::string>(),
                       .description = value.at("description"),
                       .launcher = {},
                       .native = {},
                       .folder = value.at("folder").get<std::string>(),
                       .scratch = value.at("scratch").get<std::string>()};
  if (value.contains("launcher")) {
    const json& launcher = value.at("launcher");
    program.launcher = {launcher.at("arguments").get<std::vector<std::string>>(), launcher.at("memory").get<std::string>() == "host"};
  }
  if (value.contains("native")) {
    const json& native = value.at("native");
    program.native = {native.at("argv").get<std::vector<std::string>>(),
                      std::chrono::milliseconds(native.at("wall_ms").get<std::int64_t>()), native.value("gate", ""),
                      native.value("lock", ""), std::make_shared<NativeSession>()};
    if (program.native->argv.empty()) throw std::runtime_error(path + ": the native program's argv is empty");
  }
  return program;
}

json described(const BuiltProgram& program, const std::vector<std::string>& arguments, std::size_t device_bytes) {
  json description = program.description;
  for (const std::string& one : arguments) description.at("host").at("argv").push_back(one);
  if (device_bytes != 0) description.at("limits")["memory_bytes"] = device_bytes;
  return description;
}

std::string reads_of(const BuiltProgram& program) { return program.scratch + "/program.reads"; }

ConductedRun conduct(const BuiltProgram& program, json description) {
  const std::string base = program.scratch + "/program", report = base + ".report", copies = base + ".copies", file = base + ".json";
  for (const std::string& old : {report, copies}) std::filesystem::remove(old);
  description["custody"] = copies;
  if (program.share) cut(description.at("limits"), program.share(), program.launcher.has_value());
  std::ofstream(file) << json_text(description);
  const std::chrono::milliseconds most(description.at("limits").at("wall_ms").get<std::int64_t>());
  OutputProcess child({program.conductor, "--program", file, "--report", report}, program.folder, false);
  ConductedRun run;
  const auto drained = child.drain(run.output, DataFolder(program.folder), Clock::now() + most + slack);
  if (drained == OutputProcess::Drained::late) throw std::runtime_error("the conductor did not end in time");
  run.wrote_too_much = drained == OutputProcess::Drained::too_much;
  if (run.wrote_too_much) child.stop();
  const int status = child.wait();
  reap_orphans();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("the conductor failed with status " + std::to_string(status));
  run.record = json_from(text_of(report));
  run.copies = read_copies(copies);
  note_full_file(run.record, description.at("limits"), DataFolder(program.folder));
  return run;
}

std::vector<CopiedBytes> read_copies(const std::string& path) {
  std::vector<CopiedBytes> all;
  const std::string text = text_of(path);
  for (std::size_t at = 0; at < text.size();) {
    program::CustodyHeader header;
    if (text.size() - at < sizeof header) throw std::runtime_error("the record of copies is cut short");
    std::memcpy(&header, text.data() + at, sizeof header);
    at += sizeof header;
    if (header.bytes > text.size() - at) throw std::runtime_error("the record of copies is cut short");
    const auto* first = reinterpret_cast<const std::byte*>(text.data() + at);
    CopiedBytes& one = all.emplace_back();
    one = {.to_the_device = header.to_the_device != 0, .at = header.at, .address = header.address, .bytes = {first, first + header.bytes}};
    at += header.bytes;
    if (one.address > ~std::uint64_t{0} - one.bytes.size()) one.address = 0;  // the program may name any
    if (one.to_the_device) continue;
    const std::size_t bits = (one.bytes.size() + 7) / 8;
    if (bits > text.size() - at) throw std::runtime_error("the record of copies is cut short");
    one.by_kernel.resize(one.bytes.size());
    for (std::size_t i = 0; i < one.bytes.size(); ++i) one.by_kernel[i] = (text[at + i / 8] >> (i % 8) & 1) != 0;
    at += bits;
  }
  return all;
}

}  // namespace tilelab::judge
