// out-of-bounds of rows.items in line 8: --kernel sums --block 32 --arg 'float[256]=iota' --arg 'float[32]'
template <class T, int N>
struct Rows {
  int used = 0;
  T items[N];
  __device__ T* begin() { return items; }
  __device__ void push(T item) {
    begin()[used++] = item;
  }
};

__global__ void sums(const float* A, float* C) {
  Rows<float, 5> rows;
  float sum = 0.0f;
  for (int i = 0; i < 8; ++i) rows.push(A[threadIdx.x * 8 + i]);
  for (const float item : rows.items) sum += item;
  C[threadIdx.x] = sum;
}
