import { type Period, periodStart } from "@tollgate/ledger/ledger/Balance"

export interface Terms {
  readonly day: number | null
  readonly month: number | null
  readonly budget: number | null
}

interface Call {
  readonly amount: number
  readonly cap: number | undefined
  readonly state: "open" | "unknown" | "settled" | "released"
  readonly charged: number | undefined
}

/** A command to the ledger. `call` names the call that it reserves or ends. */
export type ModelCommand = { readonly call: string } & (
  | { readonly do: "reserve"; readonly most: number; readonly cap: number | undefined }
  | { readonly do: "settle"; readonly micros: number }
  | { readonly do: "release" }
  | { readonly do: "mark_unknown" }
)

/** What a command returned: whether it reserved, or what it charged. */
export type ModelResult = boolean | number | undefined

export interface Model {
  readonly calls: ReadonlyMap<string, Call>
  /** The latest time at which something was reserved or ended. */
  readonly latest: number
  /** Every charge, with the time at which it counts. */
  readonly charges: ReadonlyArray<{ readonly at: number; readonly micros: number }>
}

export const empty: Model = { calls: new Map(), latest: 0, charges: [] }

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((all, one) => all + one, 0)

export const spentSince = ({ charges }: Model, start: number): number =>
  sum(charges.filter(({ at }) => at >= start).map(({ micros }) => micros))

export const reservedIn = ({ calls }: Model): number =>
  sum([...calls.values()].flatMap(({ amount, state }) => (state === "open" ? [amount] : [])))

const fits = (model: Model, { budget, day, month }: Terms, now: number, most: number): boolean => {
  const spentIn = (period: Period) => spentSince(model, periodStart(period, Math.max(model.latest, now)))
  const wanted = reservedIn(model) + most
  const hasRoom = (spent: number, limit: number) => spent < limit && spent + wanted <= limit
  return (
    hasRoom(spentIn("day"), day ?? Infinity) &&
    hasRoom(spentIn("month"), month ?? Infinity) &&
    hasRoom(spentSince(model, 0), budget ?? Infinity)
  )
}

/** Carries out one command. */
export const step = (model: Model, terms: Terms, now: number, command: ModelCommand): readonly [Model, ModelResult] => {
  const latest = Math.max(model.latest, now)
  const withCall = (call: Call) => new Map(model.calls).set(command.call, call)
  if (command.do === "reserve") {
    if (!fits(model, terms, now, command.most)) return [model, false]
    const { cap, most } = command
    return [{ ...model, latest, calls: withCall({ amount: most, cap, state: "open", charged: undefined }) }, true]
  }
  const call = model.calls.get(command.call)
  if (call === undefined || call.state === "settled" || call.state === "released") {
    return [model, command.do === "settle" ? call?.charged : undefined]
  }
  if (command.do === "mark_unknown") {
    if (call.state === "unknown") return [model, undefined]
    return [{ ...model, latest, calls: withCall({ ...call, state: "unknown" }) }, undefined]
  }
  if (command.do === "release") {
    return [{ ...model, latest, calls: withCall({ ...call, state: "released" }) }, undefined]
  }
  const charged = Math.min(command.micros, call.cap ?? Infinity)
  const charges = [...model.charges, { at: latest, micros: charged }]
  return [{ latest, charges, calls: withCall({ ...call, state: "settled", charged }) }, charged]
}

/** All orders of the items. */
export const orders = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length === 0 ? [[]] : items.flatMap((first, i) => orders(items.toSpliced(i, 1)).map((rest) => [first, ...rest]))
