// Judges one run of host code. Of a whole program: how it ended, what kernels and host code did wrong, whether the result is right, and
// whether a kernel computed it. What the program says can only make a verdict worse.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "judge/decision/launch_judge.hpp"
#include "judge/program_bench.hpp"
#include "judge/programs/brokered_run.hpp"
#include "judge/report/record.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

LaunchRecord judge_program(const BuiltProgram& program, const ProgramTrial& trial);

// One run that is watched: see watch_launcher. No run of a program is judged in reverse order.
LaunchRecord watch_program(const BuiltProgram& program, const ProgramTrial& trial, bool whole_reversed, const nlohmann::json& followed);

// Judges one run of a launcher: a host function of the submission's that gets the operands of a trial, and launches what it likes. What
// the operands hold afterwards is read by the broker and compared here; so is who wrote it.
// Throws std::runtime_error or nlohmann::json::exception where something of ours fails.
LaunchRecord judge_launcher(const BuiltProgram& program, const Trial& trial, const LaunchOptions& options = {});

// One run that is watched. `followed`: the launch that is traced, as program.json says it; null: none. `whole_reversed`: every launch runs
// reversed. Where no launch is followed and the first run shows nothing, a second one that a judge would make may: then the record's
// `program` says that it is "reversed".
LaunchRecord watch_launcher(const BuiltProgram& program, const Trial& trial, bool whole_reversed, const nlohmann::json& followed);

// --- What a brokered run says of a submission, apart from its result: how it ended, and which mistakes kernels and host code made.
// It can only make a verdict worse.

// Sets both unless the record says something as bad or worse.
void worsen(LaunchRecord& record, Verdict verdict, const std::string& message);

// How the program ended, where that was not by itself with status 0, or with a launcher that came back.
void judge_end(LaunchRecord& record, const BrokeredRun& run);

// Findings and the host's mistakes. The sentences about them are the grader's, which knows the lines: judge.json hands it `report`.
void judge_findings(LaunchRecord& record, const nlohmann::json& report);

// What judge.json hands on of a run's record. Of each list only a beginning: a program may make ten thousand different launches in each of
// many runs, and still the whole is to be read.
nlohmann::json kept_record(const nlohmann::json& report);

// The verdict that a host's mistake of this kind (run.json's "host") earns; pass for those that are only told.
Verdict verdict_of_host_mistake(const std::string& kind);

// A right result that the host computed: rejected with this message, unless something as bad was found. Then each place is told as well, as
// a mistake of this kind in run.json's "host".
enum class HostWork { is_sent, hangs_on_reads };
void reject_host_work(LaunchRecord& record, HostWork work, const std::vector<std::uint64_t>& places, const std::string& message);

// The beginning of what the program printed.
void keep_output(LaunchRecord& record, const BrokeredRun& run);

// Gives a record that did not pass a message, if it has none.
void say_why(LaunchRecord& record);

}  // namespace tilelab::judge
