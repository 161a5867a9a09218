export { withBudget } from "./budget.ts"
export { call } from "./call.ts"
export { Client, type Options } from "./Client.ts"
export {
  AnswerInvalid,
  BudgetExceeded,
  type CallError,
  type ClientError,
  InputInvalid,
  OutcomeUnknown,
  TransportFailed
} from "./errors.ts"
export * from "./operations.ts"
export { promises } from "./promises.ts"
export { quote } from "./quote.ts"
export * as Policy from "./retry/Policy.ts"
export { withIdempotencyKey, withMaxPrice } from "./settings.ts"
export { sourceState, type SourceState } from "./sourceState.ts"
