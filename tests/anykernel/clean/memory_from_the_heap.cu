// check: --kernel lists --block 64 --arg 'int[64]' --arg int=5
struct Node {
  int value;
  Node* next;
  __device__ Node(int v, Node* n) : value(v), next(n) {}
};
struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int sides() const = 0;
};
struct Square : Shape {
  int* sizes = new int[4];
  __device__ ~Square() override { delete[] sizes; }
  __device__ int sides() const override { return 4; }
};

__global__ void lists(int* out, int n) {
  int i = threadIdx.x;
  Node* head = nullptr;
  for (int k = 0; k < n; ++k) head = new Node(k, head);
  int* squares = static_cast<int*>(malloc(n * sizeof(int)));
  if (squares == nullptr) return;
  int* words = new int[n];
  for (int k = 0; k < n; ++k) words[k] = squares[k] = k * k;
  __shared__ int* given;
  if (i == 0) given = new int[64];
  __syncthreads();
  given[i] = i;
  int sum = 0;
  while (head != nullptr) {
    Node* next = head->next;
    sum += head->value + squares[head->value] - words[head->value] + given[i] - i;
    delete head;
    head = next;
  }
  Shape* shape = new Square;
  sum += shape->sides();
  delete shape;
  delete[] words;
  free(squares);
  free(nullptr);
  __syncthreads();
  if (i == 0) delete[] given;
  if (malloc(16 << 20) != nullptr) __trap();
  out[i] = sum;
}
