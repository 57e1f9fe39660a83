// out-of-bounds of f.rows[1] in line 5: --kernel 'fill<Row>' --block 32 --arg 'Row={rows={float[32]=0, float[31]=0}, scale=2}'
struct Row {
  float* rows[2];
  float scale;
  __device__ void operator()(int r, int i) const { rows[r][i] *= scale; }
};

template <typename F>
__global__ void fill(F f) {
  f(0, threadIdx.x);
  f(1, threadIdx.x);
}
