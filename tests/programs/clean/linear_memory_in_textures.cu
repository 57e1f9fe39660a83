// run:
// prints: 5 0 0\n1.0 0.5\n7 77\n
// Textures of linear memory: numbers past the end bring zeros, bytes are read as fractions, and rows have a pitch.
#include <cstdio>
#include <cstring>

__global__ void line(cudaTextureObject_t numbers, int *out) {
  out[0] = tex1Dfetch<int>(numbers, 5);
  out[1] = tex1Dfetch<int>(numbers, 100);
  out[2] = tex1Dfetch<int>(numbers, -1);
}

__global__ void fractions(cudaTextureObject_t bytes, float *out) {
  const float4 colour = tex1Dfetch<float4>(bytes, 1);
  out[0] = colour.x;
  out[1] = floorf(colour.w * 100) / 100;
}

__global__ void rows(cudaTextureObject_t picture, int *out) {
  out[0] = tex2D<unsigned char>(picture, 3, 1);
  out[1] = tex2D<unsigned char>(picture, 40, 2);  // clamped
}

int main() {
  int numbers[100], *d_numbers, *d_out, out[3];
  for (int i = 0; i < 100; ++i) numbers[i] = i;
  float *d_floats, floats[2];
  uchar4 colours[2] = {make_uchar4(0, 0, 0, 0), make_uchar4(255, 1, 2, 128)}, *d_colours;
  cudaMalloc(&d_numbers, sizeof(numbers));
  cudaMalloc(&d_out, sizeof(out));
  cudaMalloc(&d_floats, sizeof(floats));
  cudaMalloc(&d_colours, sizeof(colours));
  cudaMemcpy(d_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
  cudaMemcpy(d_colours, colours, sizeof(colours), cudaMemcpyHostToDevice);

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = d_numbers;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = sizeof(numbers);
  cudaTextureDesc description{};
  cudaTextureObject_t of_numbers, of_colours, of_rows;
  cudaCreateTextureObject(&of_numbers, &resource, &description, nullptr);
  resource.res.linear.devPtr = d_colours;
  resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.linear.sizeInBytes = sizeof(colours);
  description.readMode = cudaReadModeNormalizedFloat;
  cudaCreateTextureObject(&of_colours, &resource, &description, nullptr);
  line<<<1, 1>>>(of_numbers, d_out);
  cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", out[0], out[1], out[2]);
  fractions<<<1, 1>>>(of_colours, d_floats);
  cudaMemcpy(floats, d_floats, sizeof(floats), cudaMemcpyDeviceToHost);
  printf("%.1f %.1f\n", floats[0], floats[1]);

  unsigned char picture[3][30], *d_picture;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 30; ++x) picture[y][x] = y == 1 && x == 3 ? 7 : y == 2 && x == 29 ? 77 : 1;
  size_t pitch;
  cudaMallocPitch(&d_picture, &pitch, 30, 3);
  cudaMemcpy2D(d_picture, pitch, picture, 30, 30, 3, cudaMemcpyHostToDevice);
  memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = d_picture;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
  resource.res.pitch2D.width = 30;
  resource.res.pitch2D.height = 3;
  resource.res.pitch2D.pitchInBytes = pitch;
  description.readMode = cudaReadModeElementType;
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  cudaCreateTextureObject(&of_rows, &resource, &description, nullptr);
  rows<<<1, 1>>>(of_rows, d_out);
  cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
  printf("%d %d\n", out[0], out[1]);
  cudaDestroyTextureObject(of_numbers);
  cudaDestroyTextureObject(of_colours);
  cudaDestroyTextureObject(of_rows);
  cudaFree(d_numbers);
  cudaFree(d_out);
  cudaFree(d_floats);
  cudaFree(d_colours);
  cudaFree(d_picture);
}
