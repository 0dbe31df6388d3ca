#pragma once
// Every case.

#include "algorithms.h"
#include "arrays.h"
#include "bits.h"
#include "calls.h"
#include "control.h"
#include "conversions.h"
#include "floats.h"
#include "groups.h"
#include "integers.h"

namespace host_test {

template <class... Case>
struct List {};

using ItemCases = List<
    // integers.h
    IntegerArithmetic<i8>, IntegerArithmetic<i16>, IntegerArithmetic<u16>, IntegerArithmetic<i32>,
    IntegerArithmetic<u32>, IntegerArithmetic<i64>, IntegerArithmetic<u64>, IntegerLogic<i8>,
    IntegerLogic<i16>, IntegerLogic<i32>, IntegerLogic<u32>, IntegerLogic<i64>, IntegerLogic<u64>,
    IntegerDivision<i8>, IntegerDivision<i32>, IntegerDivision<u32>, IntegerDivision<i64>,
    IntegerDivision<u64>, WideIntegers, PackedIntegers,
    // bits.h
    BitCounts<u16>, BitCounts<u32>, BitCounts<u64>, BitFields,
    // floats.h
    FloatArithmetic<f16>, FloatArithmetic<f32>, FloatArithmetic<f64>, FloatComparison<f16>,
    FloatComparison<f32>, FloatComparison<f64>, FloatRounding<f16>, FloatRounding<f32>,
    FloatRounding<f64>, FloatParts<f32>, FloatParts<f64>, PackedFloats<f16>, PackedFloats<f32>,
    MixedFloats,
    // conversions.h
    Conversions<u8>, Conversions<i16>, Conversions<i32>, Conversions<u32>, Conversions<i64>,
    Conversions<u64>, Conversions<f16>, Conversions<f32>, Conversions<f64>,
    // control.h, calls.h, arrays.h, algorithms.h
    Loops, Branches, Calls, IndirectCalls, LocalArrays, SmallArrays, Tables, Hashes, BigNumbers,
    Numerics<f32>, Numerics<f64>>;

using GroupCases =
    List<Geometry, Reduction, Scan, BitonicSort, Transpose<u8>, Transpose<f16>, Transpose<f64>,
         Transpose<Quad>, TiledProduct, Histogram, IntegerAtomics<u32>, IntegerAtomics<u64>,
         Counters, FloatAtomics<f32>, FloatAtomics<f64>, Shuffles, FlatPointers, Locks>;

}  // namespace host_test
