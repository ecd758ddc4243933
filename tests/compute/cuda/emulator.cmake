# The CUDA backend without cuDNN and cuBLAS, its kernels run on the CPU thread by thread: what tests of
# the area cuda load here. With a GPU the same programs load the real one (scripts/gpu-test).
enable_language(CXX)
file(GLOB host CONFIGURE_DEPENDS ${STOKER_CUDA_SOURCE}/*.c)
list(FILTER host EXCLUDE REGEX "/(cudnn|cublas|nvjpeg|capture)[^/]*\\.c$")
file(GLOB kernels CONFIGURE_DEPENDS ${STOKER_CUDA_KERNELS}/*.cu)
list(FILTER kernels EXCLUDE REGEX "/hopper[^/]*\\.cu$")
set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX)
set(emulator ${CMAKE_CURRENT_SOURCE_DIR}/compute/cuda/emulator)
add_library(stoker_cuda_emulated MODULE ${host} ${kernels} ${emulator}/fibers.cpp
            ${emulator}/runtime.c ${emulator}/hopper.c ${emulator}/nvjpeg_emulated.c)
target_include_directories(stoker_cuda_emulated PRIVATE ${emulator} ${PROJECT_SOURCE_DIR}/src)
target_include_directories(stoker_cuda_emulated SYSTEM PRIVATE ${STOKER_CUDA_ROOT}/include)
target_compile_definitions(stoker_cuda_emulated PRIVATE STK_CUDA_EMULATED _GNU_SOURCE)
# Of one file only: the rest need not be compiled again when some other source changes.
set_source_files_properties(${STOKER_CUDA_SOURCE}/cuda.c PROPERTIES COMPILE_DEFINITIONS
                            STOKER_BUILD="${STOKER_BUILD}")
target_compile_options(stoker_cuda_emulated PRIVATE
    $<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Werror>
    $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wno-format-truncation>
    $<$<COMPILE_LANGUAGE:CXX>:-x;c++;-std=c++17;-O1;-g;-Wall;-Wno-unknown-pragmas>)
target_link_libraries(stoker_cuda_emulated PRIVATE stoker_static m)
stoker_own_plugin(stoker_cuda_emulated)
if(STOKER_SANITIZE)
    # What is checked of C++ alone has no run-time part in the C programs that load this. A null pointer
    # is a fault anyway, and looking for one at each access triples the time that kernels compile.
    target_compile_options(stoker_cuda_emulated PRIVATE -fsanitize=${STOKER_SANITIZE}
                           $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=function,vptr,null,pointer-overflow>)
    target_link_options(stoker_cuda_emulated PRIVATE -fsanitize=${STOKER_SANITIZE})
endif()
target_link_options(stoker_cuda_emulated PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic
                    -Wl,--as-needed)
set_target_properties(stoker_cuda_emulated PROPERTIES C_VISIBILITY_PRESET hidden
                      CXX_VISIBILITY_PRESET hidden)
foreach(source ${STOKER_TEST_SOURCES})
    if(NOT source MATCHES "/cuda/test_")
        continue()
    endif()
    cmake_path(GET source STEM name)
    add_dependencies(cuda_${name} stoker_cuda_emulated)
    target_include_directories(cuda_${name} SYSTEM PRIVATE ${STOKER_CUDA_ROOT}/include)
    set_tests_properties(cuda/${name} PROPERTIES ENVIRONMENT
                         STOKER_PLUGIN_CUDA=$<TARGET_FILE:stoker_cuda_emulated>)
endforeach()
if(EXISTS ${STOKER_CUDA_ROOT}/include/cupti.h)
    add_library(fake_cupti MODULE ${CMAKE_CURRENT_SOURCE_DIR}/compute/cuda/fake_cupti.c)
    stoker_own_plugin(fake_cupti)
    target_include_directories(fake_cupti SYSTEM PRIVATE ${STOKER_CUDA_ROOT}/include)
    set_target_properties(fake_cupti PROPERTIES PREFIX "" OUTPUT_NAME libcupti_fake)
    add_dependencies(cuda_test_device_profiler fake_cupti)
    target_compile_definitions(cuda_test_device_profiler PRIVATE STK_FAKE_CUPTI="$<TARGET_FILE_NAME:fake_cupti>")
endif()
