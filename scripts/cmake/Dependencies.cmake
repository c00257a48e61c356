# Finds the libraries that Parallax is built from: the system's package first, else a fixed release
# checked by its hash. PARALLAX_FETCH=OFF keeps the build off the network: a missing package is
# then an error that names it.
include(FetchContent)
option(PARALLAX_FETCH "Fetch dependencies that the system lacks" ON)

# Provides the target TARGET, through find_package(<name>) or from URL. HEADERS names the include
# folder of a library that is nothing but headers: its own CMake code is then left alone.
function(need name)
  cmake_parse_arguments(arg "" "TARGET;MINIMUM;PACKAGE;URL;SHA256;HEADERS" "" ${ARGN})
  find_package(${name} ${arg_MINIMUM} QUIET)
  if(TARGET ${arg_TARGET})
    message(STATUS "${name} ${${name}_VERSION}: the system's")
    return()
  endif()
  if(NOT PARALLAX_FETCH)
    message(FATAL_ERROR "${name} was not found: install ${arg_PACKAGE}, run scripts/setup.sh, or "
                        "allow fetching it with -DPARALLAX_FETCH=ON")
  endif()
  message(STATUS "${name}: not on this system, taken from ${arg_URL}")
  set(BUILD_SHARED_LIBS OFF)
  set(header_only "")
  if(arg_HEADERS)
    set(header_only SOURCE_SUBDIR without-its-cmake)
  endif()
  FetchContent_Declare(${name} SYSTEM OVERRIDE_FIND_PACKAGE
                       URL ${arg_URL} URL_HASH SHA256=${arg_SHA256}
                       DOWNLOAD_EXTRACT_TIMESTAMP ON ${header_only})
  FetchContent_MakeAvailable(${name})
  if(arg_HEADERS)
    string(TOLOWER ${name} lower)
    add_library(${arg_TARGET} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${arg_TARGET} INTERFACE ${${lower}_SOURCE_DIR}/${arg_HEADERS})
  endif()
endfunction()

# What the fetched projects may add to the build: their library, nothing else.
set(BENCHMARK_ENABLE_TESTING OFF CACHE INTERNAL "")
set(BENCHMARK_ENABLE_INSTALL OFF CACHE INTERNAL "")
set(BENCHMARK_ENABLE_WERROR OFF CACHE INTERNAL "")
set(FMT_INSTALL OFF CACHE INTERNAL "")
set(INSTALL_GTEST OFF CACHE INTERNAL "")

set(hub https://github.com)
find_package(Threads REQUIRED)
need(fmt TARGET fmt::fmt MINIMUM 9 PACKAGE libfmt-dev
     URL ${hub}/fmtlib/fmt/archive/10.2.1.tar.gz
     SHA256 1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811)
need(benchmark TARGET benchmark::benchmark MINIMUM 1.7 PACKAGE libbenchmark-dev
     URL ${hub}/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
     SHA256 6bc180a57d23d4d9515519f92b0c83d61b05b5bab188961f36ac7b06b0d9e9ce)
need(nlohmann_json TARGET nlohmann_json::nlohmann_json MINIMUM 3.11 PACKAGE nlohmann-json3-dev
     URL ${hub}/nlohmann/json/archive/v3.11.3.tar.gz HEADERS include
     SHA256 0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406)
need(CLI11 TARGET CLI11::CLI11 MINIMUM 2.1 PACKAGE libcli11-dev
     URL ${hub}/CLIUtils/CLI11/archive/v2.4.2.tar.gz HEADERS include
     SHA256 f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
need(valijson TARGET valijson PACKAGE libvalijson-dev
     URL ${hub}/tristanpenman/valijson/archive/v1.0.3.tar.gz HEADERS include
     SHA256 0fbd3cd2312b441c6373ee116e9a162c400f9e3cd79f6b32665cdd22fa11ac3f)
target_compile_definitions(valijson INTERFACE VALIJSON_USE_EXCEPTIONS=1)
if(PARALLAX_TESTS)
  need(GTest TARGET GTest::gmock PACKAGE "libgtest-dev and libgmock-dev"
       URL ${hub}/google/googletest/archive/refs/tags/v1.14.0.tar.gz
       SHA256 8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7)
endif()

# Vulkan's headers only: the loader is opened at run time. FindVulkan makes no target of headers that
# stand alone.
find_package(Vulkan QUIET)
if(Vulkan_INCLUDE_DIR AND NOT TARGET Vulkan::Headers)
  add_library(Vulkan::Headers INTERFACE IMPORTED)
  target_include_directories(Vulkan::Headers INTERFACE ${Vulkan_INCLUDE_DIR})
endif()
if(TARGET Vulkan::Headers AND Vulkan_VERSION VERSION_GREATER_EQUAL 1.3)
  set(PARALLAX_VULKAN_HEADERS TRUE)
endif()
