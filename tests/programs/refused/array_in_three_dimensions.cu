// needs-gpu in line 5:
// says: cudaMalloc3D,not there without a GPU
int main() {
  cudaPitchedPtr volume;
  cudaMalloc3D(&volume, make_cudaExtent(64, 8, 8));
  cudaFree(volume.ptr);
}
