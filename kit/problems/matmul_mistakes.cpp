#include "problems/matmul_mistakes.hpp"

#include <algorithm>
#include <iterator>

namespace tilelab::matmul {

const std::vector<judge::Mistake>& mistakes() {
  static const std::vector<judge::Mistake> all = [] {
    std::vector<judge::Mistake> joined;
    for (const auto& some : {mistakes_in_sums(), mistakes_in_indices(), mistakes_in_stores()}) {
      std::copy(some.begin(), some.end(), std::back_inserter(joined));
    }
    return joined;
  }();
  return all;
}

}  // namespace tilelab::matmul
