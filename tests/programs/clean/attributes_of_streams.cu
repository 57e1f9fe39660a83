// run:
// prints: flags 1, priority -5 after -9\nratio 2: invalid argument\npeers: invalid device ordinal\n7 8\n
// What a stream is told about caches and priorities changes nothing; there is one device, so there are no peers.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                  \
  do {                                                                               \
    const cudaError_t error = (call);                                                \
    if (error != cudaSuccess) {                                                      \
      printf("line %d: %s (%d)\n", __LINE__, cudaGetErrorString(error), (int)error); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

int main() {
  cudaStream_t one;
  unsigned int flags;
  int priority, value, host[2] = {7, 8}, back[2] = {};
  CHECK(cudaStreamCreateWithPriority(&one, cudaStreamNonBlocking, -9));
  CHECK(cudaStreamGetFlags(one, &flags));
  CHECK(cudaStreamGetPriority(one, &priority));
  printf("flags %u, priority %d after -9\n", flags, priority);

  int *x, *y;
  CHECK(cudaMalloc(&x, 256));
  CHECK(cudaMalloc(&y, 256));
  cudaStreamAttrValue attribute = {};
  attribute.accessPolicyWindow.base_ptr = x;
  attribute.accessPolicyWindow.num_bytes = 256;
  attribute.accessPolicyWindow.hitRatio = 0.5f;
  attribute.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  attribute.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  CHECK(cudaStreamSetAttribute(one, cudaStreamAttributeAccessPolicyWindow, &attribute));
  attribute.accessPolicyWindow.hitRatio = 2;
  printf("ratio 2: %s\n", cudaGetErrorString(cudaStreamSetAttribute(one, cudaStreamAttributeAccessPolicyWindow, &attribute)));
  CHECK(cudaCtxResetPersistingL2Cache());

  printf("peers: %s\n", cudaGetErrorString(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1)));
  CHECK(cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, one));
  CHECK(cudaMemcpyPeerAsync(y, 0, x, 0, sizeof host, one));
  CHECK(cudaMemcpyAsync(back, y, sizeof back, cudaMemcpyDeviceToHost, one));
  CHECK(cudaStreamSynchronize(one));
  printf("%d %d\n", back[0], back[1]);
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaStreamDestroy(one));
}
