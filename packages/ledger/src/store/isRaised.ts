import { hasProperty } from "effect/Predicate"
import type { SqlError } from "effect/sql/SqlError"

/** Whether a function of the store has raised this state. */
export const isRaised = ({ reason: { cause } }: SqlError, state: string): boolean =>
  hasProperty(cause, "code") && cause.code === state
