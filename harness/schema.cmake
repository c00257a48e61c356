# Sets PARALLAX_SCHEMA_SOURCE, which holds the text of the result schema, so that a binary can
# check files wherever it is. Where Dependencies.cmake names no target `valijson`, its headers are
# looked for here.
set(schema_file ${CMAKE_SOURCE_DIR}/results/schema/parallax-result-1.schema.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema_file})
file(READ ${schema_file} schema)
set(PARALLAX_SCHEMA_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/results_schema.cpp)
configure_file(${CMAKE_CURRENT_LIST_DIR}/results_schema.cpp.in ${PARALLAX_SCHEMA_SOURCE} @ONLY)

if(NOT TARGET valijson)
  find_path(PARALLAX_VALIJSON_INCLUDE valijson/adapters/nlohmann_json_adapter.hpp)
  if(NOT PARALLAX_VALIJSON_INCLUDE)
    message(FATAL_ERROR "valijson was not found; Debian and Ubuntu: apt install libvalijson-dev")
  endif()
  add_library(valijson INTERFACE)
  target_include_directories(valijson SYSTEM INTERFACE ${PARALLAX_VALIJSON_INCLUDE})
  target_compile_definitions(valijson INTERFACE VALIJSON_USE_EXCEPTIONS=1)
endif()
