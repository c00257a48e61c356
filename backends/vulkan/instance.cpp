#include "backends/vulkan/instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backends/library.hpp"
#include "backends/vulkan/search.hpp"

namespace parallax::vulkan {
namespace {

#ifdef __APPLE__
constexpr const char* kLoaders[] = {"libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"};
#else
constexpr const char* kLoaders[] = {"libvulkan.so.1", "libvulkan.so"};
#endif

bool has_portability_enumeration(const GlobalApi& api) {
  const auto extensions = enumerate<VkExtensionProperties>(
      "vkEnumerateInstanceExtensionProperties()",
      [&](std::uint32_t* count, VkExtensionProperties* items) {
        return api.vkEnumerateInstanceExtensionProperties(nullptr, count, items);
      });
  return std::ranges::any_of(extensions, [](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME) == 0;
  });
}

VkResult create_instance(const GlobalApi& api, std::uint32_t version, VkInstance* instance) {
  auto application = blank<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "parallax";
  application.apiVersion = version;
  auto create = blank<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  create.pApplicationInfo = &application;
  const char* portability = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
  // Without it the loader hides drivers that are not fully conformant (MoltenVK).
  if (has_portability_enumeration(api)) {
    create.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    create.enabledExtensionCount = 1;
    create.ppEnabledExtensionNames = &portability;
  }
  return api.vkCreateInstance(&create, nullptr, instance);
}

}  // namespace

std::variant<std::unique_ptr<Instance>, Absent> Instance::create() {
  const auto opened = Library::open(kLoaders);
  if (const auto* absent = std::get_if<Absent>(&opened)) {
    return Absent{fmt::format("no Vulkan loader ({})", absent->reason)};
  }
  const auto& library = std::get<Library>(opened);
  const auto get =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(library.symbol("vkGetInstanceProcAddr"));
  if (get == nullptr) {
    return Absent{fmt::format("{} is no Vulkan loader: no vkGetInstanceProcAddr", library.name())};
  }
  const GlobalApi api = load_global(get);
  std::uint32_t version = VK_API_VERSION_1_0;  // a loader without the question is a 1.0 loader
  if (api.vkEnumerateInstanceVersion != nullptr) {
    check(api.vkEnumerateInstanceVersion(&version), "vkEnumerateInstanceVersion()");
  }
  if (version < VK_API_VERSION_1_2) {
    return Absent{fmt::format("{} offers Vulkan {}.{}; 1.2 is needed", library.name(),
                              VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version))};
  }
  version = std::min<std::uint32_t>(version, VK_API_VERSION_1_3);
  VkInstance instance = VK_NULL_HANDLE;
  const VkResult result = create_instance(api, version, &instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) return Absent{no_driver_reason()};
  check(result, "vkCreateInstance()");
  return std::unique_ptr<Instance>(new Instance(get, instance, version));
}

std::vector<VkPhysicalDevice> Instance::physical_devices() const {
  return enumerate<VkPhysicalDevice>(
      "vkEnumeratePhysicalDevices()", [&](std::uint32_t* count, VkPhysicalDevice* items) {
        const VkResult result = api_.vkEnumeratePhysicalDevices(api_.instance, count, items);
        if (result != VK_ERROR_INITIALIZATION_FAILED) return result;
        *count = 0;  // what the loader says when drivers loaded but none found a device
        return VK_SUCCESS;
      });
}

}  // namespace parallax::vulkan
