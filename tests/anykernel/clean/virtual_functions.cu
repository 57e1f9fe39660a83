// check: --kernel areas --block 32 --arg 'float[32]'
struct Shape {
  float size;
  __device__ Shape(float s) : size(s) {}
  __device__ virtual float area() const = 0;
  __device__ virtual float twice() const { return 2 * area(); }
};
struct Square : Shape {
  __device__ Square(float s) : Shape(s) {}
  __device__ float area() const override { return size * size; }
};
struct Named {
  int name = 7;
  __device__ virtual int id() const { return name; }
};
struct Circle : Named, Shape {
  __device__ Circle(float s) : Shape(s) {}
  __device__ float area() const override { return 3.0f * size * size; }
  __device__ float twice() const final { return area() + area(); }
  __device__ int id() const override { return name + 1; }
};

__global__ void areas(float* out) {
  int i = threadIdx.x;
  Square square(i);
  Circle circle(i);
  const Shape* shape = i % 2 ? static_cast<const Shape*>(&square) : &circle;
  const Named* named = &circle;
  out[i] = shape->area() + shape->twice() + named->id();
}
