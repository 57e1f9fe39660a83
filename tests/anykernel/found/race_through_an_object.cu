// race of p.total in line 9: --kernel count --block 64 --arg 'Counts={total=int[1]=0, n=64, data=int[64]=random}'
struct Counts {
  int* total;
  int n;
  const int* data;
};

__global__ void count(Counts p) {
  if (threadIdx.x < p.n) *p.total += p.data[threadIdx.x];
}
