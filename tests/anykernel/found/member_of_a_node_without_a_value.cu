// uninitialized-read in line 13: --kernel walk --block 8 --arg 'int[8]'
struct Node {
  int value;
  Node* next;
};

__global__ void walk(int* out) {
  Node* first = new Node;
  first->value = threadIdx.x;
  first->next = new Node;
  first->next->next = nullptr;
  int sum = 0;
  for (Node* one = first; one != nullptr; one = one->next) sum += one->value;
  out[threadIdx.x] = sum;
}
