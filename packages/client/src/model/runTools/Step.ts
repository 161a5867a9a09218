import type { Charge } from "@tollgate/contract/Outcome"
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
export interface Step<out A = unknown> {
  /** From 1. */
  readonly number: number
  /** The model's answer as it arrived. */
  readonly answer: A
  readonly text: string
  readonly finish: Finish
  /** Empty in the last step. */
  readonly uses: ReadonlyArray<ToolUse>
  readonly charge: Charge
  readonly requestId?: string
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
