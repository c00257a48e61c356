#include "harness/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "workloads/inputs.hpp"

namespace parallax {
namespace {

void put_guard(std::span<std::byte> bytes, std::uint32_t pattern) {
  const std::span guard = bytes.last(kGuardBytes);
  for (std::size_t i = 0; i < guard.size(); i += sizeof pattern) {
    std::memcpy(guard.data() + i, &pattern, sizeof pattern);
  }
}

/// First row whose padding no longer holds kPoison.
std::optional<std::uint64_t> find_written_padding(const BufferSpec& spec,
                                                  std::span<const std::byte> bytes) {
  std::array<std::byte, sizeof kPoison> poison{};
  std::memcpy(poison.data(), &kPoison, sizeof kPoison);
  const std::uint64_t width = size_bytes(spec.dtype);
  for (std::uint64_t row = 0; row < spec.rows; ++row) {
    const std::uint64_t end = (row + 1) * spec.pitch * width;
    for (std::uint64_t at = (row * spec.pitch + spec.columns) * width; at < end; ++at) {
      if (bytes[at] != poison[at % sizeof kPoison]) return row;
    }
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t allocated_bytes(const BufferSpec& spec) {
  return (spec.size_bytes() + 3) / 4 * 4 + kGuardBytes;
}

Case::Case(Device& device, const Workload& workload, const PrepareRequest& request)
    : device_(device),
      workload_(workload),
      request_(request),
      problem_{.dtype = request.name.dtype, .size = request.name.size},
      specs_(workload.buffers(problem_)),
      steps_(workload.steps(problem_, request.name.variant)) {
  for (const Step& step : steps_) {
    KernelOrReason found = device_.find_kernel(step.kernel, step.group_size);
    if (const auto* absent = std::get_if<Absent>(&found)) throw Unsupported{absent->reason};
    kernels_.push_back(std::get<std::unique_ptr<Kernel>>(std::move(found)));
  }
  for (std::uint32_t i = 0; i < specs_.size(); ++i) {
    buffers_.push_back(device_.allocate(allocated_bytes(specs_[i])));
  }
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    Launch launch{.kernel = kernels_[s].get(),
                  .buffers = {},
                  .constants = steps_[s].constants,
                  .groups = steps_[s].groups};
    for (std::uint32_t index : steps_[s].buffers) launch.buffers.push_back(buffers_[index].get());
    launches_.push_back(std::move(launch));
  }
}

void Case::load(Fill fill) {
  fill_ = fill;
  for (std::uint32_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].role != Role::in) continue;
    const std::span<std::byte> bytes = scratch(allocated_bytes(specs_[i]));
    fill_input(specs_[i].dtype, fill, request_.seed, i, bytes.first(specs_[i].size_bytes()));
    put_guard(bytes, kInputGuard);
    device_.write(*buffers_[i], bytes);
  }
}

std::span<std::byte> Case::scratch(std::uint64_t size) {
  if (scratch_.size() < size) scratch_.resize(size);
  return std::span(scratch_).first(size);
}

void Case::poison_outputs() {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].role != Role::in) device_.fill(*buffers_[i], kPoison);
  }
}

void Case::run_once() { device_.run({}, launches_, 1); }

VerifyReply Case::verify() {
  const bool random = fill_ == Fill::random;
  const Reference& expected = random ? *request_.expected : *request_.exact;
  const Tolerance tolerance =
      random ? workload_.tolerance(problem_) : Tolerance{.metric = "bitwise"};
  VerifyReply reply;
  for (std::uint32_t i = 0; i < specs_.size(); ++i) {
    const std::span<std::byte> bytes = scratch(allocated_bytes(specs_[i]));
    device_.read(*buffers_[i], bytes);
    if (i == expected.buffer) {
      reply.verdict = compare(expected, tolerance, specs_[i].dtype, bytes);
      reply.output_digest = digest(specs_[i], bytes);
    }
    if (auto fault = find_stray_write(i, bytes); fault && reply.outcome.ok()) {
      reply.outcome = {Status::invalid, *fault};
    }
  }
  if (!reply.verdict.ok) {
    reply.outcome = {Status::invalid,
                     fmt::format("wrong result{}: {}", random ? "" : " with integers as inputs",
                                 reply.verdict.detail)};
  }
  return reply;
}

std::optional<std::string> Case::find_stray_write(std::uint32_t index,
                                                  std::span<const std::byte> bytes) const {
  const BufferSpec& spec = specs_[index];
  std::array<std::byte, kGuardBytes> intact{};
  put_guard(intact, spec.role == Role::in ? kInputGuard : kPoison);
  if (!std::ranges::equal(bytes.last(kGuardBytes), intact)) {
    return fmt::format("wrong result: the guard behind buffer {} was overwritten", spec.name);
  }
  if (spec.role != Role::in) {
    const auto row = spec.free_padding ? std::nullopt : find_written_padding(spec, bytes);
    if (!row) return std::nullopt;
    return fmt::format("wrong result: the padding of row {} of buffer {} was overwritten", *row,
                       spec.name);
  }
  if (!is_input(spec.dtype, fill_, request_.seed, index, bytes.first(spec.size_bytes()))) {
    return fmt::format("wrong result: input {} was overwritten", spec.name);
  }
  return std::nullopt;
}

}  // namespace parallax
