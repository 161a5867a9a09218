import type { Charge } from "@tollgate/contract/Outcome"
import type { PaidStep } from "../../call/trace.ts"
import type { Finish } from "../Protocol.ts"

/** A tool that the model used. */
export interface ToolUse {
  readonly name: string
  readonly arguments: unknown
  /** What the handler returned. */
  readonly output?: unknown
  /** What the model was told, if the arguments were not valid or the handler failed. */
  readonly error?: string
}

/** One call of the model, and the tools that it used. */
export interface Step<out A = unknown> extends PaidStep {
  readonly answer: A
  readonly finish: Finish
  /** Empty in the last step. */
  readonly uses: ReadonlyArray<ToolUse>
}

/** The end of a loop. */
export interface ToolsResult<out A = unknown> {
  readonly text: string
  /** The last answer as it arrived. */
  readonly answer: A
  /** Why the model stopped: `length` if the text is cut off. */
  readonly finish: Finish
  readonly steps: ReadonlyArray<Step<A>>
  /** What all steps have cost together. */
  readonly charge: Charge
}
