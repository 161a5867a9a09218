import { addOnConflict, type Statement, type Statements, type Value } from "../store/statements.ts"

/** What a call whose cost is known adds to the totals of its day. */
export interface CostedCall {
  readonly account: string
  readonly at: number
  readonly operation: string
  /** Empty: the call names none. */
  readonly model: string
  /** Empty: no upstream was called. */
  readonly upstream: string
  readonly charged: bigint
  /** What the upstream charges, in nano-USD. */
  readonly cost: bigint
}

export const table = "cost_sums"

export const day = 86_400_000

/** What a total is of. */
export const bucket = ["start", "account", "operation", "model", "upstream"] as const

export const counters = ["requests", "charged", "cost_nano"] as const

export const conflict = addOnConflict(table, bucket, counters)

export const add = ({ insert }: Statements, calls: ReadonlyArray<CostedCall>): ReadonlyArray<Statement> => {
  const totals = new Map<string, { readonly id: ReadonlyArray<Value>; counts: readonly [bigint, bigint, bigint] }>()
  for (const { account, at, charged, cost, model, operation, upstream } of calls) {
    const id = [Math.floor(at / day) * day, account, operation, model, upstream]
    const name = JSON.stringify(id)
    const [requests, allCharged, allCost] = totals.get(name)?.counts ?? [0n, 0n, 0n]
    totals.set(name, { id, counts: [requests + 1n, allCharged + charged, allCost + cost] })
  }
  const rows = [...totals.values()].map(({ counts, id }) => [...id, ...counts])
  return insert(table, [...bucket, ...counters], rows, conflict)
}
