#include "program/api_errors.hpp"

#include <algorithm>

namespace tilelab::program {

ApiError* ApiErrors::note(const std::string& op, int error, std::uint64_t at) {
  const auto same =
      std::find_if(all_.begin(), all_.end(), [&](const ApiError& one) { return one.op == op && one.error == error && one.at == at; });
  if (same != all_.end()) {
    ++same->count;
    same->seen = false;
    return &*same;
  }
  if (all_.size() >= most) {
    is_whole_ = false;
    return nullptr;
  }
  return &all_.emplace_back(ApiError{.op = op, .error = error, .at = at});
}

int ApiErrors::fail(const std::string& op, int error, std::uint64_t at) {
  if (error == 0) return 0;
  last_ = error;
  note(op, error, at);
  return error;
}

void ApiErrors::fail_later(CudaError error, std::uint64_t at) {
  if (sticky_ != 0 || later_ != 0) return;
  later_ = static_cast<int>(error);
  if (const ApiError* noted = note("launch", later_, at)) sticky_is_ = static_cast<std::size_t>(noted - all_.data());
}

int ApiErrors::arrive(std::uint64_t at) {
  if (later_ != 0) {
    sticky_ = last_ = later_;
    later_ = 0;
    if (sticky_is_ < all_.size()) all_[sticky_is_].returned_at = at;
  }
  return sticky_;
}

int ApiErrors::last(bool peek, std::uint64_t at) {
  const int error = sticky_ != 0 ? sticky_ : last_;
  if (error != 0) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].seen || (later_ != 0 && i == sticky_is_)) continue;
      all_[i].seen = true;
      all_[i].seen_at = at;
    }
  }
  if (!peek) last_ = sticky_;
  return error;
}

void ApiErrors::reset() { last_ = sticky_ = later_ = 0; }

}  // namespace tilelab::program
