// What the builder knows about the submission inside this runner, read from image.json: where its code and its shared arrays lie,
// and which source line each instruction comes from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "executor/machine/machine.hpp"
#include "executor/memory/region.hpp"
#include "executor/memory/sealed_tables.hpp"
#include "executor/observers/barrier_places.hpp"
#include "executor/observers/control_path.hpp"
#include "executor/submission/frame_guards.hpp"

namespace tilelab {

struct CodeLine {
  std::uintptr_t address = 0;
  int line = 0;
  std::size_t file = 0;  // index into Image::files
};

struct CodeColumn {
  std::uintptr_t address = 0;
  std::uint32_t column = 0;
};

struct CodeFunction {
  std::uintptr_t first = 0, end = 0;
  std::string name;  // demangled
};

// An array with its subscripts, as it stands in a line of the submission. Columns are counted from 1, in bytes of what was compiled.
struct Subscripted {
  int line = 0;
  std::uint32_t column = 0;  // of the array's name
  std::string array;
  std::vector<std::uint32_t> closings;  // of its brackets
};

// What is told of an instruction: its file without folders, and what is not known is left out.
struct CodePlace {
  std::string file, function;
  int line = 0;
};

struct Image {
  std::vector<std::string> files;
  std::vector<Subscripted> subscripts;
  std::vector<int> block_syncs, warp_syncs;  // the submission's lines that call __syncthreads() and __syncwarp(); sorted
  std::vector<CodeLine> lines;               // sorted by address
  std::vector<CodeColumn> columns;           // the same, of lines that name one of several dynamic shared arrays
  std::vector<CodeFunction> functions;
  std::vector<simt::AddressRange> header_code;
  std::vector<simt::CodeLoop> loops;
  std::vector<simt::BarrierCall> barrier_calls;
  std::vector<simt::KernelReturn> returns;
  std::vector<simt::Region> shared;            // base: an offset in the thread-local segment
  std::vector<simt::AddressRange> guards;      // around variables that the compiler initialises; offsets in that segment
  simt::FrameGuards frame_guards;              // of functions whose locals have guards
  std::map<std::string, std::size_t> symbols;  // names in the symbol table, of those in `variables`
  std::vector<simt::Region> variables;         // __device__, __constant__ and static ones, sorted by address
  std::uintptr_t dynamic_offset = 0;           // offset of the dynamic shared block in that segment
  std::size_t static_shared_bytes = 0;
  std::uintptr_t kernel = 0, launch = 0;  // addresses
  std::vector<std::uintptr_t> targets;    // functions that a call through a pointer may go to; sorted
  bool launches_children = false;         // kernels launch others
  std::size_t argument_bytes = 0;         // on the stack that the kernel's code uses

  const CodeLine* line_at(std::uintptr_t pc) const;
  CodePlace place_of(std::uintptr_t pc) const;
  // The array of its line that the instruction uses, where that is certain; empty: it is not. `writes`: a store has the column of its =.
  std::string array_at(std::uintptr_t pc, bool writes) const;
  const CodeFunction* function_at(std::uintptr_t pc) const;
  bool on_one_line(std::uintptr_t one, std::uintptr_t other) const;  // whether two instructions belong to one source line
  simt::LoopMap loop_map() const;
  simt::BarrierPlaces barrier_places() const { return {barrier_calls, returns}; }
  void seal_in(simt::SealedTables& tables) const;  // it stays as it is while a launch runs
};

// Throws std::runtime_error that names the file.
Image load_image(const std::filesystem::path& file);

}  // namespace tilelab
