import type { UsageLog } from "@tollgate/gateway"
import type { Evidence } from "@tollgate/contract/price/evidence"
import { familyOf } from "@tollgate/contract/price/modelFamily"
import type { Used } from "@tollgate/contract/price/TokenKind"
import { dayOf, modelKey, snake } from "./cells.ts"
import { cost } from "./Statement.ts"

/** What explains differences: how many calls of a line are not what a provider counts for sure. */
export interface Facts {
  calls: number
  /** Charged by an estimate, because the answer did not report its usage. */
  estimated: number
  /** Their end is unknown: the provider may have billed them. */
  unknown: number
  /** They have not ended. */
  open: number
  /** They began on another day than they ended. */
  overMidnight: number
  /** Their cost is that of our list, because the upstream has no prices of its own. */
  listed: number
  /** They ran other models too. The cost of all of them is in the line of the model that answered. */
  mixed: number
}

export const noFacts = (): Facts => ({
  calls: 0,
  estimated: 0,
  unknown: 0,
  open: 0,
  overMidnight: 0,
  listed: 0,
  mixed: 0
})

/** What a call used of one model. Money is nano-USD, the rest are counts. */
export interface Share {
  readonly key: string
  readonly name: string
  readonly sums: ReadonlyMap<string, bigint>
}

export interface CallRecord {
  readonly call: UsageLog.ExportedCall
  readonly at: number
  readonly day: string
  /** The first is that of the model that answered. */
  readonly shares: ReadonlyArray<Share>
  readonly facts: Facts
}

type Stored = Evidence | { readonly kind: "kept" }

const countsOf = ({ details = {}, usage, uses = {} }: Used): Map<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const counts of [usage, details, uses]) {
    for (const [name, count] of Object.entries(counts)) if (count > 0) sums.set(snake(name), BigInt(count))
  }
  return sums
}

/** `google_search` is what Google calls its searches; all count as searches of the web. */
const alike: Readonly<Record<string, string>> = { google_search: "web_search" }

const sumsOf = (evidence: Stored): Map<string, bigint> => {
  if (evidence.kind === "model") {
    const sums = countsOf(evidence)
    for (const [name, other] of Object.entries(alike)) {
      const count = sums.get(name)
      if (count !== undefined) sums.set(other, (sums.get(other) ?? 0n) + count)
    }
    return sums
  }
  if (evidence.kind === "tokens") return new Map([["total", BigInt(evidence.total)]])
  if (evidence.kind === "units" || evidence.kind === "items") return new Map([[evidence.kind, BigInt(evidence.count)]])
  return new Map()
}

const shareOf = (name: string, sums: ReadonlyMap<string, bigint>): Share => ({
  key: modelKey(name),
  name: familyOf(name),
  sums
})

const partsOf = (evidence: Stored): ReadonlyArray<Share> =>
  evidence.kind === "model" && evidence.parts !== undefined
    ? evidence.parts.map((part) => shareOf(part.model, countsOf(part).set("requests", 1n)))
    : []

const merged = (shares: ReadonlyArray<Share>): ReadonlyArray<Share> => {
  if (shares.length < 2) return shares
  const byKey = new Map<string, { name: string; key: string; sums: Map<string, bigint> }>()
  for (const { key, name, sums } of shares) {
    const known = byKey.get(key)
    if (known === undefined) byKey.set(key, { key, name, sums: new Map(sums) })
    else for (const [kind, count] of sums) known.sums.set(kind, (known.sums.get(kind) ?? 0n) + count)
  }
  return [...byKey.values()]
}

/** How a call counts. `undefined`: nothing of it can be on an invoice. */
export const recordOf = (call: UsageLog.ExportedCall, aliases: ReadonlyMap<string, string>): CallRecord | undefined => {
  const at = Date.parse(call.ended_at ?? call.created_at)
  const day = dayOf(at)
  const facts = { ...noFacts(), calls: 1 }
  if (day !== dayOf(Date.parse(call.created_at))) facts.overMidnight = 1
  const nameOf = (name: string) => aliases.get(name) ?? name
  if (call.state !== "settled") {
    if (call.state === "unknown") facts.unknown = 1
    else if (call.state === "open" || call.state === "running") facts.open = 1
    else return undefined
    return { call, at, day, facts, shares: [shareOf(nameOf(call.model ?? ""), new Map())] }
  }
  const evidence = JSON.parse(call.evidence ?? '{"kind":"request"}') as Stored
  if (evidence.kind === "kept") return undefined
  if (call.cost_state === "estimated") facts.estimated = 1
  const sums = sumsOf(evidence).set("requests", 1n)
  sums.set(cost, call.cost_nano_usd ?? call.value_micros_usd * 1000n)
  if (call.cost_nano_usd === null) facts.listed = 1
  const served = evidence.kind === "model" ? (evidence.served ?? evidence.model) : undefined
  const shares = merged([
    shareOf(nameOf(served ?? call.model ?? ""), sums),
    ...partsOf(evidence).map((part) => shareOf(nameOf(part.name), part.sums))
  ])
  if (shares.length > 1) facts.mixed = 1
  return { call, at, day, facts, shares }
}

export const addFacts = (sum: Facts, facts: Facts): void => {
  for (const name of Object.keys(facts) as ReadonlyArray<keyof Facts>) sum[name] += facts[name]
}

interface Recorded {
  readonly day: string
  readonly key: string
  readonly name: string
  readonly sums: Map<string, bigint>
  readonly facts: Facts
}

export class Records {
  readonly lines = new Map<string, Recorded>()

  add({ day, facts, shares }: CallRecord): void {
    for (const { key, name, sums } of shares) this.merge({ day, key, name, sums: new Map(sums), facts })
  }

  private merge({ day, facts, key, name, sums }: Recorded): void {
    const id = `${day} ${key}`
    let line = this.lines.get(id)
    if (line === undefined) this.lines.set(id, (line = { day, key, name, sums: new Map(), facts: noFacts() }))
    for (const [kind, count] of sums) line.sums.set(kind, (line.sums.get(kind) ?? 0n) + count)
    addFacts(line.facts, facts)
  }

  addAll(other: Records): void {
    for (const line of other.lines.values()) this.merge(line)
  }
}
