# Finds nvcc and chooses what to compile for. Sets PARALLAX_NVCC (empty: built without CUDA),
# PARALLAX_NVCC_VERSION, PARALLAX_CUDA_REASON and PARALLAX_GENCODE. No GPU is needed or asked.
set(PARALLAX_CUDA_MINIMUM 12.8)  # cudaLibraryLoadData, cudaLibraryGetKernel in the runtime
set(PARALLAX_NVCC "")
set(PARALLAX_NVCC_VERSION "")
set(PARALLAX_CUDA_REASON "")
set(PARALLAX_GENCODE "")

# Sets `result` to whether nvcc compiles for the architecture. nvcc itself is asked: its lists
# leave out the forms with a suffix, and it refuses an unknown one before it compiles anything.
function(nvcc_knows arch result)
  set(probe ${CMAKE_BINARY_DIR}/probe.cu)
  file(WRITE ${probe} "")
  execute_process(COMMAND ${PARALLAX_NVCC_PROGRAM} --dryrun -fatbin
                          -gencode arch=compute_${arch},code=sm_${arch} ${probe} -o ${probe}.fatbin
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Sets PARALLAX_GENCODE from PARALLAX_CUDA_ARCHITECTURES: machine code for each architecture that
# nvcc knows, and PTX of the newest for the GPUs that come after it.
function(choose_architectures)
  set(option "PARALLAX_CUDA_ARCHITECTURES")
  set(level NOTICE)
  string(REGEX REPLACE "[ ,]+" ";" wanted "${PARALLAX_CUDA_ARCHITECTURES}")
  if(wanted STREQUAL "default")
    set(wanted 75 80 86 89 90a 100 120)
    set(level STATUS)  # nobody asked for these one by one
  elseif(wanted STREQUAL "one")
    set(wanted 80)
  endif()
  set(gencode "")
  set(newest 0)
  foreach(arch IN LISTS wanted)
    if(NOT arch MATCHES "^([0-9]+)[af]?$")
      message(FATAL_ERROR "${option} has \"${arch}\": expected numbers as in 75;90a, or 'default' or 'one'")
    endif()
    set(base ${CMAKE_MATCH_1})
    nvcc_knows(${arch} known)
    if(NOT known)
      message(${level} "Parallax: nvcc ${PARALLAX_NVCC_VERSION} does not know architecture ${arch}; "
                       "left out (${option} chooses)")
      continue()
    endif()
    list(APPEND gencode -gencode arch=compute_${arch},code=sm_${arch})
    if(base GREATER newest)
      set(newest ${base})
    endif()
  endforeach()
  if(NOT gencode)
    message(FATAL_ERROR "nvcc ${PARALLAX_NVCC_VERSION} knows none of ${option} = \"${PARALLAX_CUDA_ARCHITECTURES}\"; "
                        "name others, or leave CUDA out with -DPARALLAX_CUDA=OFF")
  endif()
  # Without the suffix: code for compute_90a runs on nothing newer than itself.
  list(APPEND gencode -gencode arch=compute_${newest},code=compute_${newest})
  set(PARALLAX_GENCODE "${gencode}" PARENT_SCOPE)
endfunction()

# Sets `result` to why nvcc cannot compile here, such as a host compiler that is too new for it,
# or to nothing. Told now rather than at the first kernel of the build.
function(nvcc_fails result)
  set(identity "${PARALLAX_NVCC_PROGRAM} ${PARALLAX_NVCC_VERSION}")
  if(NOT PARALLAX_NVCC_TRIED STREQUAL identity)
    set(probe ${CMAKE_BINARY_DIR}/probe.cu)
    file(WRITE ${probe} "extern \"C\" __global__ void probe(int* out) { *out = 1; }\n")
    execute_process(COMMAND ${PARALLAX_NVCC_PROGRAM} -fatbin ${probe} -o ${probe}.fatbin
                    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
    set(problem "")
    if(NOT status EQUAL 0)
      string(REGEX MATCH "[^\n]*error[^\n]*" problem "${text}")
      string(STRIP "${problem}" problem)
      set(problem "nvcc ${PARALLAX_NVCC_VERSION} fails on an empty kernel: ${problem}")
      string(REGEX REPLACE "[\"\\;]" "'" problem "${problem}")  # it ends in a C++ literal
    endif()
    set(PARALLAX_NVCC_PROBLEM "${problem}" CACHE INTERNAL "")
    set(PARALLAX_NVCC_TRIED "${identity}" CACHE INTERNAL "")
  endif()
  set(${result} "${PARALLAX_NVCC_PROBLEM}" PARENT_SCOPE)
endfunction()

if(PARALLAX_NVCC_PROGRAM AND NOT EXISTS ${PARALLAX_NVCC_PROGRAM})
  unset(PARALLAX_NVCC_PROGRAM CACHE)  # an earlier configure found it; it has been removed since
endif()
find_program(PARALLAX_NVCC_PROGRAM nvcc
             HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
if(DEFINED PARALLAX_CUDA AND NOT PARALLAX_CUDA)
  set(PARALLAX_CUDA_REASON "configured with PARALLAX_CUDA=OFF")
elseif(NOT PARALLAX_NVCC_PROGRAM)
  set(PARALLAX_CUDA_REASON "nvcc was not found (on PATH, in CUDA_HOME or /usr/local/cuda)")
else()
  execute_process(COMMAND ${PARALLAX_NVCC_PROGRAM} --version OUTPUT_VARIABLE text ERROR_QUIET)
  if(text MATCHES "release [0-9]+\\.[0-9]+, V([0-9.]+)")
    set(PARALLAX_NVCC_VERSION ${CMAKE_MATCH_1})
  endif()
  if(NOT PARALLAX_NVCC_VERSION)
    set(PARALLAX_CUDA_REASON "${PARALLAX_NVCC_PROGRAM} does not tell its version")
  elseif(PARALLAX_NVCC_VERSION VERSION_LESS PARALLAX_CUDA_MINIMUM)
    set(PARALLAX_CUDA_REASON
        "nvcc ${PARALLAX_NVCC_VERSION} is older than ${PARALLAX_CUDA_MINIMUM}")
  else()
    set(CUDAToolkit_NVCC_EXECUTABLE ${PARALLAX_NVCC_PROGRAM})
    find_package(CUDAToolkit QUIET)
    if(NOT TARGET CUDA::cudart_static)
      set(PARALLAX_CUDA_REASON "no static CUDA runtime beside ${PARALLAX_NVCC_PROGRAM}")
    else()
      nvcc_fails(PARALLAX_CUDA_REASON)
    endif()
  endif()
endif()

if(PARALLAX_CUDA_REASON)
  message(NOTICE "Parallax: built without CUDA: ${PARALLAX_CUDA_REASON}")
else()
  set(PARALLAX_NVCC ${PARALLAX_NVCC_PROGRAM})
  choose_architectures()
  string(REGEX MATCHALL "code=[a-z0-9_]+" codes "${PARALLAX_GENCODE}")
  string(REGEX REPLACE "code=" "" codes "${codes}")
  message(STATUS "CUDA ${PARALLAX_NVCC_VERSION}: ${codes}")
endif()
