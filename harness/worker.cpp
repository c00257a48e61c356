#include "harness/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "backends/error.hpp"
#include "harness/arithmetic.hpp"
#include "harness/case.hpp"
#include "harness/gbench.hpp"
#include "harness/measure.hpp"
#include "harness/one_line.hpp"

namespace parallax {
namespace {

/// Runs one call of the seam and turns whatever it throws into an outcome: the one place where
/// errors of devices are caught.
template <typename Body>
Outcome guarded(Body body) {
  try {
    return body();
  } catch (const Case::Unsupported& unsupported) {
    return {Status::unsupported, unsupported.reason};
  } catch (const DeviceError& error) {
    std::string reason = error.what();
    if (error.kind() == DeviceError::Kind::out_of_memory) reason = "out of memory: " + reason;
    if (error.kind() == DeviceError::Kind::build_failed) {
      reason += "; " + error.log().substr(0, error.log().find('\n'));
    }
    return {Status::error, one_line(reason), error.kind() == DeviceError::Kind::device_lost};
  } catch (const std::bad_alloc&) {
    return {Status::error, "out of host memory"};
  } catch (const std::exception& error) {
    return {Status::error, error.what()};
  }
}

class LocalWorker : public Worker {
 public:
  LocalWorker(std::unique_ptr<Device> device, const std::vector<const Workload*>& workloads)
      : device_(std::move(device)),
        workloads_(workloads),
        lead_in_(*device_),
        clock_(calibrate(*device_, lead_in_)) {}

  const DeviceInfo& info() const override { return device_->info(); }
  const ClockFacts& clock() const override { return clock_; }

  PrepareReply prepare(const PrepareRequest& request) override {
    release();
    PrepareReply reply;
    reply.outcome = guarded([&]() -> Outcome {
      case_name_ = format_case_name(request.name);
      case_ = std::make_unique<Case>(*device_, workload(request.name.workload), request);
      reply.kernel = case_->first_kernel().facts();
      if (workload(request.name.workload).rounds_products()) {
        reply.kernel.fused_fma = fused_fma(request.name.dtype);
      }
      reply.group_size = case_->first_step().group_size;
      reply.groups = case_->first_step().groups;
      if (request.exact) {
        reply.verify = check_once(Fill::integers);
        if (!reply.verify.outcome.ok()) return reply.verify.outcome;
      }
      reply.verify = check_once(Fill::random);
      // Once more, so that the check after timing sees only what timed runs have written.
      if (reply.verify.outcome.ok()) case_->poison_outputs();
      return reply.verify.outcome;
    });
    if (!reply.outcome.ok()) release();
    return reply;
  }

  BlockReply block(const BlockRequest& request) override {
    BlockReply reply;
    std::uint32_t taken = 0;
    reply.outcome = guarded([&]() -> Outcome {
      if (!case_) throw std::logic_error("block without a prepared case");
      Outcome outcome;
      const auto sample = [&]() -> std::optional<double> {
        // The library does not expect exceptions from a benchmark.
        std::optional<Sample> value;
        outcome = guarded([&] { return take(request, value); });
        if (!value) return std::nullopt;
        if (taken++ >= request.discard) {
          reply.samples.push_back(*value);
          reply.starved |= value->enqueue_ns > value->leadin_ns;
        }
        return value->t_ns * 1e-9;
      };
      run_gbench_block(case_name_, request.discard + request.samples, sample);
      return outcome;
    });
    return reply;
  }

  VerifyReply verify() override {
    VerifyReply reply;
    const Outcome outcome = guarded([&]() -> Outcome {
      if (!case_) throw std::logic_error("verify without a prepared case");
      reply = case_->verify();
      return reply.outcome;
    });
    reply.outcome = outcome;
    return reply;
  }

  void release() override { case_.reset(); }

 private:
  /// Asks the device once per dtype.
  std::optional<bool> fused_fma(Dtype dtype) {
    const auto known = fused_fma_.find(dtype);
    if (known != fused_fma_.end()) return known->second;
    return fused_fma_[dtype] = fuses_fma(*device_, dtype);
  }

  VerifyReply check_once(Fill fill) {
    case_->load(fill);
    case_->poison_outputs();
    case_->run_once();
    return case_->verify();
  }

  Outcome take(const BlockRequest& request, std::optional<Sample>& value) {
    auto result = take_sample(*device_, clock_, lead_in_, case_->launches(), request);
    if (const auto* outcome = std::get_if<Outcome>(&result)) return *outcome;
    value = std::get<Sample>(result);
    return {};
  }

  [[nodiscard]] const Workload& workload(std::string_view name) const {
    const auto found = std::ranges::find(workloads_, name, &Workload::name);
    if (found == workloads_.end()) throw std::invalid_argument(fmt::format("no workload {}", name));
    return **found;
  }

  std::unique_ptr<Device> device_;
  std::vector<const Workload*> workloads_;
  LeadIn lead_in_;
  ClockFacts clock_;
  std::map<Dtype, std::optional<bool>> fused_fma_;
  std::string case_name_;
  std::unique_ptr<Case> case_;
};

}  // namespace

std::unique_ptr<Worker> make_local_worker(Backend& backend, std::string_view device_id,
                                          const std::vector<const Workload*>& workloads) {
  return std::make_unique<LocalWorker>(backend.open(device_id), workloads);
}

}  // namespace parallax
