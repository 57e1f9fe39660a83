// check: --kernel step --block 64 --arg 'Body[64]=random' --arg 'float3[64]=random' --arg 'Body[64]' --arg float=0.01 --arg bool=true
struct Body {
  float4 position;  // w: mass
  float3 velocity;
  int id;
};

__device__ float3 operator*(float s, float3 v) { return make_float3(s * v.x, s * v.y, s * v.z); }

__global__ void step(const Body* before, const float3* force, Body* after, float dt, bool moves) {
  const unsigned i = threadIdx.x;
  Body body = before[i];
  const float3 change = dt * force[i];
  body.velocity.x += change.x;
  body.velocity.y += change.y;
  body.velocity.z += change.z;
  if (moves) body.position.x += dt * body.velocity.x;
  after[i] = body;
}
