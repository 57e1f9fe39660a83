// A histogram of bytes: bins[b] = how many of text[0] … text[n - 1] are the letter 'a' + b. Other bytes are not counted. `text` is n
// unsigned bytes, `bins` are 26 unsigned ints that hold 0 before the launch.
#pragma once

#include <vector>

#include "judge/random_stream.hpp"
#include "judge/trial.hpp"

namespace tilelab::letters {

// Letters of uneven frequency, and one byte in eight that is no letter: the neighbours of 'a' and 'z' in the code, 0 and 255.
void check_exact(const std::vector<int>& sizes);

// One letter n times: every thread wants the same bin.
void check_one_letter(const std::vector<int>& sizes);

// `count` sizes from 1 to `most`; they follow from the judge's key.
std::vector<int> random_sizes(int count, int most);

judge::Trial exact_trial(int n, judge::RandomStream random);
judge::Trial one_letter_trial(int n, judge::RandomStream random);

}  // namespace tilelab::letters
