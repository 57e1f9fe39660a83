// check: --kernel values --block 32 --arg 'int[32]=iota' --arg 'int[32]'
// Structs with space between their members and members that have no value yet are copied whole; another thread frees what one allocated;
// what a variable of the module leads to may be freed by a later kernel.
struct Padded {
  char letter;
  int later;
  double number;
};
struct Row {
  char bytes[3];
};
__device__ int* kept;

__global__ void values(const int* in, int* out) {
  int t = threadIdx.x;
  __shared__ Padded* rooms[32];
  rooms[t] = new Padded;
  rooms[t]->letter = 'a';
  rooms[t]->number = in[t];
  Padded copy = *rooms[t];
  Padded* again = new Padded(copy);
  again->later = t;
  __syncthreads();
  Row* row = static_cast<Row*>(malloc(2 * sizeof(Row)));
  row[0].bytes[0] = row[0].bytes[1] = row[0].bytes[2] = 1;
  row[1] = row[0];
  memset(row, 2, sizeof(Row));
  unsigned long long* counter = new unsigned long long(0);
  atomicAdd(counter, 3ull);
  out[t] = static_cast<int>(rooms[(t + 1) % 32]->number) + again->later + row[1].bytes[2] + row[0].bytes[0] + static_cast<int>(*counter);
  __syncthreads();
  delete rooms[31 - t];
  delete again;
  delete counter;
  free(row);
  if (t == 0) {
    kept = new int[4];
    kept[1] = 3;
  }
}
