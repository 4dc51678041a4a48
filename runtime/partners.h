// Partners: the other executions of a program that runs on several devices at once, as one of them sees them. Internal.
#ifndef TREADLE_RUNTIME_PARTNERS_H_
#define TREADLE_RUNTIME_PARTNERS_H_

#include <cstdint>
#include <span>

namespace treadle::internal {

// What an execution calls at an ExchangeStep; see there. One object an execution.
class Partners {
 public:
  virtual ~Partners() = default;

  // This execution has come to exchange number `exchange` (in the order of Program) and lends `operands`, whose
  // contents stay as they are until Leave has returned true or the execution goes on behind it. True: all of the group
  // are here. False: they are not, and the execution must stop; whoever comes last sees to it that it goes on, maybe
  // before this call has returned.
  virtual bool Meet(uint32_t exchange, std::span<void* const> operands) = 0;
  // What a member of the group lends: operand k. Between Meet and Leave.
  virtual void* Lent(uint32_t exchange, int32_t participant, uint32_t operand) const = 0;
  // This execution needs nothing of the others any more. True and false as for Meet.
  virtual bool Leave(uint32_t exchange) = 0;

  // Which of the participants this execution is.
  virtual const int32_t& participant() const = 0;
};

}  // namespace treadle::internal

#endif  // TREADLE_RUNTIME_PARTNERS_H_
