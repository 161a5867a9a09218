import { type Period, periodStart } from "@tollgate/ledger/ledger/Balance"

export interface Terms {
  readonly quota: number
  readonly period: Period
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
  readonly quotaFrom: number
  /** Every charge, with the time at which it counts. */
  readonly charges: ReadonlyArray<{ readonly at: number; readonly micros: number }>
}

export const empty: Model = { calls: new Map(), quotaFrom: 0, charges: [] }

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((all, one) => all + one, 0)

export const spentSince = ({ charges }: Model, start: number): number =>
  sum(charges.filter(({ at }) => at >= start).map(({ micros }) => micros))

export const reservedIn = ({ calls }: Model): number =>
  sum([...calls.values()].flatMap(({ amount, state }) => (state === "open" ? [amount] : [])))

const fits = (model: Model, { budget, period, quota }: Terms, now: number, most: number): boolean => {
  const inPeriod = spentSince(model, Math.max(model.quotaFrom, periodStart(period, now)))
  const inAll = spentSince(model, 0)
  const wanted = reservedIn(model) + most
  const hasRoom = (spent: number, limit: number) => spent < limit && spent + wanted <= limit
  return hasRoom(inPeriod, quota) && hasRoom(inAll, budget ?? Infinity)
}

/** Carries out one command. */
export const step = (model: Model, terms: Terms, now: number, command: ModelCommand): readonly [Model, ModelResult] => {
  const quotaFrom = Math.max(model.quotaFrom, periodStart(terms.period, now))
  const withCall = (call: Call) => new Map(model.calls).set(command.call, call)
  if (command.do === "reserve") {
    if (!fits(model, terms, now, command.most)) return [model, false]
    const { cap, most } = command
    return [{ ...model, quotaFrom, calls: withCall({ amount: most, cap, state: "open", charged: undefined }) }, true]
  }
  const call = model.calls.get(command.call)
  if (call === undefined || call.state === "settled" || call.state === "released") {
    return [model, command.do === "settle" ? call?.charged : undefined]
  }
  if (command.do === "mark_unknown") {
    if (call.state === "unknown") return [model, undefined]
    return [{ ...model, quotaFrom, calls: withCall({ ...call, state: "unknown" }) }, undefined]
  }
  if (command.do === "release") {
    return [{ ...model, quotaFrom, calls: withCall({ ...call, state: "released" }) }, undefined]
  }
  const charged = Math.min(command.micros, call.cap ?? Infinity)
  const charges = [...model.charges, { at: Math.max(now, quotaFrom), micros: charged }]
  return [{ quotaFrom, charges, calls: withCall({ ...call, state: "settled", charged }) }, charged]
}

/** Starts the period of the new terms. */
export const changeTerms = (model: Model, { period }: Terms, now: number): Model => ({
  ...model,
  quotaFrom: periodStart(period, Math.max(now, model.quotaFrom))
})

/** All orders of the items. */
export const orders = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length === 0 ? [[]] : items.flatMap((first, i) => orders(items.toSpliced(i, 1)).map((rest) => [first, ...rest]))
