// check: --kernel sort --grid 1 --block 1 --arg 'int[200]=random' --arg int=0 --arg int=199 --arg int=0
// After NVIDIA's description of a quicksort with dynamic parallelism: each part is sorted by a grid of its own.
__device__ void by_insertion(int* data, int left, int right) {
  for (int i = left + 1; i <= right; ++i) {
    const int value = data[i];
    int at = i;
    for (; at > left && data[at - 1] > value; --at) data[at] = data[at - 1];
    data[at] = value;
  }
}

__global__ void sort(int* data, int left, int right, int depth) {
  if (depth >= 12 || right - left < 8) {
    by_insertion(data, left, right);
    return;
  }
  int *low = data + left, *high = data + right;
  const int pivot = data[(left + right) / 2];
  while (low <= high) {
    int one = *low, other = *high;
    while (one < pivot) one = *++low;
    while (other > pivot) other = *--high;
    if (low <= high) {
      *low++ = other;
      *high-- = one;
    }
  }
  const int end = high - data, begin = low - data;
  if (left < end) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sort<<<1, 1, 0, stream>>>(data, left, end, depth + 1);
    cudaStreamDestroy(stream);
  }
  if (begin < right) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sort<<<1, 1, 0, stream>>>(data, begin, right, depth + 1);
    cudaStreamDestroy(stream);
  }
}
