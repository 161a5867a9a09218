import type { LoggedCall, LoggedCallsQuery } from "@tollgate/contract/account/LoggedCall"
import { isCostState, isState } from "./states.tsx"

/** Which calls are shown, as the address says it. */
export interface Filter {
  readonly key?: string
  readonly operation?: string
  readonly model?: string
  readonly state?: string
  readonly cost_state?: string
  readonly status?: string
  /** `team=search`, or `team` with any value. */
  readonly tag?: string
  /** The first and the last day on which calls began: `2026-01-31`, in the reader's time. */
  readonly from?: string
  readonly to?: string
  /** A request id, or a text in the operation, the model, the key or the error. */
  readonly q?: string
}

export const choiceNames = ["key", "operation", "model", "status", "state", "cost_state", "tag"] as const
export type ChoiceName = (typeof choiceNames)[number]

export const filterNames = [...choiceNames, "from", "to", "q"] as const
export type FilterName = (typeof filterNames)[number]

type Asked = Omit<LoggedCallsQuery, "limit" | "before" | "since">

const isStatus = (text: string | undefined): text is string => text !== undefined && /^[1-5](?:xx|\d\d)$/.test(text)

const isTag = (text: string | undefined): text is string =>
  text !== undefined && /^[a-z0-9][a-z0-9_.-]{0,31}(?:=[^,=]{1,64})?$/.test(text)

/** The start of a day, or of one that follows it, in milliseconds. */
const startOfDay = (day: string | undefined, later = 0): number | undefined => {
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
  if (end === undefined) return undefined
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

const hasText = ({ error, id, key, key_label, model, operation }: LoggedCall, wanted: string): boolean =>
  [id, operation, model ?? "", key, error?.code ?? "", error?.message ?? "", key_label]
    .join(" ")
    .toLowerCase()
    .includes(wanted.toLowerCase())

const hasTag = ({ tags }: LoggedCall, wanted: string): boolean =>
  Object.entries(tags).some(([name, value]) => wanted === name || wanted === `${name}=${value}`)

const inRange = (from: number | undefined, to: number | undefined): Asked => ({
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to })
})

/** What never changes of a call. A reader who polls asks by these alone, to see calls that no longer match. */
export const lasting = ({ from, key, model, operation, tag, to }: Filter): Asked => ({
  ...inRange(startOfDay(from), startOfDay(to, 1)),
  ...(key === undefined ? {} : { key }),
  ...(operation === undefined ? {} : { operation }),
  ...(model === undefined ? {} : { model }),
  ...(isTag(tag) ? { tag } : {})
})

/** The query of a filter. What an address has that no call can match is left out. */
export const asked = (filter: Filter): Asked => ({
  ...lasting(filter),
  ...(isState(filter.state) ? { state: filter.state } : {}),
  ...(isCostState(filter.cost_state) ? { cost_state: filter.cost_state } : {}),
  ...(isStatus(filter.status) ? { status: filter.status } : {}),
  ...(textIn(filter) === "" ? {} : { q: textIn(filter) })
})

/** Whether the filter is about what changes in a call's life. */
export const changes = (filter: Filter): boolean => {
  const { cost_state, q, state, status } = asked(filter)
  return state !== undefined || cost_state !== undefined || status !== undefined || q !== undefined
}

const hasStatus = (status: number | null, wanted: string): boolean =>
  status !== null &&
  (wanted.endsWith("xx") ? Math.floor(status / 100) === Number(wanted[0]) : status === Number(wanted))

export const matches = (filter: Filter, call: LoggedCall): boolean => {
  const { cost_state, from, key, model, operation, q, state, status, tag, to } = asked(filter)
  const began = Date.parse(call.created_at)
  return (
    (from === undefined || began >= from) &&
    (to === undefined || began < to) &&
    (q === undefined || hasText(call, q)) &&
    (key === undefined || call.key === key) &&
    (operation === undefined || call.operation === operation) &&
    (model === undefined || call.model === model) &&
    (state === undefined || call.state === state) &&
    (cost_state === undefined || call.cost_state === cost_state) &&
    (status === undefined || hasStatus(call.status, status)) &&
    (tag === undefined || hasTag(call, tag))
  )
}
