// launch-error in line 0: --kernel nothing --block 2048 --arg 'int[1]=0'
__global__ void nothing(int* A) {}
