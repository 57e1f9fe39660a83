// check: --kernel sums --block 4 --arg 'const float*[3]={float[8]=iota, float[8]=1, float[8]=random}' --arg 'Node[2]={{value=3, next=Node[1]={{4, null}}}, {5, null}}' --arg 'float[4]' --arg int=3 --arg int=8
struct Node {
  int value;
  Node* next;
};

__global__ void sums(const float* const* rows, Node* lists, float* out, int n, int width) {
  int i = threadIdx.x;
  float sum = 0;
  if (i < n) {
    for (int j = 0; j < width; ++j) sum += rows[i][j];
  } else {
    for (Node* at = lists; at != nullptr; at = at->next) sum += at->value;
    if (lists[1].next != nullptr) __trap();
  }
  out[i] = sum;
}
