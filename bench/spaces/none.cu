// The spaces of this folder are counted and walked, and nothing of them is compiled.
extern "C" __global__ void none(int *out)
{
    *out = 0;
}
