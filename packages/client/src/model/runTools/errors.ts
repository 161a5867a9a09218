import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Step } from "./Step.ts"

/** Continues a loop: `runTools(model, tools, resume.input, { ...options, ...resume.options })`. */
export interface Resume<out I = unknown> {
  /** The conversation so far. */
  readonly input: I
  readonly options: {
    /** What is left, in USD. */
    readonly budget?: string
    /** Of the call whose outcome is unknown, or of the next one if the loop had a key. */
    readonly idempotencyKey?: string
  }
}

/** The fields of every error of a loop: nothing that was paid for is lost. */
interface Ended {
  readonly operation: string
  readonly message: string
  /** With the last one, if it was paid for. */
  readonly steps: ReadonlyArray<Step>
  /** What all steps have cost together. */
  readonly charge: Charge
  readonly resume: Resume
  readonly cause?: unknown
}

/** The next call can cost more than is left of the budget. It was not made. */
export class BudgetSpent<I = unknown, A = unknown> extends TaggedError("BudgetSpent")<Ended> {
  declare readonly steps: ReadonlyArray<Step<A>>
  declare readonly resume: Resume<I>
}

/** The model wants to go on after `maxSteps`. */
export class StepLimitReached<I = unknown, A = unknown> extends TaggedError("StepLimitReached")<Ended> {
  declare readonly steps: ReadonlyArray<Step<A>>
  declare readonly resume: Resume<I>
}

/** The answer was cut off by its length while it asked for tools. They were not run. */
export class AnswerTruncated<I = unknown, A = unknown> extends TaggedError("AnswerTruncated")<Ended> {
  declare readonly steps: ReadonlyArray<Step<A>>
  declare readonly resume: Resume<I>
}

/** A tool failed with `cause`, and `onToolError` is `stop`. */
export class ToolFailed<I = unknown, A = unknown> extends TaggedError("ToolFailed")<Ended & { readonly tool: string }> {
  declare readonly steps: ReadonlyArray<Step<A>>
  declare readonly resume: Resume<I>
}

/** A call of the model failed with `cause`. If its outcome is unknown, `resume` asks for it instead of paying again. */
export class ModelCallFailed<I = unknown, A = unknown, E = unknown> extends TaggedError("ModelCallFailed")<Ended> {
  declare readonly steps: ReadonlyArray<Step<A>>
  declare readonly resume: Resume<I>
  declare readonly cause: E
}

export type ToolsError<I, A, E> =
  | BudgetSpent<I, A>
  | StepLimitReached<I, A>
  | AnswerTruncated<I, A>
  | ToolFailed<I, A>
  | ModelCallFailed<I, A, E>
