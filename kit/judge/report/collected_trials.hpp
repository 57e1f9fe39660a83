// The launches that a lab's test cases ask for, put down instead of run, so that one of them can be traced or profiled. So every problem
// can be, also one that registers nothing (traced_problem.hpp); it has only the shapes that its tests use.
#pragma once

#include <string>
#include <vector>

#include "judge/report/record.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

class CollectedTrials {
 public:
  // To be the bench's judge of launches: a launch that is put down passes. Its counters are missing, so a technique check throws.
  LaunchRecord put_down(const Trial& trial);

  // These throw std::invalid_argument; its text is for the person who gave the shape, and says which shapes there are.
  // `shape`: "64x96" for "M=64 N=96". If it is empty, `usual` is taken where there is such a launch; else a trace takes the smallest
  // launch with at least a warp's elements, and a profile takes the largest of all. `inputs`: empty: any.
  const Trial& to_trace(const std::string& shape, const std::string& usual, const std::string& inputs) const;
  const Trial& to_profile(const std::string& shape) const;

 private:
  const Trial* find(const std::string& shape, const std::string& inputs) const;
  [[noreturn]] void refuse(const std::string& asked, const std::string& inputs, const char* done) const;

  std::vector<Trial> trials_;
};

// The numbers of a shape: "64x96" for "M=64 N=96". A shape without numbers stays as it is.
std::string numbers_of(const std::string& shape);

}  // namespace tilelab::judge
