// wbArg_…: the command line of a program, `-i input0.raw,input1.raw -o output.raw -t matrix`, with `-e` for a file that is not read here.
#pragma once

#include "wb_types.h"

// Copies share the strings, which live until the program ends.
struct wbArg_t {
  int inputCount = 0;
  char** inputFiles = nullptr;
  char* outputFile = nullptr;
  char* expectedOutput = nullptr;
  char* type = nullptr;
};

#define wbArg_getInputCount(args) ((args).inputCount)
#define wbArg_getInputFiles(args) ((args).inputFiles)
#define wbArg_getInputFile(args, index) ((args).inputFiles[index])
#define wbArg_getOutputFile(args) ((args).outputFile)
#define wbArg_getExpectedOutputFile(args) ((args).expectedOutput)
#define wbArg_getType(args) ((args).type)

inline wbArg_t wbArg_read(int argc, char** argv) {
  static vector<string> names;
  static vector<char*> files;
  wbArg_t args;
  for (int i = 1; i + 1 < argc; i += 2) {
    const string option = argv[i];
    if (option == "-i") {
      stringstream list(argv[i + 1]);
      for (string name; std::getline(list, name, ',');) names.push_back(name);
    } else if (option == "-o") {
      args.outputFile = argv[i + 1];
    } else if (option == "-e") {
      args.expectedOutput = argv[i + 1];
    } else if (option == "-t") {
      args.type = argv[i + 1];
    }
  }
  files.clear();
  for (string& name : names) files.push_back(name.data());
  args.inputCount = static_cast<int>(files.size());
  args.inputFiles = files.data();
  return args;
}

inline void wbArg_delete(wbArg_t) {}
