#include "pjrt/better_code.h"

#include <map>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "runtime/link/link.h"

namespace treadle::pjrt {

class BetterCodeSink : public executable::CodeSink {
 public:
  BetterCodeSink(std::shared_ptr<BetterCode> filled, executable::Target target)
      : filled_(std::move(filled)), target_(std::move(target)) {}

  ~BetterCodeSink() override {
    const std::lock_guard lock(filled_->mutex_);
    filled_->complete_ = true;
    filled_->complete_changed_.notify_all();
  }

  void Take(executable::Object object, std::vector<std::string> symbols) override {
    const auto linked = link::LinkObject(object, symbols, target_);
    if (!linked.ok()) {
      LogLine("good code stays unused: " + linked.status().ToString());
      return;
    }
    const std::lock_guard lock(filled_->mutex_);
    filled_->pieces_.push_back({std::move(object), std::move(symbols)});
  }

 private:
  const std::shared_ptr<BetterCode> filled_;
  const executable::Target target_;
};

std::shared_ptr<executable::CodeSink> BetterCode::MakeSink(std::shared_ptr<BetterCode> filled,
                                                           executable::Target target) {
  return std::make_shared<BetterCodeSink>(std::move(filled), std::move(target));
}

executable::Executable BetterCode::Apply(executable::Executable executable) const {
  std::unique_lock lock(mutex_);
  complete_changed_.wait(lock, [this] { return complete_; });
  const auto old_objects = std::move(executable.objects);
  std::unordered_map<std::string, const executable::Object*> better;
  for (const Piece& piece : pieces_) {
    for (const std::string& symbol : piece.symbols) better[symbol] = &piece.object;
  }
  // Only what some kernel still needs.
  executable.objects.clear();
  std::map<const executable::Object*, int32_t> numbers;
  for (executable::Kernel& kernel : executable.kernels) {
    if (kernel.object < 0) continue;
    const auto found = better.find(kernel.symbol);
    const executable::Object* object = found != better.end() ? found->second : &old_objects[kernel.object];
    const auto [number, fresh] = numbers.try_emplace(object, static_cast<int32_t>(executable.objects.size()));
    if (fresh) executable.objects.push_back(*object);
    kernel.object = number->second;
  }
  return executable;
}

}  // namespace treadle::pjrt
