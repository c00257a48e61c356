#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backends/checks.hpp"
#include "backends/device_code.hpp"
#include "backends/opencl/device.hpp"

namespace parallax::opencl {
namespace {

// Only NVIDIA's compiler knows this option; other compilers refuse unknown ones.
constexpr const char* kVerbose = "-cl-nv-verbose";

std::vector<std::string> flags_for(const DeviceInfo& info) {
  std::vector<std::string> flags = {"-cl-std=CL1.2"};
  if (info.platform.starts_with("NVIDIA")) flags.emplace_back(kVerbose);
  return flags;
}

/// Reads the number that ends right before `words`, as in "Used 24 registers".
std::optional<std::uint32_t> number_before(std::string_view log, std::string_view words) {
  const std::size_t end = log.find(words);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t start = end;
  while (start > 0 && log[start - 1] >= '0' && log[start - 1] <= '9') --start;
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(log.data() + start, log.data() + end, number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace

void Kernel::bind(const Api& api, const Launch& launch) const {
  const auto count = static_cast<cl_uint>(launch.buffers.size());
  for (cl_uint i = 0; i < count; ++i) {
    const auto& buffer = static_cast<const Buffer&>(*launch.buffers[i]);
    if (bound_buffers_[i] == buffer.serial()) continue;
    cl_mem memory = buffer.memory();
    check(api.clSetKernelArg(handle(), i, sizeof memory, &memory), "clSetKernelArg(buffer)");
    bound_buffers_[i] = buffer.serial();
  }
  if (launch.constants.empty()) return;
  if (constants_index_ == count && std::ranges::equal(bound_constants_, launch.constants)) return;
  check(api.clSetKernelArg(handle(), count, launch.constants.size(), launch.constants.data()),
        "clSetKernelArg(constants)");
  bound_constants_ = launch.constants;
  constants_index_ = count;
}

std::string Device::build_log(cl_program program) {
  std::size_t size = 0;
  check(api_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size),
        "clGetProgramBuildInfo");
  std::string log(size, '\0');
  check(
      api_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr),
      "clGetProgramBuildInfo");
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

Owner<cl_program> Device::build(std::string_view source, const std::vector<std::string>& flags) {
  const char* text = source.data();
  const std::size_t length = source.size();
  cl_int code = CL_SUCCESS;
  Owner<cl_program> program(
      api_.clCreateProgramWithSource(context_.get(), 1, &text, &length, &code),
      api_.clReleaseProgram);
  check(code, "clCreateProgramWithSource");
  const std::string options = fmt::format("{}", fmt::join(flags, " "));
  code = api_.clBuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
  if (code == CL_BUILD_PROGRAM_FAILURE) {
    throw DeviceError(DeviceError::Kind::build_failed, fmt::format("clBuildProgram({})", options),
                      code, std::string(status_name(code)), build_log(program.get()));
  }
  check(code, "clBuildProgram", DeviceError::Kind::build_failed);
  return program;
}

std::optional<std::string> Device::kernel_over_limits(cl_kernel kernel, Extent3 group_size) {
  std::size_t lanes = 0;
  check(api_.clGetKernelWorkGroupInfo(kernel, device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof lanes,
                                      &lanes, nullptr),
        "clGetKernelWorkGroupInfo");
  if (group_size.count() <= lanes) return std::nullopt;
  return fmt::format("a group has {} lanes, this kernel allows {} on the device",
                     group_size.count(), lanes);
}

KernelOrReason Device::find_kernel(std::string_view name, Extent3 group_size) {
  auto code = find_device_code(CodeForm::opencl_c, name);
  if (auto* absent = std::get_if<Absent>(&code)) return std::move(*absent);
  if (auto reason = dtype_unsupported(info_, name)) return Absent{*reason};
  if (auto reason = group_over_limits(info_, group_size)) return Absent{*reason};
  auto& [bytes, hash, flags] = std::get<DeviceCode>(code);

  KernelFacts facts;
  facts.source_hash = std::move(hash);
  facts.flags = flags_for(info_);
  const auto start = Clock::now();
  auto program = build({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, facts.flags);
  cl_int status = CL_SUCCESS;
  Owner<cl_kernel> kernel(api_.clCreateKernel(program.get(), kernel_symbol(name).c_str(), &status),
                          api_.clReleaseKernel);
  check(status, "clCreateKernel");
  facts.build_ns = ns_between(start, Clock::now());

  if (auto reason = kernel_over_limits(kernel.get(), group_size)) return Absent{*reason};
  const std::string log = build_log(program.get());
  facts.registers = number_before(log, " registers");
  facts.spill_bytes = number_before(log, " bytes spill stores");
  cl_ulong shared = 0;
  check(api_.clGetKernelWorkGroupInfo(kernel.get(), device_, CL_KERNEL_LOCAL_MEM_SIZE,
                                      sizeof shared, &shared, nullptr),
        "clGetKernelWorkGroupInfo");
  facts.shared_bytes = static_cast<std::uint32_t>(shared);
  if (info_.limits.shared_bytes != 0 && shared > info_.limits.shared_bytes) {
    return Absent{fmt::format("needs {} bytes of shared memory, the device has {}", shared,
                              info_.limits.shared_bytes)};
  }
  return std::make_unique<Kernel>(std::move(facts), std::move(program), std::move(kernel),
                                  group_size, live_);
}

}  // namespace parallax::opencl
