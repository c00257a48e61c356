#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace parallax::host {

/// Runs loops on all cores. The threads live as long as the pool, so a loop costs two wake-ups and
/// no thread creation. Not itself thread-safe: one loop at a time.
class Threads {
 public:
  Threads() {
    const unsigned helpers = std::max(1u, std::thread::hardware_concurrency()) - 1;
    for (unsigned i = 0; i < helpers; ++i) threads_.emplace_back([this] { serve(); });
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Calls body(0 .. count-1) once each, in any order, and returns when all have finished.
  /// Errors: `body` must not throw.
  void for_each(std::uint64_t count, const std::function<void(std::uint64_t)>& body) {
    if (count < 2 || threads_.empty()) {
      for (std::uint64_t i = 0; i < count; ++i) body(i);
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      body_ = &body;
      count_ = count;
      // Sixteen pieces a thread even out the cores without contending for the counter.
      piece_ = std::max<std::uint64_t>(1, count / (16 * (threads_.size() + 1)));
      next_ = 0;
      busy_ = threads_.size();
      ++generation_;
    }
    wake_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void work() {
    for (;;) {
      const std::uint64_t begin = next_.fetch_add(piece_);
      if (begin >= count_) return;
      const std::uint64_t end = std::min(count_, begin + piece_);
      for (std::uint64_t i = begin; i < end; ++i) (*body_)(i);
    }
  }

  void serve() {
    std::uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
        if (stopping_) return;
        seen = generation_;
      }
      work();
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(std::uint64_t)>* body_ = nullptr;
  std::uint64_t count_ = 0;
  std::uint64_t piece_ = 1;
  std::atomic<std::uint64_t> next_ = 0;
  std::size_t busy_ = 0;
  std::uint64_t generation_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace parallax::host
