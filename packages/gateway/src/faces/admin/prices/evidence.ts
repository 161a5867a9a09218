import { nano } from "@tollgate/contract/Money"
import type { Evidence } from "@tollgate/contract/price/evidence"
import { TaskStatus } from "@tollgate/contract/Task"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const isEstimate = Schema.optionalKey(Schema.Literal(true))
const Digits = Schema.String.check(Schema.isPattern(/^\d{1,30}$/))

/** As `JSON.stringify` writes it into the ledger. Amounts are digits. */
const Written = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({
      kind: Schema.Literal("request"),
      times: Schema.optionalKey(Schema.Struct({ count: Count, unit: Schema.String }))
    }),
    Schema.Struct({ kind: Schema.Literal("tokens"), total: Count, isEstimate }),
    Schema.Struct({
      kind: Schema.Literal("model"),
      model: Schema.String,
      usage: Schema.Struct({ input: Count, output: Count, cacheRead: Count, cacheWrite: Count }),
      isEstimate
    }),
    Schema.Struct({ kind: Schema.Literal("items"), count: Count }),
    Schema.Struct({ kind: Schema.Literal("code"), value: Schema.Int }),
    Schema.Struct({
      kind: Schema.Literal("task"),
      status: TaskStatus,
      reported: Schema.optionalKey(Digits)
    })
  ])
)

const decode = Schema.decodeUnknownOption(Written)

/** `undefined`: the ledger has none. */
export const readEvidence = (text: string | null): Evidence | undefined => {
  const written = text === null ? undefined : Option.getOrUndefined(decode(text))
  if (written?.kind !== "task") return written
  const { reported, ...task } = written
  return reported === undefined ? task : { ...task, reported: nano(BigInt(reported)) }
}
