find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(benchmark REQUIRED)

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
