// crash in line 13: --kernel areas --block 4 --arg 'float[4]=0'
struct Shape {
  float size;
  __device__ virtual float area() const { return size; }
};

__global__ void areas(float* out) {
  __shared__ __align__(16) unsigned char bytes[4][sizeof(Shape)];
  int i = threadIdx.x;
  for (int k = 0; k < sizeof(Shape); ++k) bytes[i][k] = 0;
  Shape* shape = reinterpret_cast<Shape*>(bytes[i]);
  *reinterpret_cast<void***>(shape) = reinterpret_cast<void**>(out);
  out[i] = shape->area();
}
