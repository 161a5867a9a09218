import { micro, nano } from "@tollgate/contract/Money"
import { noTokens } from "@tollgate/contract/price/TokenKind"
import { amount, number, type Row, text } from "../store/rows.ts"
import type { Value } from "../store/statements.ts"
import { capped } from "./Settled.ts"
import { encodeGaps } from "./recorded.ts"
import type { Reservation } from "./Reservation.ts"
import type { Applied, Transition } from "./Transition.ts"

/** How a value is read: `usage/callFields.ts` has what readers get of it. */
export type Kind =
  | "text"
  | "optionalText"
  | "state"
  | "costState"
  | "flag"
  | "count"
  | "optionalCount"
  | "time"
  | "optionalTime"
  | "micros"
  | "optionalMicros"
  | "nanos"
  | "optionalNanos"
  | "tags"
  | "gaps"
  | "json"
  | "error"

/** Who sees a value: callers in each list of calls, callers in the story of one call, operators alone, or nobody. */
export type Reader = "list" | "story" | "operator" | "nobody"

interface Column {
  /** As the table declares it. */
  readonly sql: string
  readonly kind: Kind
  readonly to: Reader
  /** Its name in answers and exports, if it is not that of the column. */
  readonly as?: string
  /** What a reservation gives. */
  readonly opened?: keyof Reservation
  /** A transition sets it: `endedValues` says to what. */
  readonly ended?: true
  /** What a transition does not know stays as it is. */
  readonly stays?: true
}

/** Answered with 4xx or 5xx, ended unknown, or reported as failed in spite of its status. */
const isFailed = (transition: Transition): boolean => {
  switch (transition.kind) {
    case "settle":
      return transition.settled.failed === true || transition.settled.answer.status >= 400
    case "release":
      return transition.failed === true || transition.status >= 400
    default:
      return transition.kind === "mark_unknown"
  }
}

const free = { charged: micro(0n), chargedNano: nano(0n), value: micro(0n), loss: micro(0n), lossNano: nano(0n) }

const none = "BIGINT NOT NULL DEFAULT 0"

/**
 * The columns of a call, in the order of the table. A new one comes last: CONTRIBUTING.md says how to add it. Tables, rows, the
 * journal, `commit_commands`, the call log and the export follow from this.
 *
 * `owner`: the gateway process that opened the call. `cap`: the most that the caller pays. `loss`: what the call cost beyond
 * it, which the operator bears. `failed`, if 1: counts among the failed requests. `model`: the one that the call names.
 * `upstream`: the one that answered. `tried`: the upstreams in the order they were tried, as JSON, unless the first one
 * answered. `tags`: as JSON, see `RecordedTags`. `gaps`: what was used without a price, as JSON, see `RecordedGaps`.
 * `cost_nano`: what the upstream charges for the call, if its prices are known. `error`: why it failed, see `CallError`.
 */
export const callColumns = {
  id: {
    sql: "TEXT PRIMARY KEY",
    kind: "text",
    to: "list",
    opened: "call",
    ended: true
  },
  account: { sql: "TEXT NOT NULL", kind: "text", to: "operator", opened: "account" },
  key: { sql: "TEXT NOT NULL", kind: "text", to: "list", opened: "key" },
  operation: { sql: "TEXT NOT NULL", kind: "text", to: "list", opened: "operation" },
  model: { sql: "TEXT", kind: "optionalText", to: "list", opened: "model" },
  tags: { sql: "TEXT", kind: "tags", to: "list", opened: "tags" },
  state: { sql: "TEXT NOT NULL", kind: "state", to: "list", ended: true },
  reserved: { sql: "BIGINT NOT NULL", kind: "micros", to: "story", as: "reserved_micros_usd", opened: "amount" },
  cap: { sql: "BIGINT", kind: "optionalMicros", to: "story", as: "cap_micros_usd", opened: "cap" },
  created_at: { sql: "BIGINT NOT NULL", kind: "time", to: "list", opened: "createdAt" },
  owner: { sql: "TEXT NOT NULL", kind: "text", to: "nobody" },
  ended_at: { sql: "BIGINT", kind: "optionalTime", to: "list", ended: true },
  status: { sql: "BIGINT", kind: "optionalCount", to: "list", ended: true },
  failed: { sql: none, kind: "flag", to: "list", ended: true },
  value: {
    sql: none,
    kind: "micros",
    to: "list",
    as: "value_micros_usd",
    ended: true
  },
  charged: { sql: none, kind: "micros", to: "list", as: "charged_micros_usd", ended: true },
  charged_nano: { sql: none, kind: "nanos", to: "list", as: "charged_nano_usd", ended: true },
  loss: { sql: none, kind: "micros", to: "story", as: "loss_micros_usd", ended: true },
  loss_nano: { sql: none, kind: "nanos", to: "story", as: "loss_nano_usd", ended: true },
  quota_at: { sql: "BIGINT", kind: "optionalTime", to: "nobody", ended: true },
  cost_state: { sql: "TEXT", kind: "costState", to: "list", ended: true },
  evidence: { sql: "TEXT", kind: "json", to: "story", ended: true },
  input_tokens: { sql: none, kind: "count", to: "list", ended: true },
  output_tokens: { sql: none, kind: "count", to: "list", ended: true },
  cache_read_tokens: { sql: none, kind: "count", to: "story", ended: true },
  cache_write_tokens: { sql: none, kind: "count", to: "story", ended: true },
  upstream: { sql: "TEXT", kind: "optionalText", to: "list", stays: true, ended: true },
  tried: { sql: "TEXT", kind: "json", to: "story", stays: true, ended: true },
  gaps: { sql: "TEXT", kind: "gaps", to: "story", ended: true },
  cost_nano: {
    sql: "BIGINT",
    kind: "optionalNanos",
    to: "operator",
    as: "cost_nano_usd",
    ended: true
  },
  error: { sql: "TEXT", kind: "error", to: "list", ended: true }
} as const satisfies Readonly<Record<string, Column>>

type Name = keyof typeof callColumns
const all: ReadonlyArray<readonly [name: string, column: Column]> = Object.entries(callColumns)

export const callTable = `CREATE TABLE calls (${all.map(([name, { sql }]) => `\n    ${name} ${sql}`).join(",")}\n  )`

/** Part of a row: the values of some columns, in their order. */
export type Values = ReadonlyArray<Value>

interface Part {
  readonly name: string
  readonly type: "TEXT" | "BIGINT"
  readonly stays: boolean
}

const partOf = (name: string, { sql, stays }: Column): Part => ({
  name,
  type: sql.startsWith("TEXT") ? "TEXT" : "BIGINT",
  stays: stays === true
})

/** What is known of a call when it is reserved, besides its state and its owner. */
const fields = all.flatMap(([name, column]) =>
  column.opened === undefined ? [] : [{ ...partOf(name, column), kind: column.kind, field: column.opened }]
)
export const openedColumns: ReadonlyArray<Part> = fields

const ends = all.flatMap(([name, column]) =>
  column.ended === undefined ? [] : [{ ...partOf(name, column), kind: column.kind, isCounted: column.sql === none }]
)
/** What a transition sets, after the id. */
export const endedColumns: ReadonlyArray<Part> = ends

const openedFields = fields.map(({ field }) => field)

export const openedValues = (reservation: Reservation): Values => {
  const values: Array<Value> = []
  for (const field of openedFields) values.push((reservation[field] as Value | undefined) ?? null)
  return values
}

/**
 * What a transition sets, in the order of the columns that it sets. A list: each call passes here, and a record, or a function for
 * each column, takes twice as long. The suite of columns reads each value back.
 */
export const endedValues = ({ after, quotaAt, transition }: Applied): Values => {
  const settled = transition.kind === "settle" ? transition.settled : undefined
  const price = settled === undefined ? free : capped(settled.settlement, transition.reservation.cap)
  const usage = settled?.usage ?? noTokens
  return [
    transition.reservation.call,
    after.state,
    after.endedAt ?? null,
    transition.kind === "release" ? transition.status : (settled?.answer.status ?? null),
    isFailed(transition) ? 1 : 0,
    settled?.settlement.value ?? 0n,
    price.charged,
    price.chargedNano,
    price.loss,
    price.lossNano,
    // The time in whose period the charge counts towards the quota, if it is not that of the end.
    price.charged === 0n || quotaAt === after.endedAt ? null : quotaAt,
    settled?.costState ?? null,
    settled?.evidence ?? null,
    usage.input,
    usage.output,
    usage.cacheRead,
    usage.cacheWrite,
    after.upstream ?? null,
    after.tried ?? null,
    settled?.gaps === undefined ? null : encodeGaps(settled.gaps),
    settled?.cost ?? null,
    transition.error ?? null
  ]
}

export const place = Object.fromEntries(ends.map(({ name }, i) => [name, i])) as Readonly<Record<Name, number>>

export const reservationIn = (row: Row): Reservation => {
  const found = fields.flatMap(({ field, kind, name, type }) => {
    if (row[name] === null || row[name] === undefined) return []
    const value = kind === "time" ? number(row, name) : type === "TEXT" ? text(row, name) : amount(row, name)
    return [[field, value]]
  })
  return { ...(Object.fromEntries(found) as Omit<Reservation, "keepAnswer">), keepAnswer: false }
}

/** Values that are written and read again as JSON, in which amounts are digits. What is missing at the end is empty. */
export type Written = ReadonlyArray<string | number | null>

const isAmount = ({ kind }: { readonly kind: Kind }): boolean => /micros|nanos/i.test(kind)

type Line = Array<string | number | null>

export const write = (line: Line, values: Values = []): Line => {
  for (const value of values) {
    line.push(typeof value === "bigint" ? (value === 0n ? 0 : String(value)) : (value as string | number | null))
  }
  while (line[line.length - 1] === null) line.pop()
  return line
}

/** A version that knew fewer columns wrote fewer values. */
export const readOpened = (written: Written): Reservation =>
  reservationIn(Object.fromEntries(fields.map(({ name }, i) => [name, written[i] ?? null])))

export const readEnded = (written: Written): Values =>
  ends.map((column, i) => {
    const value = written[i] ?? (column.isCounted ? 0 : null)
    return value !== null && isAmount(column) ? BigInt(value) : value
  })
