// check: --kernel looks --block 16 --arg 'Scene={n=16, layers={texture float[16]=iota, texture(linear) float[16]=1}, target=surface float[16]}' --arg 'cudaTextureObject_t[2]={texture int[16]=iota, texture int[16]=7}'
#include <cuda_runtime.h>
#include <cassert>

struct Scene {
  cudaTextureObject_t layers[2];
  cudaSurfaceObject_t target;
  int n;
};

__device__ float mixed(const Scene& scene, int x) { return tex1D<float>(scene.layers[0], x) + tex1D<float>(scene.layers[1], x + 0.5f); }

__global__ void looks(Scene scene, const cudaTextureObject_t* tables) {
  const int x = threadIdx.x;
  if (x >= scene.n) return;
  assert(mixed(scene, x) == x + 1.0f);
  assert(tex1Dfetch<int>(tables[0], x) == x && tex1Dfetch<int>(tables[1], x) == 7);
  surf1Dwrite(mixed(scene, x), scene.target, x * sizeof(float));
}
