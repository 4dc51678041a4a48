#include "runtime/link/link.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <thread>

namespace treadle::link {
namespace {

// Object code of LLVM IR text.
std::string Compile(const std::string& text) {
  static const bool initialised = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  (void)initialised;
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  EXPECT_NE(module, nullptr) << error.getMessage().str();
  const llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string message;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, message);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64-v2", "", {}, llvm::Reloc::PIC_, llvm::CodeModel::Small));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE(machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return std::string(bytes.begin(), bytes.end());
}

std::string Returning(const std::string& symbol, int value) {
  return "define i32 @" + symbol + "(ptr %f) {\n  ret i32 " + std::to_string(value) + "\n}\n";
}

const executable::Target kTarget;

StatusOr<std::vector<TreadleKernel>> Link(const std::string& object, std::vector<std::string> symbols,
                                          bool quick = false) {
  TREADLE_ASSIGN_OR_RETURN(std::vector<const LinkedKernel*> linked, LinkObject({object, quick}, symbols, kTarget));
  std::vector<TreadleKernel> code;
  for (const LinkedKernel* kernel : linked) code.push_back(kernel->code());
  return code;
}

TEST(Link, FindsKernelsInTheOrderAsked) {
  const std::string object = Compile(Returning("one_a", 1) + Returning("two_a", 2));
  auto kernels = Link(object, {"two_a", "one_a"});
  ASSERT_TRUE(kernels.ok()) << kernels.status().ToString();
  EXPECT_EQ((*kernels)[0](nullptr), 2);
  EXPECT_EQ((*kernels)[1](nullptr), 1);
}

TEST(Link, LinksASymbolOnce) {
  const std::string object = Compile(Returning("once", 5));
  auto first = Link(object, {"once"});
  ASSERT_TRUE(first.ok());
  const int64_t objects = LinkedObjects();
  auto second = Link(object, {"once"});
  EXPECT_EQ((*first)[0], (*second)[0]);
  EXPECT_EQ(LinkedObjects(), objects);
  auto more = Link(Compile(Returning("once", 5) + Returning("more", 6)), {"once", "more"});
  ASSERT_TRUE(more.ok());
  EXPECT_EQ((*more)[0], (*first)[0]);
  EXPECT_EQ((*more)[1](nullptr), 6);
}

TEST(Link, GoodCodeReplacesQuickCodeAndNothingReplacesGoodCode) {
  const std::string quick_object = Compile(Returning("tiered", 1)), good_object = Compile(Returning("tiered", 2));
  const std::vector<std::string> symbols = {"tiered"};
  auto quick = LinkObject({quick_object, true}, symbols, kTarget);
  ASSERT_TRUE(quick.ok());
  const LinkedKernel& kernel = *(*quick)[0];
  const TreadleKernel old_code = kernel.code();
  EXPECT_EQ(old_code(nullptr), 1);
  const uint64_t before = Generation();
  ASSERT_TRUE(LinkObject({good_object, false}, symbols, kTarget).ok());
  EXPECT_NE(Generation(), before);
  EXPECT_EQ(kernel.code()(nullptr), 2);
  EXPECT_EQ(old_code(nullptr), 1) << "code that may be running stays";
  const int64_t objects = LinkedObjects();
  EXPECT_EQ((*Link(quick_object, symbols, true))[0](nullptr), 2);
  EXPECT_EQ((*Link(quick_object, symbols))[0](nullptr), 2);
  EXPECT_EQ(LinkedObjects(), objects);
}

int Registered(const TreadleCallFrame*) { return 42; }

TEST(Link, ResolvesReferences) {
  RegisterSymbol("registered_kernel", reinterpret_cast<void*>(&Registered));
  const std::string object = Compile(R"(
    @table = private constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
    declare i32 @registered_kernel(ptr)
    declare double @fmod(double, double)
    declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
    define i32 @calls(ptr %f) {
      %a = call i32 @registered_kernel(ptr %f)
      %x = call double @fmod(double 7.0, double 4.0)
      %i = fptosi double %x to i32
      %p = getelementptr [4 x i32], ptr @table, i32 0, i32 %i
      %t = load i32, ptr %p
      %s = add i32 %a, %t
      ret i32 %s
    }
    define i32 @clears(ptr %f) {
      %b = load ptr, ptr %f
      call void @llvm.memset.p0.i64(ptr %b, i8 0, i64 1000000, i1 false)
      ret i32 0
    })");
  auto kernels = Link(object, {"calls", "clears"});
  ASSERT_TRUE(kernels.ok()) << kernels.status().ToString();
  EXPECT_EQ((*kernels)[0](nullptr), 42 + 40);
  std::vector<char> bytes(1000000, 1);
  void* buffer = bytes.data();
  EXPECT_EQ((*kernels)[1](reinterpret_cast<const TreadleCallFrame*>(&buffer)), 0);
  EXPECT_EQ(bytes, std::vector<char>(1000000, 0));
}

TEST(Link, BadObjectsAreErrorsAndTheLinkerGoesOn) {
  EXPECT_EQ(Link("", {"x"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Link("not an object at all", {"x"}).status().code(), StatusCode::kInvalidArgument);
  const std::string good = Compile(Returning("cut", 1));
  for (size_t length = 0; length < good.size(); length += 7) EXPECT_FALSE(Link(good.substr(0, length), {"cut"}).ok());
  auto missing = Link(Compile(Returning("present", 1)), {"absent"});
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
  EXPECT_NE(missing.status().message().find("absent"), std::string::npos) << missing.status().message();
  auto unresolved = Link(Compile("declare i32 @nowhere(ptr)\ndefine i32 @lost(ptr %f) {\n"
                                 "  %a = call i32 @nowhere(ptr %f)\n  ret i32 %a\n}"),
                         {"lost"});
  EXPECT_EQ(unresolved.status().code(), StatusCode::kNotFound);
  EXPECT_NE(unresolved.status().message().find("nowhere"), std::string::npos) << unresolved.status().message();
  EXPECT_TRUE(Link(Compile(Returning("afterwards", 1)), {"afterwards"}).ok());
}

TEST(Link, ManyThreads) {
  std::vector<std::string> objects;
  for (int i = 0; i < 8; ++i) objects.push_back(Compile(Returning("thread_kernel_" + std::to_string(i), i)));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; ++i) {
        const int which = (i * 3 + t) % 8;
        auto kernels = Link(objects[which], {"thread_kernel_" + std::to_string(which)});
        ASSERT_TRUE(kernels.ok());
        EXPECT_EQ((*kernels)[0](nullptr), which);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace treadle::link
