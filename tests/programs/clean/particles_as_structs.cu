// run:
// prints: after 10 steps: 0.5 9.45, falls with -1\n
#include <cmath>
#include <cstdio>
#include <vector>

struct Particle {
  float3 position;
  float3 velocity;
  int bounces;
};

struct World {
  float step;
  float3 gravity;
  float floor;
};

__device__ __host__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ __host__ inline float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }

__global__ void advance(Particle *particles, int n, World world) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = particles[i];
  p.velocity = p.velocity + world.step * world.gravity;
  p.position = p.position + world.step * p.velocity;
  if (p.position.y < world.floor) {
    p.position.y = world.floor;
    p.velocity.y = fabsf(p.velocity.y);
    ++p.bounces;
  }
  particles[i] = p;
}

int main() {
  const int n = 100;
  std::vector<Particle> particles(n);
  for (int i = 0; i < n; ++i) particles[i] = {make_float3(i, 10, 0), make_float3(0.5f, 0, 0), 0};
  const World world = {0.1f, make_float3(0, -1, 0), 0};
  Particle *device;
  cudaMalloc(&device, n * sizeof(Particle));
  cudaMemcpy(device, particles.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  for (int step = 0; step < 10; ++step) advance<<<(n + 31) / 32, 32>>>(device, n, world);
  cudaMemcpy(particles.data(), device, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  const Particle p = particles[0];
  printf("after 10 steps: %.1f %.2f, falls with %.0f\n", p.position.x, p.position.y, p.velocity.y);
  cudaFree(device);
  return 0;
}
