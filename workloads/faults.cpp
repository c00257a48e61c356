#include "workloads/faults.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace parallax {
namespace {

using Steps = std::vector<Step>;
using Change = std::function<void(Steps&)>;

// Places of a step's constants, in words: shaders/gemm/operands.*, shaders/convolution/shape.* and
// gemm.*; vector_add and reduction have one, the count.
enum class Word : std::size_t {
  count = 0,
  gemm_n = 1,
  gemm_k = 2,
  gemm_lda = 3,
  gemm_ldb = 4,
  gemm_ldc = 5,
  gemm_tiles_n = 6,
  conv_n = 0,
  conv_c = 1,
  conv_w = 3,
  conv_k = 4,
  conv_r = 5,
  conv_s = 6,
  conv_stride = 7,
  conv_pad = 8,
  conv_q = 10,
  conv_x_pitch = 11,
  conv_y_pitch = 13,
  conv_terms = 15,
};

std::uint32_t get(const Step& step, Word word) {
  std::uint32_t value = 0;
  std::memcpy(&value, &step.constants.at(4 * static_cast<std::size_t>(word)), sizeof value);
  return value;
}

void put(Step& step, Word word, std::uint32_t value) {
  std::memcpy(&step.constants.at(4 * static_cast<std::size_t>(word)), &value, sizeof value);
}

/// Adds to a constant of one step.
Change add(int amount, Word word, std::size_t step = 0) {
  return [=](Steps& steps) {
    put(steps.at(step), word, get(steps.at(step), word) + static_cast<std::uint32_t>(amount));
  };
}

/// Gives a constant the value of another.
Change copy(Word from, Word to) {
  return [=](Steps& steps) { put(steps.at(0), to, get(steps.at(0), from)); };
}

Change swap(Word a, Word b) {
  return [=](Steps& steps) {
    const std::uint32_t value = get(steps.at(0), a);
    put(steps.at(0), a, get(steps.at(0), b));
    put(steps.at(0), b, value);
  };
}

Change kernel(std::string name) {
  return [name = std::move(name)](Steps& steps) { steps.at(0).kernel = name; };
}

Change buffers(std::vector<std::uint32_t> indices, std::size_t step = 0) {
  return [indices = std::move(indices), step](Steps& steps) { steps.at(step).buffers = indices; };
}

void skip_last_third(Steps& steps) {
  std::uint32_t& groups = steps.at(0).groups.x;
  groups -= (groups + 2) / 3;
}

void skip_last_group(Steps& steps) { --steps.at(0).groups.x; }

/// Collects the faults of one workload.
class Faults {
 public:
  Faults(std::vector<Fault>& list, std::string workload)
      : list_(list), workload_(std::move(workload)) {}

  /// The case of the faults that follow.
  void on(Dtype dtype, std::string variant, std::string size) {
    dtype_ = dtype;
    variant_ = std::move(variant);
    size_ = std::move(size);
  }

  /// The real kernel, run in a wrong way.
  void step(std::string name, std::string about, Change change) {
    list_.push_back(
        {workload_, std::move(name), std::move(about), dtype_, size_, variant_, std::move(change)});
  }

  /// A broken kernel in place of the first step's real one.
  void mutant(const std::string& name, std::string about) {
    step(name, std::move(about),
         kernel(fmt::format("selftest/{}_{}/{}", workload_, name, to_string(dtype_))));
  }

 private:
  std::vector<Fault>& list_;
  std::string workload_;
  Dtype dtype_ = Dtype::f32;
  std::string variant_;
  std::string size_;
};

void add_vector_add(std::vector<Fault>& list) {
  Faults faults(list, "vector_add");
  const std::string size = "n=4099";  // no multiple of a vector or of a group
  faults.on(Dtype::f32, "naive", size);
  faults.step("last_third", "the last third of the groups is not launched", skip_last_third);
  faults.step("same_operand", "a is added to itself", buffers({0, 0, 2}));
  faults.step("other_dtype", "floats are added as integers", kernel("vector_add/naive/i32"));
  faults.mutant("one_ulp", "results are one unit in the last place too large");
  faults.mutant("second_run", "right where the output is untouched, wrong on every later run");
  faults.on(Dtype::f32, "vec4", size);
  faults.step("other_variant", "the scalar kernel runs over a count of vectors",
              kernel("vector_add/naive/f32"));
  faults.step("launched_twice", "a second launch adds b once more", [](Steps& steps) {
    steps.push_back(steps.at(0));
    steps.back().buffers = {2, 1, 2};
  });
  faults.mutant("past_the_end", "one vector behind the output is written");
  faults.on(Dtype::f64, "naive", size);
  faults.step("lost_element", "the last element is left out", add(-1, Word::count));
  faults.on(Dtype::f16, "vec4", size);
  faults.step("into_input", "the sum goes into b", buffers({0, 1, 1}));
  faults.on(Dtype::i32, "vec4", size);
  faults.step("last_group", "the last group is not launched", skip_last_group);
  faults.on(Dtype::i32, "naive", size);
  faults.mutant("saturates", "sums stop at the largest integer instead of wrapping");
}

void add_reduction(std::vector<Fault>& list) {
  Faults faults(list, "reduction");
  const std::string size = "n=65539";
  faults.on(Dtype::f32, "tree", size);
  faults.step("last_third", "the last third of the groups is not launched", skip_last_third);
  faults.step("padding_element", "one element of padding is added", add(1, Word::count));
  faults.step("other_dtype", "floats are added as integers", kernel("reduction/tree/i32"));
  faults.step("left_in_scratch", "the second launch leaves the sum in scratch memory",
              buffers({1, 1}, 1));
  faults.mutant("missing_barrier", "lanes do not wait for each other");
  faults.on(Dtype::f32, "vec4", size);
  faults.step("one_launch", "the second launch is missing", [](Steps& steps) { steps.pop_back(); });
  faults.step("launches_swapped", "the second launch comes first",
              [](Steps& steps) { std::swap(steps.at(0), steps.at(1)); });
  faults.step("lost_element", "the last element is left out", add(-1, Word::count));
  faults.mutant("padding_as_data", "the padding of the last vector is added");
  faults.on(Dtype::f32, "vec4", "n=4326403");  // enters the unrolled loop and leaves a tail
  faults.mutant("lost_tail", "what the unrolled loop leaves is lost");
  faults.on(Dtype::f64, "tree", size);
  faults.mutant("narrow_sum", "doubles are summed in single precision");
  faults.on(Dtype::i32, "tree", size);
  faults.step("lost_group", "the second launch leaves out the last sum", add(-1, Word::count, 1));
  faults.mutant("saturates", "sums stop at the largest integer instead of wrapping");
}

void add_gemm_steps(Faults& faults, const std::string& size) {
  faults.on(Dtype::f32, "naive", size);
  faults.step("lda", "rows of A are taken to be unpadded", copy(Word::gemm_k, Word::gemm_lda));
  faults.step("ldc", "rows of C are taken to be unpadded", copy(Word::gemm_n, Word::gemm_ldc));
  faults.step("other_dtype", "floats are read as halves", kernel("gemm/naive/f16"));
  faults.step("into_a", "the product goes into A", buffers({0, 1, 0}));
  faults.on(Dtype::f32, "naive", "m=131,n=129,k=131");
  faults.step("swapped_operands", "B A instead of A B", buffers({1, 0, 2}));
  faults.on(Dtype::f32, "tiled", size);
  faults.step("last_third", "the last third of the groups is not launched", skip_last_third);
  faults.step("ldb", "rows of B are taken to be unpadded", copy(Word::gemm_n, Word::gemm_ldb));
  faults.step("tile_order", "tiles are counted with one too many in a row",
              add(1, Word::gemm_tiles_n));
  faults.step("dropped_slab", "the last slab of k is left out", add(-3, Word::gemm_k));
  faults.on(Dtype::f32, "register", size);
  faults.step("last_group", "the last group is not launched", skip_last_group);
  faults.step("other_grid", "a kernel of small tiles runs on the grid of large ones",
              kernel("gemm/naive/f32"));
  faults.on(Dtype::f32, "vec4", size);
  faults.step("lost_term", "the last term of every sum is left out", add(-1, Word::gemm_k));
}

void add_gemm(std::vector<Fault>& list) {
  Faults faults(list, "gemm");
  const std::string size = "m=127,n=129,k=131";  // no multiple of a tile, a vector or a slab
  add_gemm_steps(faults, size);
  faults.on(Dtype::f32, "naive", size);
  faults.mutant("wide_edge", "one column too many is stored, into padding");
  faults.mutant("idle_groups", "some groups return without a result");
  faults.mutant("one_nan", "one element is not a number");
  faults.mutant("adds_to_c", "the product is added to what C holds");
  faults.on(Dtype::f32, "tiled", size);
  faults.mutant("missing_barrier", "lanes multiply before the tiles are complete");
  faults.mutant("transposed_tile", "the tile of B is read transposed");
  faults.mutant("tf32", "inputs are cut to 11 bits");
  faults.on(Dtype::f32, "vec4_double", size);
  faults.mutant("wrong_half", "the next tiles go into the wrong half of shared memory");
  faults.on(Dtype::f16, "naive", size);
  faults.mutant("narrow_sum", "sums are kept in 11 bits");
  faults.on(Dtype::i8, "naive", size);
  faults.mutant("unsigned", "inputs are taken to be unsigned");
  faults.on(Dtype::i8, "vec4", size);
  faults.mutant("padding_as_data", "padding beyond k is multiplied");
}

/// A size of convolution: `first` is "n=..,c=..,h=..,w=..,k=..,r=..,s=..".
std::string with_layout(std::string_view first, int stride, int pad, std::string_view layout) {
  return fmt::format("{},stride={},pad={},layout={}", first, stride, pad, layout);
}

void add_convolution_steps(Faults& faults, std::string_view first) {
  faults.on(Dtype::f32, "direct", with_layout(first, 1, 1, "nchw"));
  faults.step("last_third", "the last third of the groups is not launched", skip_last_third);
  faults.step("x_pitch", "rows of x are taken to be unpadded",
              copy(Word::conv_w, Word::conv_x_pitch));
  faults.step("y_pitch", "rows of y are taken to be unpadded",
              copy(Word::conv_q, Word::conv_y_pitch));
  faults.step("other_dtype", "floats are read as halves", kernel("convolution/direct_nchw/f16"));
  faults.on(Dtype::f32, "direct", with_layout(first, 2, 1, "nchw"));
  faults.step("stride", "the stride is 1 instead of 2", add(-1, Word::conv_stride));
  faults.on(Dtype::f32, "direct", with_layout("n=2,c=9,h=23,w=21,k=17,r=3,s=5", 1, 1, "nchw"));
  faults.step("r_s_swapped", "the filter is 5x3 instead of 3x5", swap(Word::conv_r, Word::conv_s));
  faults.on(Dtype::f32, "direct", with_layout(first, 1, 1, "nhwc"));
  faults.step("lost_channel", "the last input channel is left out", add(-1, Word::conv_c));
  faults.step("other_layout", "NHWC is read as NCHW", kernel("convolution/direct_nchw/f32"));
  faults.on(Dtype::f32, "tiled", with_layout(first, 1, 1, "nchw"));
  faults.step("pad", "the image has no border", add(-1, Word::conv_pad));
  faults.step("lost_filter", "the last output channel is left out", add(-1, Word::conv_k));
  faults.on(Dtype::f32, "tiled", with_layout(first, 1, 1, "nhwc"));
  faults.step("last_group", "the last group is not launched", skip_last_group);
  faults.on(Dtype::f32, "implicit_gemm", with_layout(first, 1, 1, "nchw"));
  faults.step("dropped_slab", "the last terms of every sum are left out",
              add(-1, Word::conv_terms));
  faults.on(Dtype::f16, "tiled", with_layout(first, 1, 1, "nhwc"));
  faults.step("lost_image", "the last image of the batch is left out", add(-1, Word::conv_n));
}

void add_convolution(std::vector<Fault>& list) {
  Faults faults(list, "convolution");
  // No multiple of a vector, a tile or a step of channels.
  const std::string_view first = "n=2,c=9,h=23,w=21,k=17,r=3,s=3";
  add_convolution_steps(faults, first);
  faults.on(Dtype::f32, "direct", with_layout(first, 1, 1, "nchw"));
  faults.mutant("skipped_tap", "one place of the filter is left out");
  faults.mutant("flipped_filter", "the filter is turned around, as in mathematics");
  faults.on(Dtype::f32, "direct", with_layout(first, 1, 1, "nhwc"));
  faults.mutant("transposed_filter", "rows and columns of the filter are swapped");
  faults.on(Dtype::f32, "tiled", with_layout(first, 1, 1, "nchw"));
  faults.mutant("uninitialised_halo", "the halo is loaded for the interior only");
  faults.mutant("missing_barrier", "lanes compute before the halo is complete");
  faults.on(Dtype::f32, "tiled", with_layout(first, 1, 1, "nhwc"));
  faults.mutant("border_repeats", "the border repeats the edge of the image instead of being zero");
  faults.on(Dtype::f32, "implicit_gemm", with_layout(first, 1, 1, "nhwc"));
  faults.mutant("padding_as_data", "padding beyond the channels is multiplied");
  faults.mutant("store_in_padding", "the last vector is stored whole, into padding");
}

std::vector<Fault> make_faults() {
  std::vector<Fault> list;
  add_vector_add(list);
  add_reduction(list);
  add_gemm(list);
  add_convolution(list);
  return list;
}

}  // namespace

const std::vector<Fault>& all_faults() {
  static const std::vector<Fault> list = make_faults();
  return list;
}

std::vector<Step> FaultyWorkload::steps(const Problem& problem, std::string_view variant) const {
  for (const Fault& fault : faults_) {
    if (fault.workload != name() || fault.name != variant) continue;
    Steps steps = real_.steps(problem, fault.variant);
    fault.change(steps);
    return steps;
  }
  return real_.steps(problem, variant);
}

}  // namespace parallax
