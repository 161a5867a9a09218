import { isCode } from "@tollgate/contract/errors/codes"
import type { Outcome } from "@tollgate/contract/Outcome"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import type { Failed } from "./Observer.ts"
import type { Failure } from "../call/Watch.ts"

export const failedOf = ({ _tag, code, outcome, status }: Failure): Failed => ({
  type: _tag,
  outcome,
  ...(status === undefined ? {} : { status }),
  // A code that the interface does not define may be arbitrary text.
  ...(code !== undefined && isCode(code) ? { code } : {})
})

/** `unseen` is the outcome if the call ended without an error of its own. */
export const failureIn = (cause: Cause.Cause<unknown>, unseen: Outcome): Failure =>
  Option.getOrElse(Cause.findErrorOption(cause as Cause.Cause<Failure>), () => ({
    _tag: Cause.hasInterruptsOnly(cause) ? "interrupted" : "defect",
    outcome: unseen
  }))
