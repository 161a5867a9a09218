import { nano } from "@tollgate/contract/Money"
import type { Evidence } from "@tollgate/contract/price/evidence"
import type { DetailKind } from "@tollgate/contract/price/TokenKind"
import { TaskStatus } from "@tollgate/contract/Task"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { RecordedCall } from "./recorded.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const isEstimate = Schema.optionalKey(Schema.Literal(true))
const Decimal = Schema.String.check(Schema.isPattern(/^\d{1,9}(?:\.\d{1,6})?$/))
const Digits = Schema.String.check(Schema.isPattern(/^\d{1,30}$/))
/** A cost as its upstream wrote it. */
const Reported = Schema.String.check(Schema.isMaxLength(60))

const Name = Schema.optionalKey(Schema.String)
const Details = Schema.Struct({
  cacheWriteLong: Schema.optionalKey(Count),
  audioInput: Schema.optionalKey(Count),
  audioOutput: Schema.optionalKey(Count),
  audioCacheRead: Schema.optionalKey(Count),
  imageInput: Schema.optionalKey(Count),
  imageOutput: Schema.optionalKey(Count),
  imageCacheRead: Schema.optionalKey(Count),
  videoInput: Schema.optionalKey(Count)
} satisfies Record<DetailKind, unknown>)

/** What one run of a model used. */
const used = {
  usage: Schema.Struct({ input: Count, output: Count, cacheRead: Count, cacheWrite: Count }),
  details: Schema.optionalKey(Details),
  tier: Name,
  speed: Name,
  region: Name,
  uses: Schema.optionalKey(Schema.Record(Schema.String, Count))
}

/** As `JSON.stringify` writes it into the ledger. Amounts are digits. */
const writtenOf = {
  request: Schema.Struct({
    kind: Schema.Literal("request"),
    times: Schema.optionalKey(Schema.Struct({ count: Count, unit: Schema.String }))
  }),
  tokens: Schema.Struct({ kind: Schema.Literal("tokens"), total: Count, isEstimate }),
  model: Schema.Struct({
    kind: Schema.Literal("model"),
    model: Schema.String,
    ...used,
    parts: Schema.optionalKey(Schema.Array(Schema.Struct({ model: Schema.String, ...used }))),
    gaps: Schema.optionalKey(Schema.Array(Schema.String)),
    isEstimate
  }),
  items: Schema.Struct({ kind: Schema.Literal("items"), count: Count }),
  units: Schema.Struct({ kind: Schema.Literal("units"), count: Count, isEstimate }),
  cost: Schema.Struct({ kind: Schema.Literal("cost"), reported: Schema.optionalKey(Reported), isEstimate }),
  code: Schema.Struct({ kind: Schema.Literal("code"), value: Schema.Int }),
  failed: Schema.Struct({ kind: Schema.Literal("failed") }),
  task: Schema.Struct({
    kind: Schema.Literal("task"),
    status: TaskStatus,
    reported: Schema.optionalKey(Digits),
    times: Schema.optionalKey(Schema.Struct({ count: Decimal, unit: Schema.String })),
    isEstimate
  })
} satisfies { readonly [K in Evidence["kind"]]: Schema.Schema<{ readonly kind: K }> }
const Written = Schema.Union(Object.values(writtenOf))

/** Of a call that got a kept answer: the first call's evidence, and the share of its price. */
const Kept = Schema.Struct({ kind: Schema.Literal("kept"), share: Digits, of: Written })

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Union([Written, Kept])))

const evidenceOf = (written: typeof Written.Type): Evidence => {
  if (written.kind !== "task") return written
  const { reported, ...task } = written
  return reported === undefined ? task : { ...task, reported: nano(BigInt(reported)) }
}

/** `undefined`: the ledger has none. */
export const readEvidence = (text: string | null): Pick<RecordedCall, "evidence" | "share"> => {
  const written = text === null ? undefined : Option.getOrUndefined(decode(text))
  if (written === undefined) return { evidence: undefined }
  return written.kind === "kept"
    ? { evidence: evidenceOf(written.of), share: BigInt(written.share) }
    : { evidence: evidenceOf(written) }
}
