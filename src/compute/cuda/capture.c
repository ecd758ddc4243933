/* Stream capture: a run as one CUDA graph, one launch instead of hundreds. */
#include "compute/cuda/cuda.h"

stk_status stk_cuda_capture_begin(stk_device *device, stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    STK_CUDA_TRY(cudaStreamBeginCapture(cuda->stream, cudaStreamCaptureModeThreadLocal), "capture",
                 err);
    return STK_OK;
}

size_t stk_cuda_capture_size(stk_device *device)
{
    stk_cuda                    *cuda = stk_cuda_of(device);
    enum cudaStreamCaptureStatus status;
    cudaGraph_t                  graph = NULL;
    size_t                       nodes = 0;
    if (cudaStreamGetCaptureInfo(cuda->stream, &status, NULL, &graph, NULL, NULL, NULL) !=
            cudaSuccess ||
        !graph || cudaGraphGetNodes(graph, NULL, &nodes) != cudaSuccess)
        return 0;
    return nodes;
}

stk_status stk_cuda_capture_end(stk_device *device, void **capture, stk_error *err)
{
    stk_cuda       *cuda = stk_cuda_of(device);
    cudaGraph_t     graph = NULL;
    cudaGraphExec_t exec = NULL;
    *capture = NULL;
    STK_CUDA_TRY(cudaStreamEndCapture(cuda->stream, &graph), "capture", err);
    cudaError_t code = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    if (code != cudaSuccess) return stk_cuda_fail(err, code, "cudaGraphInstantiate", "capture");
    *capture = exec;
    return STK_OK;
}

stk_status stk_cuda_capture_launch(stk_device *device, void *capture, stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    STK_CUDA_TRY(cudaGraphLaunch((cudaGraphExec_t)capture, cuda->stream), "capture", err);
    return STK_OK;
}

void stk_cuda_capture_free(stk_device *device, void *capture)
{
    stk_cuda *cuda = stk_cuda_of(device);
    if (!capture) return;
    stk_cuda_record_failure(cuda, cudaStreamSynchronize(cuda->stream), "waiting for the GPU");
    cudaGraphExecDestroy((cudaGraphExec_t)capture);
}
