# Finds the GLSL compiler: in VULKAN_SDK, on PATH, or where the distribution puts it. Sets
# PARALLAX_GLSLANG and PARALLAX_GLSLANG_VERSION; without one, configuring stops here.
set(PARALLAX_GLSLANG_MINIMUM 12)

if(PARALLAX_GLSLANG AND NOT EXISTS ${PARALLAX_GLSLANG})
  unset(PARALLAX_GLSLANG CACHE)  # an earlier configure found it; it has been removed since
endif()
if(DEFINED ENV{VULKAN_SDK})
  find_program(PARALLAX_GLSLANG NAMES glslang glslangValidator NAMES_PER_DIR
               PATHS $ENV{VULKAN_SDK}/bin $ENV{VULKAN_SDK}/x86_64/bin NO_DEFAULT_PATH)
endif()
find_program(PARALLAX_GLSLANG NAMES glslang glslangValidator NAMES_PER_DIR
             DOC "GLSL compiler, version ${PARALLAX_GLSLANG_MINIMUM} or newer")
set(ways_out "install glslang-tools (scripts/setup.sh does), set VULKAN_SDK, or name one with "
             "-DPARALLAX_GLSLANG=PATH")
if(NOT PARALLAX_GLSLANG)
  message(FATAL_ERROR "No glslang or glslangValidator in VULKAN_SDK or on PATH: " ${ways_out})
endif()

execute_process(COMMAND ${PARALLAX_GLSLANG} --version OUTPUT_VARIABLE text ERROR_QUIET)
if(NOT text MATCHES "Glslang Version: ([0-9]+:)?([0-9]+\\.[0-9]+\\.[0-9]+)")
  message(FATAL_ERROR "${PARALLAX_GLSLANG} does not tell its version: " ${ways_out})
endif()
set(PARALLAX_GLSLANG_VERSION ${CMAKE_MATCH_2})
if(PARALLAX_GLSLANG_VERSION VERSION_LESS PARALLAX_GLSLANG_MINIMUM)
  message(FATAL_ERROR "${PARALLAX_GLSLANG} is glslang ${PARALLAX_GLSLANG_VERSION}; "
                      "${PARALLAX_GLSLANG_MINIMUM} or newer is needed: " ${ways_out})
endif()
message(STATUS "glslang ${PARALLAX_GLSLANG_VERSION}: ${PARALLAX_GLSLANG}")

# What was learnt about one compiler's extensions says nothing about another's.
set(identity "${PARALLAX_GLSLANG} ${PARALLAX_GLSLANG_VERSION}")
if(NOT PARALLAX_GLSL_PROBED STREQUAL identity)
  get_cmake_property(cached CACHE_VARIABLES)
  list(FILTER cached INCLUDE REGEX "^PARALLAX_GLSL_")
  foreach(variable IN LISTS cached)
    unset(${variable} CACHE)
  endforeach()
  set(PARALLAX_GLSL_PROBED "${identity}" CACHE INTERNAL "")
endif()
