# The backend for NVIDIA GPUs is a file of its own, libstoker_cuda.so, built where nvcc and cuDNN are.
# Nothing else links CUDA: a machine without a driver never loads it.
set(STOKER_CUDA_ARCHITECTURES "80;86;89;90" CACHE STRING
    "Compute capabilities that libstoker_cuda.so has machine code for; PTX of the last for newer ones, unless it ends in -real")
find_program(STOKER_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
set(STOKER_CUDA_FOUND OFF)
if(STOKER_NVCC)
    cmake_path(GET STOKER_NVCC PARENT_PATH STOKER_CUDA_ROOT)
    cmake_path(GET STOKER_CUDA_ROOT PARENT_PATH STOKER_CUDA_ROOT)
    find_path(STOKER_CUDNN_INCLUDE cudnn_graph.h HINTS ${STOKER_CUDA_ROOT}/include)
    foreach(name cudart cudnn cublasLt)
        find_library(STOKER_LIB_${name} ${name} HINTS ${STOKER_CUDA_ROOT}/lib64)
    endforeach()
    if(STOKER_CUDNN_INCLUDE AND STOKER_LIB_cudart AND STOKER_LIB_cudnn AND STOKER_LIB_cublasLt)
        set(STOKER_CUDA_FOUND ON)
        if(STOKER_CUDA)
            message(STATUS "CUDA: ${STOKER_CUDA_ROOT}, for compute capabilities ${STOKER_CUDA_ARCHITECTURES}")
        else()
            message(STATUS "CUDA: left out (STOKER_CUDA=OFF)")
        endif()
    else()
        message(WARNING "nvcc is here but cuDNN or cuBLAS is not: building without the CUDA backend")
    endif()
else()
    message(STATUS "CUDA: nvcc is not here: building without the backend for NVIDIA GPUs")
endif()

set(STOKER_CUDA_SOURCE ${PROJECT_SOURCE_DIR}/src/compute/cuda)
set(STOKER_CUDA_KERNELS ${PROJECT_SOURCE_DIR}/src/compute/cuda_kernels)

# stoker_cuda_objects(OUT): compiles every .cu with nvcc. Own commands, since CMake of Debian 12 does
# not know this toolkit's architectures.
function(stoker_cuda_objects out)
    file(GLOB sources CONFIGURE_DEPENDS ${STOKER_CUDA_KERNELS}/*.cu)
    file(GLOB headers CONFIGURE_DEPENDS ${STOKER_CUDA_KERNELS}/*.cuh ${STOKER_CUDA_KERNELS}/*.h
         ${PROJECT_SOURCE_DIR}/src/tensor/*.h ${PROJECT_SOURCE_DIR}/src/edit/*.h)
    set(targets)
    foreach(entry ${STOKER_CUDA_ARCHITECTURES})
        string(REPLACE "-real" "" arch ${entry})
        if(arch EQUAL 90) # wgmma and its like are of 9.0 only
            list(APPEND targets -gencode arch=compute_90a,code=sm_90a)
        else()
            list(APPEND targets -gencode arch=compute_${arch},code=sm_${arch})
        endif()
        set(last ${entry})
    endforeach()
    if(NOT last MATCHES "-real$") # as CMake's own CUDA_ARCHITECTURES: machine code alone
        list(APPEND targets -gencode arch=compute_${last},code=compute_${last})
    endif()
    foreach(source ${sources})
        cmake_path(GET source FILENAME name)
        set(object ${PROJECT_BINARY_DIR}/cuda/${name}.o)
        add_custom_command(OUTPUT ${object}
            COMMAND ${STOKER_NVCC} -std=c++17 -O3 ${targets} --expt-relaxed-constexpr -lineinfo
                    -Xcompiler=-fPIC,-Wall,-fvisibility=hidden${STOKER_HARDEN_NVCC} -I${PROJECT_SOURCE_DIR}/src
                    -I${PROJECT_SOURCE_DIR}/include -c ${source} -o ${object}
            DEPENDS ${source} ${headers}
            COMMENT "nvcc ${name}" VERBATIM)
        list(APPEND objects ${object})
    endforeach()
    set(${out} ${objects} PARENT_SCOPE)
endfunction()

# stoker_own_plugin(TARGET): it is loaded only from a file and folder that nobody else may write, which
# a umask of 002 would allow.
function(stoker_own_plugin target)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
        COMMAND chmod go-w $<TARGET_FILE:${target}> $<TARGET_FILE_DIR:${target}>)
endfunction()

function(stoker_cuda_plugin)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cuda)
    stoker_cuda_objects(cuda_objects)
    file(GLOB cuda_host CONFIGURE_DEPENDS ${STOKER_CUDA_SOURCE}/*.c)
    add_library(stoker_cuda MODULE ${cuda_host} ${cuda_objects})
    target_include_directories(stoker_cuda PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_include_directories(stoker_cuda SYSTEM PRIVATE ${STOKER_CUDA_ROOT}/include
                               ${STOKER_CUDNN_INCLUDE})
    target_compile_definitions(stoker_cuda PRIVATE STOKER_BUILD="${STOKER_BUILD}")
    # What it uses of the library is a copy of its own: it finds its way in any program that loads it.
    target_link_libraries(stoker_cuda PRIVATE stoker_flags stoker_static ${STOKER_LIB_cudart}
                          ${STOKER_LIB_cudnn} ${STOKER_LIB_cublasLt} m)
    target_link_options(stoker_cuda PRIVATE -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-Bsymbolic
                        -Wl,--as-needed)
    set_target_properties(stoker_cuda PROPERTIES C_VISIBILITY_PRESET hidden
                          BUILD_RPATH ${STOKER_CUDA_ROOT}/lib64 INSTALL_RPATH ${STOKER_CUDA_ROOT}/lib64)
    stoker_own_plugin(stoker_cuda)
endfunction()
