import type { NanoUsd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import * as Context from "effect/Context"
import type { BudgetReservation } from "./BudgetReservation.ts"
import type { Settings } from "../options/settings.ts"

/** The idempotency key and cap of a billed call, the same for each of its attempts. */
export interface Terms {
  readonly key: string | undefined
  readonly cap: NanoUsd | undefined
  /** What the budgets in force hold for it. */
  readonly hold: BudgetReservation | undefined
  /** The first call with this key, which may have run. */
  readonly resumed: Memory | undefined
}

/** What is needed to send a billed call again. */
export interface Memory {
  readonly source: Operation
  readonly isStream: boolean
  readonly input: unknown
  readonly settings: Settings
  readonly terms: Terms
}

/** The terms of the call that is resumed. */
export const Resumed = Context.Reference<Terms | undefined>("@tollgate/client/Resumed", {
  defaultValue: () => undefined
})

/** What to remember of a call. Of a resumed one it is the first call: options of `resume` apply once. */
export const memoryFor = (call: Omit<Memory, "terms">, terms: Terms): Memory => terms.resumed ?? { ...call, terms }

const memories = new WeakMap<object, Memory>()

/** Kept beside the error, so that the input is not logged with it. */
export const remember = <E extends object>(error: E, memory: Memory | undefined): E => {
  if (memory !== undefined) memories.set(error, memory)
  return error
}

/** Marks the error of a call that may have run: it gets the call's key, and can be resumed. */
export const resumable = <E extends object>(error: E, call: Omit<Memory, "terms">, terms: Terms): E =>
  remember(
    terms.key === undefined ? error : Object.assign(error, { idempotencyKey: terms.key }),
    memoryFor(call, terms)
  )

export const memoryOf = (error: object): Memory | undefined => memories.get(error)
