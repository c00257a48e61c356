# The broken kernels; workloads/faults.cpp says what each simulates and which case shows it.
# No mutant touches memory beyond its buffers and the guards behind them: on a device that would end
# more than the test. A missing barrier is on the host a lane that does not wait for the others.

# --- vector_add -----------------------------------------------------------------------------------

mutant(vector_add_one_ulp vector_add/naive f32
  vector_add/naive.cpp [[add(a[i], b[i])]] [[add(a[i], b[i]) * 1.0000001f]]
  vector_add/naive.cl [[add(LOAD(a, i), LOAD(b, i))]] [[add(LOAD(a, i), LOAD(b, i)) * 1.0000001f]]
  vector_add/naive.comp [[T(S(a[i]) + S(b[i]))]] [[T(S(a[i]) + S(b[i])) * 1.0000001]]
  vector_add/naive.cu [[add(a[i], b[i])]] [[add(a[i], b[i]) * 1.0000001f]])

mutant(vector_add_saturates vector_add/naive i32
  vector_add/naive.cpp [[add(a[i], b[i])]] [[a[i] > ~b[i] ? 0xffffffffu : add(a[i], b[i])]]
  vector_add/naive.cl
    [[add(LOAD(a, i), LOAD(b, i))]] [[a[i] > ~b[i] ? 0xffffffffu : add(LOAD(a, i), LOAD(b, i))]]
  vector_add/naive.comp
    [[T(S(a[i]) + S(b[i]))]] [[a[i] > ~b[i] ? 0xffffffffu : T(S(a[i]) + S(b[i]))]]
  vector_add/naive.cu [[add(a[i], b[i])]] [[a[i] > ~b[i] ? 0xffffffffu : add(a[i], b[i])]])

mutant(vector_add_past_the_end vector_add/vec4 f32
  vector_add/vec4.cpp "i >= k.n16" "i > k.n16"
  vector_add/vec4.cl "i < k.n16" "i <= k.n16"
  vector_add/vec4.comp "i < n16" "i <= n16"
  vector_add/vec4.cu "i < k.n16" "i <= k.n16")

# No comparison is true of the NaN that an output holds before the first run.
mutant(vector_add_second_run vector_add/naive f32
  vector_add/naive.cpp [[add(a[i], b[i])]] [[c[i] < 1e30f ? c[i] + 1.0f : add(a[i], b[i])]]
  vector_add/naive.cl
    [[add(LOAD(a, i), LOAD(b, i))]] [[c[i] < 1e30f ? c[i] + 1.0f : add(LOAD(a, i), LOAD(b, i))]]
  vector_add/naive.comp "writeonly restrict buffer C" "restrict buffer C"
  vector_add/naive.comp
    [[T(S(a[i]) + S(b[i]))]] [[c[i] < 1e30 ? c[i] + 1.0 : T(S(a[i]) + S(b[i]))]]
  vector_add/naive.cu [[add(a[i], b[i])]] [[c[i] < 1e30f ? c[i] + 1.0f : add(a[i], b[i])]])

# --- reduction ------------------------------------------------------------------------------------

mutant(reduction_missing_barrier reduction/tree f32
  reduction/group_sum.hpp
    "for (std::size_t width = 128; width > 0; width /= 2)"
    "for (std::size_t lane = 0; lane < 128; ++lane)"
  reduction/group_sum.hpp
    "for (std::size_t lane = 0; lane < width; ++lane)"
    "for (std::size_t width = 128; width > lane; width /= 2)"
  reduction/group_sum.clh "barrier(CLK_LOCAL_MEM_FENCE);" ""
  reduction/group_sum.glsl "barrier();" ""
  reduction/group_sum.cuh "__syncthreads();" "")

mutant(reduction_padding_as_data reduction/vec4 f32
  reduction/vec4.cpp
    "parallax::constants<Constants>(group).n;"
    "(parallax::constants<Constants>(group).n + kV - 1) / kV * kV;"
  reduction/lane_sum.clh [[keep(in[i], n - i * kV)]] [=[in[i]]=]
  reduction/lane_sum.glsl [[keep(units16[i], n - i * kV)]] [=[units16[i]]=]
  reduction/lane_sum.cuh [[keep(in[i], n - i * kV)]] [=[in[i]]=])

# The host has no unrolled loop: it loses the step that is not whole.
mutant(reduction_lost_tail reduction/vec4 f32
  reduction/vec4.cpp "std::min(step, n - first)" "std::min(step, n - first) / step * step"
  reduction/lane_sum.clh "for (; i < units; i += stride)" "if (units == 0)"
  reduction/lane_sum.glsl "for (; i < units; i += stride)" "if (units == 0)"
  reduction/lane_sum.cuh "for (; i < units; i += stride)" "if (units == 0)")

mutant(reduction_saturates reduction/tree i32
  reduction/group_sum.hpp
    [[add(sums[lane], sums[lane + width])]]
    [[sums[lane] > ~sums[lane + width] ? 0xffffffffu : add(sums[lane], sums[lane + width])]]
  reduction/group_sum.clh
    [[add(sums[lane], sums[lane + width])]]
    [[sums[lane] > ~sums[lane + width] ? 0xffffffffu : add(sums[lane], sums[lane + width])]]
  reduction/group_sum.glsl
    [=[lane_sums[lane] += lane_sums[lane + width]]=]
    [=[lane_sums[lane] = lane_sums[lane] > ~lane_sums[lane + width]
        ? 0xffffffffu : lane_sums[lane] + lane_sums[lane + width]]=]
  reduction/group_sum.cuh
    [[add(sums[lane], sums[lane + width])]]
    [[sums[lane] > ~sums[lane + width] ? 0xffffffffu : add(sums[lane], sums[lane + width])]])

# In GLSL by its bits: lavapipe takes a conversion to float and back for none.
mutant(reduction_narrow_sum reduction/tree f64
  reduction/group_sum.hpp
    [[add(sums[lane], sums[lane + width])]]
    [[static_cast<float>(add(sums[lane], sums[lane + width]))]]
  reduction/group_sum.clh
    [[add(sums[lane], sums[lane + width])]] [[(float)add(sums[lane], sums[lane + width])]]
  reduction/group_sum.glsl
    [=[lane_sums[lane] += lane_sums[lane + width]]=]
    [[{
      const uvec2 bits = unpackDouble2x32(lane_sums[lane] + lane_sums[lane + width]);
      lane_sums[lane] = packDouble2x32(uvec2(bits.x & 0xe0000000u, bits.y));
    }]]
  reduction/group_sum.cuh
    [[add(sums[lane], sums[lane + width])]]
    [[static_cast<float>(add(sums[lane], sums[lane + width]))]])

# --- gemm -----------------------------------------------------------------------------------------

mutant(gemm_missing_barrier gemm/tiled f32
  gemm/tiled.cpp
    "widen(b[index_b(p, k0 + y, col)]) : S{0};"
    "widen(b[index_b(p, k0 + y, col)]) : S{0};
      for (std::size_t i = 0; i < 16; ++i) sum[y][x] = mac(a_tile[y][i], b_tile[i][x], sum[y][x]);"
  gemm/tiled.cpp "for (std::size_t i = 0; i < 16; ++i) {" "for (std::size_t i = 16; i < 16; ++i) {"
  gemm/tiled.cl "barrier(CLK_LOCAL_MEM_FENCE);\n#pragma" "#pragma"
  gemm/tiled.comp "barrier();\n    [[unroll]]" "[[unroll]]"
  gemm/tiled.cu "__syncthreads();\n#pragma" "#pragma")

mutant(gemm_transposed_tile gemm/tiled f32
  gemm/tiled.cpp "b_tile[i][x]" "b_tile[x][i]"
  gemm/tiled.cl "b_tile[i][x]" "b_tile[x][i]"
  gemm/tiled.comp "b_tile[i][x]" "b_tile[x][i]"
  gemm/tiled.cu "b_tile[i][x]" "b_tile[x][i]")

mutant(gemm_wide_edge gemm/naive f32
  gemm/naive.cpp "col >= p.n" "col > p.n"
  gemm/naive.cl "col >= p.n" "col > p.n"
  gemm/naive.comp "col >= n" "col > n"
  gemm/naive.cu "col >= p.n" "col > p.n")

mutant(gemm_padding_as_data gemm/vec4 i8
  gemm/tile.hpp "inside && k0 + k + i < depth" "inside"
  gemm/tile.clh [[k0 + k < depth ? x[i] : (S)0]] [=[x[i]]=]
  gemm/tile.glsl [[k0 + depth < k ? x[i] : S(0)]] [=[x[i]]=]
  gemm/tile.cuh [[k0 + k < depth ? x[i] : S(0)]] [=[x[i]]=])

mutant(gemm_wrong_half gemm/vec4_double f32
  gemm/tile.hpp "put_tiles(stage ^ 1, k0 + kDepth)" "put_tiles(stage, k0 + kDepth)"
  gemm/tile.clh
    "put_tiles(a_tile[stage], b_tile[stage], held, p.k, k0 + kDepth)"
    "put_tiles(a_tile[stage ^ 1], b_tile[stage ^ 1], held, p.k, k0 + kDepth)"
  gemm/tile.glsl "put_tiles(stage, k0 + kDepth)" "put_tiles(stage ^ 1, k0 + kDepth)"
  gemm/tile.cuh "put_tiles(stage, k0 + kDepth)" "put_tiles(stage ^ 1, k0 + kDepth)")

# Inputs cut to 11 bits, as matrix units do that are asked for f32 and take TF32.
mutant(gemm_tf32 gemm/tiled f32
  gemm/tiled.cpp "#include \"shaders/gemm/operands.hpp\"" "#include <bit>
#include \"shaders/gemm/operands.hpp\"
#define CUT(x) std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffe000u)"
  gemm/tiled.cpp "mac(a_tile[y][i], b_tile[i][x], " "mac(CUT(a_tile[y][i]), CUT(b_tile[i][x]), "
  gemm/tiled.cl "MAC(a_tile[y][i], b_tile[i][x], sum)"
    "MAC(as_float(as_uint(a_tile[y][i]) & 0xffffe000u),
          as_float(as_uint(b_tile[i][x]) & 0xffffe000u), sum)"
  gemm/tiled.comp "MAC(a_tile[y][i], b_tile[i][x], sum)"
    "MAC(uintBitsToFloat(floatBitsToUint(a_tile[y][i]) & 0xffffe000u),
          uintBitsToFloat(floatBitsToUint(b_tile[i][x]) & 0xffffe000u), sum)"
  gemm/tiled.cu "mac(a_tile[y][i], b_tile[i][x], sum)"
    "mac(__uint_as_float(__float_as_uint(a_tile[y][i]) & 0xffffe000u),
          __uint_as_float(__float_as_uint(b_tile[i][x]) & 0xffffe000u), sum)")

# Sums cut to the 11 bits of a half after every addition.
mutant(gemm_narrow_sum gemm/naive f16
  gemm/naive.cpp "#include \"shaders/gemm/operands.hpp\"" "#include <bit>
#include \"shaders/gemm/operands.hpp\""
  gemm/naive.cpp "col)]), sum);" "col)]), sum);
      sum = std::bit_cast<float>(std::bit_cast<std::uint32_t>(sum) & 0xffffe000u);"
  gemm/naive.cl "col)), sum);" "col)), sum);
    sum = as_float(as_uint(sum) & 0xffffe000u);"
  gemm/naive.comp "col)]), sum);" "col)]), sum);
    sum = uintBitsToFloat(floatBitsToUint(sum) & 0xffffe000u);"
  gemm/naive.cu "col)]), sum);" "col)]), sum);
    sum = __uint_as_float(__float_as_uint(sum) & 0xffffe000u);")

mutant(gemm_unsigned gemm/naive i8
  mac.hpp "static_cast<std::int32_t>(x)" "static_cast<std::uint8_t>(x)"
  mac.clh "((uint)(int)(p)[i])" "((uint)(uchar)(p)[i])"
  mac.glsl "uint(int(x))" "(uint(int(x)) & 0xffu)"
  mac.cuh "static_cast<int>(x)" "static_cast<unsigned char>(x)")

mutant(gemm_idle_groups gemm/naive f32
  gemm/naive.cpp "col >= p.n" "col >= p.n || tile % 7 == 3"
  gemm/naive.cl "col >= p.n" "col >= p.n || group % 7 == 3"
  gemm/naive.comp "col >= n" "col >= n || group % 7 == 3"
  gemm/naive.cu "col >= p.n" "col >= p.n || group % 7 == 3")

mutant(gemm_one_nan gemm/naive f32
  gemm/naive.cpp "S sum = 0;" "S sum = row == 5 && col == 7 ? __builtin_nanf(\"\") : 0.0f;"
  gemm/naive.cl "S sum = 0;" "S sum = row == 5 && col == 7 ? as_float(0x7fc00000u) : 0.0f;"
  gemm/naive.comp "S sum = S(0);"
    "S sum = row == 5 && col == 7 ? uintBitsToFloat(0x7fc00000u) : 0.0;"
  gemm/naive.cu "S sum = 0;" "S sum = row == 5 && col == 7 ? __uint_as_float(0x7fc00000u) : 0.0f;")

mutant(gemm_adds_to_c gemm/naive f32
  gemm/naive.cpp "col] = sum;" "col] += sum;"
  gemm/naive.cl "col] = sum;" "col] += sum;"
  gemm/operands.glsl "writeonly restrict buffer C" "restrict buffer C"
  gemm/naive.comp "col] = sum;" "col] += sum;"
  gemm/naive.cu "col] = sum;" "col] += sum;")

# --- convolution ----------------------------------------------------------------------------------

mutant(convolution_skipped_tap convolution/direct_nchw f32
  convolution/direct_nchw.cpp "w0 + s >= dim.w)" "w0 + s >= dim.w || r * dim.s + s == 4)"
  convolution/direct_nchw.cl "w0 + s >= dim.w)" "w0 + s >= dim.w || r * dim.s + s == 4)"
  convolution/direct_nchw.comp "w0 + s >= dim.w)" "w0 + s >= dim.w || r * dim.s + s == 4)"
  convolution/direct_nchw.cu "w0 + s >= dim.w)" "w0 + s >= dim.w || r * dim.s + s == 4)")

mutant(convolution_flipped_filter convolution/direct_nchw f32
  convolution/direct_nchw.cpp "c, r * dim.s + s)" "c, dim.r * dim.s - 1 - r * dim.s - s)"
  convolution/direct_nchw.cl "c, r * dim.s + s)" "c, dim.r * dim.s - 1 - r * dim.s - s)"
  convolution/direct_nchw.comp "c, r * dim.s + s)" "c, dim.r * dim.s - 1 - r * dim.s - s)"
  convolution/direct_nchw.cu "c, r * dim.s + s)" "c, dim.r * dim.s - 1 - r * dim.s - s)")

mutant(convolution_transposed_filter convolution/direct_nhwc f32
  convolution/direct_nhwc.cpp "c, r * dim.s + s)" "c, s * dim.r + r)"
  convolution/direct_nhwc.cl "c, r * dim.s + s)" "c, s * dim.r + r)"
  convolution/direct_nhwc.comp "c, r * dim.s + s)" "c, s * dim.r + r)"
  convolution/direct_nhwc.cu "c, r * dim.s + s)" "c, s * dim.r + r)")

mutant(convolution_padding_as_data convolution/implicit_gemm_nhwc f32
  convolution/implicit_gemm_nhwc.cpp "inside && c + j < dim.c ? widen" "inside ? widen"
  convolution/implicit_gemm_nhwc.cl [[c * kV + j < dim.c ? values[j] : 0.0f]] [=[values[j]]=]
  convolution/implicit_gemm_nhwc.comp [[c * kV + j < dim.c ? values[j] : 0.0]] [=[values[j]]=]
  convolution/implicit_gemm_nhwc.cu [[c * kV + j < dim.c ? values[j] : 0.0f]] [=[values[j]]=])

mutant(convolution_uninitialised_halo convolution/tiled_nchw f32
  convolution/tiled.hpp "halo[c * con.halo_plane + place] ="
    "if (row < 16 && place - row * con.halo_w < 16) halo[c * con.halo_plane + place] ="
  convolution/tiled.clh "halo[c * con.halo_plane + place] ="
    "if (row < 16 && place - row * con.halo_w < 16) halo[c * con.halo_plane + place] ="
  convolution/tiled.glsl "halo[c * halo_plane + place] ="
    "if (row < 16 && place - row * halo_w < 16) halo[c * halo_plane + place] ="
  convolution/tiled.cuh "halo[c * con.halo_plane + place] ="
    "if (row < 16 && place - row * con.halo_w < 16) halo[c * con.halo_plane + place] =")

mutant(convolution_border_repeats convolution/tiled_nhwc f32
  convolution/tiled.hpp "c0 + c < dim.c && h < dim.h && w < dim.w" "c0 + c < dim.c"
  convolution/tiled.hpp "c0 + c, h, w)" "c0 + c, std::min(h, dim.h - 1), std::min(w, dim.w - 1))"
  convolution/tiled.clh "c0 + c < dim.c && h < dim.h && w < dim.w" "c0 + c < dim.c"
  convolution/tiled.clh "c0 + c, h, w)" "c0 + c, min(h, dim.h - 1), min(w, dim.w - 1))"
  convolution/tiled.glsl "c0 + c < dim.c && h < dim.h && w < dim.w" "c0 + c < dim.c"
  convolution/tiled.glsl "c0 + c, h, w)" "c0 + c, min(h, dim.h - 1), min(w, dim.w - 1))"
  convolution/tiled.cuh "c0 + c < dim.c && h < dim.h && w < dim.w" "c0 + c < dim.c"
  convolution/tiled.cuh "c0 + c, h, w)" "c0 + c, min(h, dim.h - 1), min(w, dim.w - 1))")

mutant(convolution_missing_barrier convolution/tiled_nchw f32
  convolution/tiled.hpp "    load_halo(con, g, c0, x, halo);\n" ""
  convolution/tiled.hpp "      multiply(con, lane, channels, halo, filters, sum[lane]);"
    "      if (lane == 255) load_halo(con, g, c0, x, halo);
      multiply(con, lane, channels, halo, filters, sum[lane]);"
  convolution/tiled.clh "barrier(CLK_LOCAL_MEM_FENCE);\n    const" "const"
  convolution/tiled.glsl "barrier();\n    const" "const"
  convolution/tiled.cuh "__syncthreads();\n    const" "const")

mutant(convolution_store_in_padding convolution/implicit_gemm_nhwc f32
  convolution/implicit_gemm_nhwc.cpp "if (k < con.dim.k)" "if (k < con.dim.y_pitch)"
  convolution/implicit_gemm_nhwc.cl "if (k + 4 <= dim.k)" "if (k < dim.k)"
  convolution/implicit_gemm_nhwc.comp "if (k + 4 <= dim.k)" "if (k < dim.k)"
  convolution/implicit_gemm_nhwc.cu "if (k + 4 <= dim.k)" "if (k < dim.k)")
