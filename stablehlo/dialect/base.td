// What every file of operations shares: the dialect, its type constraints and the classes that operations derive from.
#ifndef TREADLE_STABLEHLO_DIALECT_BASE_TD_
#define TREADLE_STABLEHLO_DIALECT_BASE_TD_

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::treadle::stablehlo";
  let summary = "StableHLO 1.20: the language of programs that enter";
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    mlir::Attribute parseAttribute(mlir::DialectAsmParser& parser, mlir::Type type) const override;
    void printAttribute(mlir::Attribute attribute, mlir::DialectAsmPrinter& printer) const override;
    mlir::Type parseType(mlir::DialectAsmParser& parser) const override;
    void printType(mlir::Type type, mlir::DialectAsmPrinter& printer) const override;

   private:
    void RegisterAttributes();
    void RegisterTypes();
    // One a category, each in the source file that holds the category's generated code.
    void RegisterElementwiseOps();
    void RegisterDataMovementOps();
    void RegisterContractionOps();
    void RegisterReductionOps();
    void RegisterControlFlowOps();
    void RegisterCollectiveOps();
    void RegisterDynamismOps();
    void RegisterLegacyOps();
  }];
}

// Tensors by kind of element. The kinds are flags of element_kind.h; the check is one call, so that generated code stays small.
class KindedTensor<string kinds, string summary>
    : Type<CPred<"::treadle::stablehlo::IsTensorOf($_self, " # kinds # ")">, summary, "::mlir::RankedTensorType">;
def AnyTensorType : KindedTensor<"::treadle::stablehlo::kAnyElement", "ranked tensor">;
def PredTensorType : KindedTensor<"::treadle::stablehlo::kPredElement", "ranked tensor of i1 values">;
def PredOrIntTensorType
    : KindedTensor<"::treadle::stablehlo::kPredElement | ::treadle::stablehlo::kIntElement", "ranked tensor of i1 or integer values">;
def IntTensorType : KindedTensor<"::treadle::stablehlo::kIntElement", "ranked tensor of integer values">;
def DimensionTensorType : KindedTensor<"::treadle::stablehlo::kIntElement | ::treadle::stablehlo::kIndexElement",
                                   "ranked tensor of index or integer values">;
def FpTensorType : KindedTensor<"::treadle::stablehlo::kFloatElement | ::treadle::stablehlo::kQuantElement",
                            "ranked tensor of floating-point or quantized values">;
def ComplexTensorType : KindedTensor<"::treadle::stablehlo::kComplexElement", "ranked tensor of complex values">;
def FpOrComplexTensorType
    : KindedTensor<"::treadle::stablehlo::kFloatElement | ::treadle::stablehlo::kComplexElement | ::treadle::stablehlo::kQuantElement",
               "ranked tensor of floating-point, complex or quantized values">;
def IntFpOrComplexTensorType
    : KindedTensor<"::treadle::stablehlo::kAnyElement & ~(::treadle::stablehlo::kPredElement | ::treadle::stablehlo::kIndexElement)",
               "ranked tensor of integer, floating-point, complex or quantized values">;
def QuantTensorType : KindedTensor<"::treadle::stablehlo::kQuantElement", "ranked tensor of quantized values">;

class ShapeTrait<string name> : NativeOpTrait<name> { let cppNamespace = "::treadle::stablehlo"; }
// All tensors among operands and results have compatible shapes.
def ElementwiseShape : ShapeTrait<"ElementwiseShape">;
// All tensors among operands and results have one element type (of quantized ones scales may differ): what the
// specification asks as (C1) of most operations, with ElementwiseShape "equal types" and "equal baseline types".
def SameElementType : ShapeTrait<"SameElementType">;

class Stablehlo_Op<string mnemonic, list<Trait> traits = []> : Op<Stablehlo_Dialect, mnemonic, traits>;
// Operations whose regions decide what they do beside computing.
class Stablehlo_RegionOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, !listconcat(traits, [SingleBlock, RecursiveMemoryEffects])> {
  let hasRegionVerifier = 1;
}

#endif  // TREADLE_STABLEHLO_DIALECT_BASE_TD_
