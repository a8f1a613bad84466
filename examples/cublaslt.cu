// cuBLASLt's algorithms for C = A * B in f32: the heuristics' list, of which `place` is the one to
// take.
#include <cublasLt.h>

#include <cstddef>

namespace
{

enum { PLACES_MAX = 16 };

struct product {
    cublasLtHandle_t handle = nullptr;
    cublasLtMatmulDesc_t doing = nullptr;
    cublasLtMatrixLayout_t square = nullptr;
    cublasLtMatmulHeuristicResult_t found[PLACES_MAX];
    int found_count = 0, n = 0;
    size_t bytes = 0;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

    void find(cublasStatus_t next)
    {
        status = status == CUBLAS_STATUS_SUCCESS ? next : status;
    }
    product(int size, size_t workspace) : n(size), bytes(workspace)
    {
        cublasLtMatmulPreference_t wish = nullptr;
        find(cublasLtCreate(&handle));
        find(cublasLtMatmulDescCreate(&doing, CUBLAS_COMPUTE_32F, CUDA_R_32F));
        find(cublasLtMatrixLayoutCreate(&square, CUDA_R_32F, n, n, n));
        find(cublasLtMatmulPreferenceCreate(&wish));
        if (status == CUBLAS_STATUS_SUCCESS)
            find(cublasLtMatmulPreferenceSetAttribute(
                wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes));
        if (status == CUBLAS_STATUS_SUCCESS)
            find(cublasLtMatmulAlgoGetHeuristic(handle, doing, square, square, square, square, wish,
                                                PLACES_MAX, found, &found_count));
        if (wish)
            cublasLtMatmulPreferenceDestroy(wish);
    }
};

} // namespace

// Multiplies by the algorithm at `place` of the list. Returns -1, which is a configuration that
// fails, behind its end.
int multiply(const float *a, const float *b, float *c, int n, int place, void *workspace,
             size_t bytes, cudaStream_t stream)
{
    static product *made = nullptr; // of the size and workspace asked for last
    if (!made || made->n != n || made->bytes != bytes)
        made = new product(n, bytes); // a tuned process ends soon; a program keeps its own
    const float one = 1, zero = 0;
    if (made->status != CUBLAS_STATUS_SUCCESS)
        return made->status;
    if (place >= made->found_count)
        return -1;
    return cublasLtMatmul(made->handle, made->doing, &one, a, made->square, b, made->square, &zero,
                          c, made->square, c, made->square, &made->found[place].algo, workspace,
                          bytes, stream);
}
