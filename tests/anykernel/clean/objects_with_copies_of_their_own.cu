// check: --kernel add --block 32 --arg 'Table={values=1, out=float[32]}' --arg int=2
struct Table {
  float values[100];
  float* out;
  Table(const Table& other) : out(other.out) {
    for (int i = 0; i < 100; ++i) values[i] = other.values[i];
  }
};

__global__ void add(Table table, int k) {
  float* mine = &table.values[threadIdx.x];
  *mine += k;
  table.out[threadIdx.x] = table.values[threadIdx.x];
}
