import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type NanoUsd, zero } from "../../Money.ts"
import type { Amount, FieldPath } from "../Amount.ts"
import { read, whole } from "../exact.ts"
import type { PriceContract } from "../PriceContract.ts"
import { named, terms, Usd } from "../priceSchemas.ts"
import {
  amountWords,
  countOf,
  eachOf,
  type Fixed,
  fixedContract,
  fits,
  forRecorded,
  isLeftOut,
  reportedOfVariants,
  resolve,
  TaskFields,
  variantFields,
  written
} from "./fixed.ts"

/** Bills only a task that succeeds. */
export type PerTask = { readonly contract: "per_task" } & Fixed & {
    /** The fields of a finished task that say what fields of the request only asked for. */
    readonly reported?: ReadonlyArray<{ readonly field: FieldPath; readonly at: FieldPath }>
    /** Of a resolved price: what the amount depends on when the task has ended. */
    readonly atEnd?: AtEnd
    /** Of a resolved price: the count that it assumes, because the request leaves the field out. */
    readonly assumed?: { readonly field: FieldPath; readonly count: number }
  }

/** The terms by which a finished task is charged: the price, and the fields of the request that it names. */
interface AtEnd {
  readonly price: PerTask
  readonly request: unknown
}

export const perTaskOf = (amount: Amount): PerTask => ({ contract: "per_task", amount })

const dependsOnReport = ({ reported, times }: PerTask): boolean =>
  reported !== undefined || times?.reported !== undefined

/** The request with nothing but these fields. */
const picked = (request: unknown, fields: ReadonlyArray<FieldPath>): unknown => {
  const of = (value: unknown, paths: ReadonlyArray<FieldPath>): unknown => {
    if (paths.some(({ length }) => length === 0) || !Predicate.isObject(value)) return value
    const names = new Set(paths.map(([name = ""]) => name))
    return Object.fromEntries(
      [...names]
        .filter((name) => Object.hasOwn(value, name))
        .map((name) => [
          name,
          of(
            value[name as keyof typeof value],
            paths.filter(([first]) => first === name).map(([, ...inner]) => inner)
          )
        ])
    )
  }
  return of(request, fields)
}

const atEndOf = (price: PerTask, request: unknown): AtEnd => {
  const field = price.times?.field
  return { price, request: picked(request, [...variantFields(price), ...(field === undefined ? [] : [field])]) }
}

const assumedBy = ({ times }: PerTask, request: unknown): Pick<PerTask, "assumed"> =>
  times?.field !== undefined && isLeftOut(read(request, times.field))
    ? { assumed: { field: times.field, count: times.otherwise } }
    : {}

const Section = terms(
  Schema.Struct({ ...named("per_task"), amount: Usd, ...TaskFields }).check(reportedOfVariants),
  (fields): PerTask => ({ ...fields, contract: "per_task" })
)

const decodeSection = Schema.decodeUnknownSync(Section)

/** As a store keeps it. */
export const encodeAtEnd = ({ price, request }: AtEnd): string => JSON.stringify({ price: written(price), request })

const decodeAtEnd = (text: string): AtEnd => {
  const { price, request } = JSON.parse(text) as { readonly price: unknown; readonly request: unknown }
  return { price: decodeSection(price), request }
}

const decimal = /^(\d{1,9})(?:\.(\d{1,30}))?$/

/** A positive number of units, in millionths, rounded half up. `undefined`: it is none that a task can have used. */
const millionthsIn = (value: unknown): bigint | undefined => {
  const match = typeof value === "number" || typeof value === "string" ? decimal.exec(String(value)) : null
  if (match === null) return undefined
  const [, digits = "", fraction = ""] = match
  const seventh = `${fraction}0000000`.slice(0, 7)
  const millionths = (BigInt(digits + seventh) + 5n) / 10n
  return millionths > 0n ? millionths : undefined
}

const inDigits = (millionths: bigint): string => {
  const text = String(millionths).padStart(7, "0")
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, "")
}

/** The price of a task at this amount for each unit. */
export const perUnitOf = (amount: NanoUsd, unit: string): PerTask => ({
  ...perTaskOf(amount),
  times: { unit, otherwise: 1 }
})

/** What a finished task costs by its report: the amount of a unit, and the number of units in digits. */
export interface ReportedUnits {
  readonly each: NanoUsd
  readonly times?: { readonly count: string; readonly unit: string }
  /** The report lacks something, or makes no sense: it is taken from the request. */
  readonly isEstimate?: true
}

/** The units of a finished task, by its report and the terms of its create. `undefined`: it had no price. */
export const unitsOf = (atEnd: string, report: unknown): ReportedUnits | undefined => {
  const { price, request } = decodeAtEnd(atEnd)
  const { reported = [], times, variants } = price
  const asked = eachOf(price, request)
  if (asked === "pending") return undefined
  const valueOf = (field: FieldPath): unknown => {
    const at = reported.find((one) => one.field.join(".") === field.join("."))?.at
    const value = at && read(report, at)
    return isLeftOut(value) ? read(request, field) : value
  }
  const isReported = reported.every(({ at }) => !isLeftOut(read(report, at)))
  const made = reported.length === 0 ? undefined : variants?.find((variant) => fits(variant, valueOf))
  const counted = times?.reported && millionthsIn(read(report, times.reported))
  const count = counted ?? BigInt(times === undefined ? 1 : countOf(times, request)) * 1_000_000n
  const lacks =
    (times?.reported !== undefined && counted === undefined) ||
    (reported.length > 0 && (!isReported || made === undefined))
  return {
    each: made?.amount ?? asked,
    ...(times === undefined ? {} : { times: { count: inDigits(count), unit: times.unit } }),
    ...(lacks ? { isEstimate: true } : {})
  }
}

export const perTask: PriceContract<PerTask> = {
  ...fixedContract<PerTask>("task that succeeds"),
  startsTask: true,
  resolve: (price, request) => ({
    ...resolve(price, request),
    ...assumedBy(price, request),
    ...(dependsOnReport(price) ? { atEnd: atEndOf(price, request) } : {})
  }),
  evidence: () => undefined,
  settle: ({ amount, times }, evidence) => {
    if (amount === "pending" || evidence.kind !== "task") return undefined
    if (evidence.status === "CANCELED") return whole(evidence.reported ?? zero, 1)
    if (evidence.status !== "SUCCEEDED") return 0n
    // The amount of a price with units is that of one.
    const millionths = times && evidence.times && millionthsIn(evidence.times.count)
    return millionths === undefined ? whole(amount, 1) : amount * millionths
  },
  forRecorded: (price, evidence) => {
    const { amount, times, variants } = price
    return evidence.kind === "task" && evidence.times !== undefined && amount !== "pending" && times !== undefined
      ? variants === undefined && times.unit === evidence.times.unit
        ? perUnitOf(amount, times.unit)
        : undefined
      : forRecorded(price, evidence)
  },
  basis: (price, times) => {
    const words =
      price.resolved?.unit === undefined && price.times === undefined
        ? `${amountWords(price, "task that succeeds")}${times}`
        : `${amountWords(price, "task")}, if the task succeeds${times}`
    return price.atEnd === undefined && !dependsOnReport(price) ? words : `${words}; charged by what the task reports`
  },
  section: (price, hasBody) =>
    hasBody
      ? Section
      : terms(Schema.Struct({ ...named("per_task"), amount: Usd }), ({ amount }) => ({ ...price, amount })),
  written,
  problem: (protocol) => (protocol === "task" ? undefined : "only an upstream of the protocol task starts tasks")
}
