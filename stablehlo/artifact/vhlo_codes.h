// The numbers by which `vhlo` tells its attributes and types apart. They are the format.
#ifndef TREADLE_STABLEHLO_ARTIFACT_VHLO_CODES_H_
#define TREADLE_STABLEHLO_ARTIFACT_VHLO_CODES_H_

#include <cstdint>

namespace treadle::stablehlo::vhlo {

// 0 was an attribute that is gone.
enum AttributeCode : uint64_t {
  kArray = 1,
  kBoolean = 2,
  kComparisonDirection = 3,
  kComparisonType = 4,
  kCustomCallApiVersion = 5,
  kDictionary = 6,
  kFftType = 7,
  kFloat = 8,
  kInteger = 9,
  kOutputOperandAlias = 10,
  kPrecision = 11,
  kRngAlgorithm = 12,
  kRngDistribution = 13,
  kString = 14,
  kTensor = 15,
  kTranspose = 16,
  kTypeAttribute = 17,
  kTypeExtensions = 18,
  kResultAccuracyMode = 19,
  kResultAccuracy = 20,
  kSubAxisInfo = 21,
  kAxisRef = 22,
  kReplicaGroupMeshAxes = 23,
  kMeshAxis = 24,
  kMesh = 25,
};

enum TypeCode : uint64_t {
  kBooleanType = 0,
  kComplexType = 1,
  kBFloat16 = 2,
  kFloat16 = 3,
  kFloat32 = 4,
  kFloat64 = 5,
  kFloat8E4M3FN = 6,
  kFloat8E5M2 = 7,
  kFunctionType = 8,
  kIndexType = 9,
  kSigned4 = 10,    // 8, 16, 32, 64 bits follow
  kUnsigned4 = 15,  // so here
  kTensorType = 20,
  kTensorTypeWithEncoding = 21,
  kTokenType = 22,
  kTupleType = 23,
  kQuantizedType = 24,
  kUnrankedTensorType = 25,
  kWitnessType = 26,
  kFloat8E4M3FNUZ = 27,
  kFloat8E5M2FNUZ = 28,
  kFloat8E4M3B11FNUZ = 29,
  kQuantizedPerAxisType = 30,
  kSigned2 = 31,
  kUnsigned2 = 32,
  kNoneType = 33,
  kFloatTF32 = 34,
  kFloat8E4M3 = 35,
  kFloat8E3M4 = 36,
  kFloat4E2M1FN = 37,
  kFloat6E2M3FN = 38,
  kFloat6E3M2FN = 39,
  kFloat8E8M0FNU = 40,
  kBufferType = 41,
  kFutureType = 42,
};

}  // namespace treadle::stablehlo::vhlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_VHLO_CODES_H_
