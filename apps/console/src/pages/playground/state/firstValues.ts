import type { Client } from "@tollgate/client"
import { tasks } from "@tollgate/client/account"
import { contractVersion } from "@tollgate/client/operations"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import * as Effect from "effect/Effect"
import type { Arguments } from "../json.ts"

const week = 7 * 24 * 60 * 60

/** Values that need no question: the report of usage begins a week ago. */
export const exampleOf = ({ example, template }: OfferedOperation): Arguments => {
  if (template !== "usage") return example
  const now = Math.floor(Date.now() / 1_000)
  return { ...example, start_time: now - week, ...(Object.hasOwn(example, "end_time") ? { end_time: now } : {}) }
}

const finders: Readonly<Record<string, Effect.Effect<Arguments | undefined, unknown, Client>>> = {
  "task.get": Effect.map(
    Effect.suspend(() => tasks()),
    ({ tasks: [newest] }) => (newest === undefined ? undefined : { task_id: newest.id })
  ),
  "contracts.source": Effect.map(
    Effect.suspend(() => contractVersion()),
    ({ contentHash }) => ({ hash: contentHash })
  )
}

/** Finds values that are there, for arguments whose example is not. */
export const finderOf = ({ template }: OfferedOperation) =>
  Object.hasOwn(finders, template) ? finders[template] : undefined

/** Whether the example names something that need not be there. */
export const hasPlaceholder = ({ template }: OfferedOperation): boolean =>
  /(^|\.)(task\.get|cached_answer|oauth_callback)$/.test(template)
