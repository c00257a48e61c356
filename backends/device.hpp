/// The whole interface between the suite and a compute API. Read this first.
///
/// A backend is a folder that implements Backend and Device for one API. It knows nothing of
/// workloads, statistics or files: it allocates, finds kernels by name, copies, fills, and runs
/// one timed sequence of launches. Timing is a return value, so events, query pools and profiling
/// queues never leave the backend. Left out on purpose until a second workload needs them:
/// streams, events, images, mapping, sub-allocation, async copies, several queues, graphs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace parallax {

/// Storage buffers and bytes of constants that a kernel may take, the same in every API. The
/// second is what Vulkan guarantees for push constants.
inline constexpr std::size_t kMaxBuffers = 8;
inline constexpr std::size_t kMaxConstantBytes = 128;

enum class DeviceType { discrete_gpu, integrated_gpu, virtual_gpu, cpu, other };

/// Names the type as result files spell it ("discrete_gpu").
std::string_view to_string(DeviceType type);

/// The device clock behind Timing::device_ns.
struct Timer {
  std::string source;      ///< "cuda_event", "opencl_event", "vulkan_timestamp", "steady_clock"
  double period_ns = 1.0;  ///< length of one tick
  std::uint32_t valid_bits = 64;  ///< 0: the device has no clock; rows then name the host clock
  double declared_ns = 0.0;       ///< resolution that the API states; 0 if it states none
};

/// Limits that the device publishes. 0 means that the API publishes none.
struct Limits {
  std::uint64_t memory_bytes = 0;                  ///< device memory in all
  std::uint64_t max_buffer_bytes = 0;              ///< largest single allocation
  std::uint64_t max_binding_bytes = 0;             ///< largest buffer that a kernel can address
  std::uint64_t max_group_lanes = 0;               ///< lanes in one group
  std::array<std::uint64_t, 3> max_group_size{};   ///< lanes per dimension of one group
  std::array<std::uint64_t, 3> max_group_count{};  ///< groups per dimension of one launch
  std::uint64_t shared_bytes = 0;                  ///< shared (local) memory of one group
};

/// Facts of one device, gathered without creating a context. Strings may hold whatever bytes the
/// driver returned; the writer of result files repairs invalid UTF-8.
struct DeviceInfo {
  std::string id;    ///< "<api>:<index>"; the index is a convenience, not an identity
  std::string api;   ///< name of the backend
  std::string name;  ///< device name from the driver
  DeviceType type = DeviceType::other;
  std::string api_version;          ///< "13.0", "1.4.312", "3.0"
  std::string driver;               ///< driver name and version
  std::string platform;             ///< OpenCL platform; empty elsewhere
  std::optional<std::string> uuid;  ///< lower-case 8-4-4-4-12
  std::optional<std::string> pci;   ///< "0000:00:06.0", lower-case
  std::optional<std::string> luid;  ///< 16 lower-case hex digits
  Limits limits;
  std::uint64_t l2_bytes = 0;         ///< 0 where the API does not tell
  std::uint32_t subgroup_size = 0;    ///< 0 where the API does not tell
  std::vector<std::string> features;  ///< of "f16_storage", "f16_arithmetic", "f64", "subgroup"
  Timer timer;
};

/// A device-local buffer. Contents are undefined until written or filled.
class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

 protected:
  explicit Buffer(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}

 private:
  std::uint64_t size_bytes_;
};

/// What the compiler said of a kernel; absent where the API does not tell.
struct KernelFacts {
  std::optional<std::uint32_t> registers;
  std::optional<std::uint32_t> spill_bytes;  ///< per lane: spilled registers and private arrays
  std::optional<std::uint32_t> shared_bytes;
  double build_ns = 0.0;           ///< host time of loading and compiling
  std::string source_hash;         ///< of the source with its includes, 16 hex digits
  std::vector<std::string> flags;  ///< options of the compilers at build time and at run time
  std::optional<bool> fused_fma;   ///< whether fma() rounds once on this device; not the backend's
};

/// A kernel ready to run.
class Kernel {
 public:
  virtual ~Kernel() = default;
  [[nodiscard]] const KernelFacts& facts() const { return facts_; }

 protected:
  explicit Kernel(KernelFacts facts) : facts_(std::move(facts)) {}

 private:
  KernelFacts facts_;
};

/// Why something is not there. Absence is a value; only a broken call throws.
struct Absent {
  std::string reason;  ///< one line
};
using KernelOrReason = std::variant<std::unique_ptr<Kernel>, Absent>;

struct Extent3 {
  std::uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const Extent3&, const Extent3&) = default;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// One dispatch. Arguments are the same everywhere: buffers by index, then one block of constants.
struct Launch {
  const Kernel* kernel = nullptr;
  std::vector<Buffer*> buffers;      ///< at most kMaxBuffers
  std::vector<std::byte> constants;  ///< at most kMaxConstantBytes, a multiple of 4; may be empty
  Extent3 groups;                    ///< groups per dimension, each at least 1
};

/// Durations of one bracket in nanoseconds. Absent: this API or call cannot tell.
struct Timing {
  std::optional<double> device_ns;   ///< end of the lead-in to end of the last launch, device clock
  std::optional<double> leadin_ns;   ///< duration of the lead-in, device clock
  std::optional<double> enqueue_ns;  ///< host time spent handing over what follows the lead-in
  double host_ns = 0.0;              ///< just before submission to observed completion, host clock
};

/// One opened device. Not thread-safe. Buffers and kernels must die before it.
/// Errors: every method but info() throws DeviceError when a native call fails.
class Device {
 public:
  virtual ~Device() = default;

  /// Returns facts that stay constant for the device's life. No native call.
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;

  /// Allocates a device-local buffer.
  /// Units:  callers keep size_bytes within info().limits.
  /// Errors: throws std::invalid_argument for 0 bytes; DeviceError of kind out_of_memory when a
  ///         size within the limits fails.
  virtual std::unique_ptr<Buffer> allocate(std::uint64_t size_bytes) = 0;

  /// Makes a kernel ready: all compiling, loading and first-use work happens here.
  /// Order:  `name` is "workload/variant/dtype"; `group_size` is fixed for the kernel's life.
  /// Errors: returns Absent for no such kernel, a missing feature or a group over the limits;
  ///         throws DeviceError of kind build_failed, with the log, when a build fails.
  virtual KernelOrReason find_kernel(std::string_view name, Extent3 group_size) = 0;

  /// Copies the whole buffer from host memory; done on return.
  /// Errors: throws std::invalid_argument when the sizes differ.
  virtual Timing write(Buffer& buffer, std::span<const std::byte> bytes) = 0;

  /// Copies the whole buffer to host memory; done on return.
  /// Errors: throws std::invalid_argument when the sizes differ.
  virtual Timing read(const Buffer& buffer, std::span<std::byte> bytes) = 0;

  /// Repeats a 32-bit pattern over the buffer; done on return.
  /// Errors: throws std::invalid_argument when the size is not a multiple of 4.
  virtual Timing fill(Buffer& buffer, std::uint32_t pattern) = 0;

  /// Runs the lead-in, then the whole sequence of launches `repeats` times; done on return.
  /// Order:  every launch starts after the one before has finished and sees its writes (stream
  ///         order, in-order queue, compute-to-compute barrier). That ordering is part of each
  ///         API's price.
  /// Units:  T0 is the completion of the last lead-in launch, T1 that of the last launch, both on
  ///         the API's own clock; device_ns = T1 - T0, so device_ns <= host_ns. With an empty
  ///         lead-in device_ns and leadin_ns are absent: there is no T0 to subtract.
  ///         Nothing else is in the bracket: no allocation, compilation, logging or other traffic.
  /// Errors: throws std::invalid_argument for more buffers or constants than the maxima, for
  ///         groups over the limits and for zero launches or repeats.
  virtual Timing run(std::span<const Launch> lead_in, std::span<const Launch> launches,
                     std::uint32_t repeats) = 0;
};

/// What listing a backend found.
struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::vector<std::string> notes;  ///< one line per skipped platform or driver, with the reason
  std::string reason;              ///< why `devices` is empty; one line
};

/// One compute API.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Names the API as device ids spell it ("cuda").
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Lists the devices, or says why there are none. Creates no contexts. Calling it again gives
  /// the same ids. Does not throw for anything a driver or its absence can cause.
  virtual DeviceList list() = 0;

  /// Says why this build has no code for a kernel, as far as is known without a device, or nothing.
  [[nodiscard]] virtual std::optional<std::string> lacks_kernel(std::string_view kernel) const = 0;

  /// Opens a device that list() returned.
  /// Errors: throws DeviceError when the driver refuses; std::invalid_argument for an unknown id.
  virtual std::unique_ptr<Device> open(std::string_view id) = 0;
};

}  // namespace parallax
