# Finds the GLSL compiler. Sets PARALLAX_GLSLANG and PARALLAX_GLSLANG_VERSION.
find_program(PARALLAX_GLSLANG NAMES glslang glslangValidator HINTS $ENV{VULKAN_SDK}/bin)
if(NOT PARALLAX_GLSLANG)
  message(FATAL_ERROR "glslangValidator was not found: install glslang-tools, set VULKAN_SDK, or "
                      "run scripts/setup.sh")
endif()
execute_process(COMMAND ${PARALLAX_GLSLANG} --version OUTPUT_VARIABLE text)
if(NOT text MATCHES "Glslang Version: [0-9]*:?([0-9]+\\.[0-9]+\\.[0-9]+)")
  message(FATAL_ERROR "${PARALLAX_GLSLANG} does not tell its version")
endif()
set(PARALLAX_GLSLANG_VERSION ${CMAKE_MATCH_1})
if(PARALLAX_GLSLANG_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "glslang ${PARALLAX_GLSLANG_VERSION} is too old; 12 or newer is needed")
endif()
