import * as Data from "effect/Data"

/** What an upstream did, and what it bills for it. */
export interface Work {
  readonly operation: string
  readonly body: Readonly<Record<string, unknown>>
  readonly billed: Readonly<Record<string, number>>
}

export class InvalidInput extends Data.TaggedError("InvalidInput")<{ readonly message: string }> {}
