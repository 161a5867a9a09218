import { AllCallsQuery } from "@tollgate/contract/admin/Call"
import { isTagName, isTagValue } from "@tollgate/contract/Tags"
import { fullTime } from "../../ui/times.ts"
import * as Schema from "effect/Schema"
import { type ChoiceName, choiceNames, type FilterName } from "./filterNames.ts"

/**
 * Which calls are shown, as the address says it. `tag`: `team=search`, or `team` with any value. `from`, `to`: the first and the
 * last day on which calls began, `2026-01-31` in the reader's time. `from` can be a moment in UTC.
 */
export type Filter = { readonly [N in FilterName]?: string }

type CallsQuery = Omit<AllCallsQuery, "limit" | "before" | "since">

const { fields } = AllCallsQuery
const isName = Schema.is(fields.key)

const isTag = (text: unknown): text is string => {
  const [, name = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(String(text)) ?? []
  return isTagName(name) && (value === undefined || isTagValue(value))
}

/** What the gateway takes in the part of a query. */
const takes = {
  account: isName,
  key: isName,
  operation: isName,
  model: isName,
  tag: isTag,
  state: Schema.is(fields.state),
  cost_state: Schema.is(fields.cost_state),
  status: Schema.is(fields.status),
  failed: Schema.is(fields.failed)
}

/** The part of a filter, unless no call can match it. */
const part = (filter: Filter, name: ChoiceName): CallsQuery => {
  const value = filter[name]
  return value !== undefined && takes[name](value) ? { [name]: value } : {}
}

/** The start of a day, or of one that follows it, in milliseconds. */
const startOfDay = (day: string | undefined, later = 0): number | undefined => {
  if (day?.endsWith("Z") === true) return Date.parse(day) >= 0 ? Date.parse(day) : undefined
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "") ?? []
  // `Date` takes the year 80 for 1980.
  if (date === undefined || Number(year) < 1970) return undefined
  const start = new Date(Number(year), Number(month) - 1, Number(date) + later).getTime()
  return start >= 0 ? start : undefined
}

/** What a person who chose days should know: why nothing can match, or which calls the gateway does not look for. */
export const rangeNote = ({ from, to }: Filter, now: number): string | undefined => {
  const first = startOfDay(from)
  const end = startOfDay(to, 1)
  const ignored = [
    ...(from !== undefined && first === undefined ? ["From"] : []),
    ...(to !== undefined && end === undefined ? ["To"] : [])
  ]
  if (ignored.length > 0)
    return `${ignored.join(" and ")}: choose a day from 1970 to 9999. Until then all days are shown.`
  if (end === undefined) return from?.endsWith("Z") === true ? `Calls since ${fullTime(from)}.` : undefined
  if (first !== undefined && first >= end) return "The first day is after the last, so no call matches."
  return end > now
    ? undefined
    : "Long calls may be missing: of the calls that ended after the last day, only the first 5,000 are searched."
}

const mostSearched = 200

const textIn = ({ q = "" }: Filter): string =>
  q
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, mostSearched)

/** The query of a filter. What an address has that no call can match is left out. */
export const queryOf = (filter: Filter): CallsQuery => {
  const [from, to, q] = [startOfDay(filter.from), startOfDay(filter.to, 1), textIn(filter)]
  return Object.assign(
    {},
    from === undefined ? {} : { from },
    to === undefined ? {} : { to },
    q === "" ? {} : { q },
    ...choiceNames.map((name) => part(filter, name))
  )
}
