// Implements random_calls.hpp. The generator is 4096 of the device's generators with one seed, which take turns: each gives one number, or
// a pair of normal numbers. A call goes on where the one before it ended.
#define TILELAB_HOST_API 1  // the device's headers leave out what host code has differently
#include "host/random_calls.hpp"

#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "host/library/host_session.hpp"

#include "curand_kernel.h"

using namespace tilelab_host;

struct curandGenerator_st {
  bool for_host = false;
  std::uint64_t seed = 0;
  cudaStream_t stream = nullptr;
  std::vector<curandState> parts;  // none: nothing was drawn since the seed was set
  std::size_t next = 0;
};

namespace {

constexpr std::size_t parts_of_generator = 4096;

std::mutex generators_mutex;
std::set<curandGenerator_t> known_generators;  // generators that there are: a program may pass what it never set

bool is_known(curandGenerator_t generator) {
  const std::lock_guard lock(generators_mutex);
  return known_generators.contains(generator);
}

curandState& next_part(curandGenerator_t generator) {
  auto& parts = generator->parts;
  if (parts.empty()) {
    parts.resize(parts_of_generator);
    for (std::size_t i = 0; i < parts.size(); ++i) curand_init(generator->seed, i, 0, &parts[i]);
    generator->next = 0;
  }
  curandState& part = parts[generator->next];
  generator->next = (generator->next + 1) % parts_of_generator;
  return part;
}

// `draw` appends what one part gives. `each`: so many numbers.
template <typename T, typename Draw>
curandStatus_t generate(curandGenerator_t generator, T* to, std::size_t count, std::size_t each, const Call& call, Draw draw) {
  if (!is_known(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (count % each != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  const bool of_device = is_device(to) || is_shared_with_device(to);
  if (!generator->for_host && !of_device) {
    (void)request("note", call, {{"kind", "host-pointer-on-device"}, {"address", number_of(to)}});
    return CURAND_STATUS_LAUNCH_FAILURE;
  }
  if (generator->for_host && is_device(to)) {
    (void)request("note", call, {{"kind", "device-pointer-on-host"}, {"address", number_of(to)}});
    return CURAND_STATUS_INTERNAL_ERROR;
  }
  std::vector<T> numbers;
  numbers.reserve(count);
  while (numbers.size() < count) draw(numbers, &next_part(generator));
  const std::size_t bytes = count * sizeof(T);
  const cudaError_t error = carry_out(line_copy(to, numbers.data(), bytes, cudaMemcpyDefault), {generator->stream}, call);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_PREEXISTING_FAILURE;
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool for_host) {
  if (!generator || (type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW)) return CURAND_STATUS_TYPE_ERROR;
  *generator = new curandGenerator_st{.for_host = for_host, .parts = {}};
  const std::lock_guard lock(generators_mutex);
  known_generators.insert(*generator);
  return CURAND_STATUS_SUCCESS;
}

}  // namespace

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) { return create(generator, type, false); }
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) { return create(generator, type, true); }

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  const std::lock_guard lock(generators_mutex);
  if (known_generators.erase(generator) == 0) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  if (!is_known(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (!generator->parts.empty())
    Session::open().refuse("The program gives a generator of cuRAND another seed after it has drawn numbers, which cannot run here.",
                           TILELAB_CALL);
  generator->seed = seed;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (!is_known(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* numbers, std::size_t count) {
  return generate(generator, numbers, count, 1, TILELAB_CALL, [](auto& to, curandState* part) { to.push_back(curand(part)); });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* numbers, std::size_t count) {
  return generate(generator, numbers, count, 1, TILELAB_CALL, [](auto& to, curandState* part) { to.push_back(curand_uniform(part)); });
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* numbers, std::size_t count) {
  return generate(generator, numbers, count, 1, TILELAB_CALL,
                  [](auto& to, curandState* part) { to.push_back(curand_uniform_double(part)); });
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* numbers, std::size_t count, float mean, float deviation) {
  return generate(generator, numbers, count, 2, TILELAB_CALL, [=](auto& to, curandState* part) {
    const float2 pair = curand_normal2(part);
    to.push_back(pair.x * deviation + mean);
    to.push_back(pair.y * deviation + mean);
  });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* numbers, std::size_t count, double mean, double deviation) {
  return generate(generator, numbers, count, 2, TILELAB_CALL, [=](auto& to, curandState* part) {
    const double2 pair = curand_normal2_double(part);
    to.push_back(pair.x * deviation + mean);
    to.push_back(pair.y * deviation + mean);
  });
}
