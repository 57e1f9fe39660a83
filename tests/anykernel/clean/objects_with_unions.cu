// check: --block 8 --arg 'Vector[8]=random' --arg 'Slot[8]=3' --arg 'Either[1]={{f=2, data=float[8]=iota}}' --arg 'Vector={1,2,3}' --arg 'float[8]'
// A union is described by the member that says most of it: the whole word of Slot, the three numbers of Vector.
struct Vector {
  union {
    struct {
      float x, y, z;
    };
    float v[3];
  };
  __device__ Vector(const Vector& other) : x(other.x), y(other.y), z(other.z) {}
};

union Slot {
  struct {
    bool set;
    int value;
  };
  unsigned long long word;
};

struct Either {
  union {
    float f;
    int i;
  };
  float* data;
};

__global__ void read(Vector* points, Slot* slots, Either* either, Vector one, float* out) {
  const int i = threadIdx.x;
  out[i] = points[i].v[1] + (slots[i].word & 1) + either->data[i] + either->f + one.y;
}
