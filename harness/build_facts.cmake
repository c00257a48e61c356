# Sets PARALLAX_BUILD_FACTS_SOURCE, which defines tool_facts(), and the target
# parallax_build_commit, on which whatever compiles it depends; PARALLAX_BUILD_FACTS_INCLUDE is
# its private include folder.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(REGEX REPLACE "[^ ]*[/\\][^ ]*" "" build_flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
string(REGEX REPLACE "  +" " " build_flags "${build_flags}")
string(STRIP "${build_flags}" build_flags)
set(build_cuda "")
if(PARALLAX_NVCC)
  set(build_cuda "${PARALLAX_NVCC_VERSION}")
endif()

set(PARALLAX_BUILD_FACTS_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/build_facts.cpp)
set(PARALLAX_BUILD_FACTS_INCLUDE ${CMAKE_CURRENT_BINARY_DIR}/include)
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_facts.cpp.in ${PARALLAX_BUILD_FACTS_SOURCE} @ONLY)
add_custom_target(parallax_build_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR}
          -DOUTPUT=${PARALLAX_BUILD_FACTS_INCLUDE}/harness/build_commit.hpp
          -P ${CMAKE_CURRENT_LIST_DIR}/build_commit.cmake
  BYPRODUCTS ${PARALLAX_BUILD_FACTS_INCLUDE}/harness/build_commit.hpp)
