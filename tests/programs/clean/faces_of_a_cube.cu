// run:
// prints: 0 1 2 3 4 5\n105\n
// A cube's faces, filled by the host and read by directions; then one face is written through a surface.
#include <cstdio>

__global__ void look(cudaTextureObject_t cube, float *out) {
  const float directions[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  const float *to = directions[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(cube, to[0], to[1], to[2]);
}

__global__ void raise_face(cudaSurfaceObject_t cube, int face) {
  const float value = surfCubemapread<float>(cube, threadIdx.x * sizeof(float), threadIdx.y, face);
  surfCubemapwrite(value + 100, cube, threadIdx.x * sizeof(float), threadIdx.y, face);
}

int main() {
  float faces[6][4][4], *d_out, out[6];
  for (int face = 0; face < 6; ++face)
    for (int i = 0; i < 16; ++i) faces[face][i / 4][i % 4] = face;
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 4, 6), cudaArrayCubemap | cudaArraySurfaceLoadStore);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(faces, 4 * sizeof(float), 4, 4);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(4, 4, 6);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  description.filterMode = cudaFilterModeLinear;
  description.normalizedCoords = 1;
  cudaTextureObject_t cube;
  cudaSurfaceObject_t surface;
  cudaCreateTextureObject(&cube, &resource, &description, nullptr);
  cudaCreateSurfaceObject(&surface, &resource);
  cudaMalloc(&d_out, sizeof(out));
  look<<<1, 6>>>(cube, d_out);
  cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
  printf("%g %g %g %g %g %g\n", out[0], out[1], out[2], out[3], out[4], out[5]);
  raise_face<<<1, dim3(4, 4)>>>(surface, 5);
  look<<<1, 6>>>(cube, d_out);
  cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
  printf("%g\n", out[5]);
  cudaDestroyTextureObject(cube);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
  cudaFree(d_out);
}
