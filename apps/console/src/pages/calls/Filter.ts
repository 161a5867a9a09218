import type { LoggedCall, LoggedCallsQuery } from "@tollgate/contract/account/LoggedCall"
import { isCostState, isState } from "./states.ts"

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
}

export const filterNames = ["key", "operation", "model", "status", "state", "cost_state", "tag"] as const
export type FilterName = (typeof filterNames)[number]

type Asked = Omit<LoggedCallsQuery, "limit" | "before" | "since">

const isStatus = (text: string | undefined): text is string => text !== undefined && /^[1-5](?:xx|\d\d)$/.test(text)

const isTag = (text: string | undefined): text is string =>
  text !== undefined && /^[a-z0-9][a-z0-9_.-]{0,31}(?:=[^,=]{1,64})?$/.test(text)

const hasTag = ({ tags }: LoggedCall, wanted: string): boolean =>
  Object.entries(tags).some(([name, value]) => wanted === name || wanted === `${name}=${value}`)

/** What never changes of a call. A reader who polls asks by these alone, to see calls that no longer match. */
export const lasting = ({ key, model, operation, tag }: Filter): Asked => ({
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
  ...(isStatus(filter.status) ? { status: filter.status } : {})
})

/** Whether the filter is about what changes in a call's life. */
export const changes = (filter: Filter): boolean => {
  const { cost_state, state, status } = asked(filter)
  return state !== undefined || cost_state !== undefined || status !== undefined
}

const hasStatus = (status: number | null, wanted: string): boolean =>
  status !== null &&
  (wanted.endsWith("xx") ? Math.floor(status / 100) === Number(wanted[0]) : status === Number(wanted))

export const matches = (filter: Filter, call: LoggedCall): boolean => {
  const { cost_state, key, model, operation, state, status, tag } = asked(filter)
  return (
    (key === undefined || call.key === key) &&
    (operation === undefined || call.operation === operation) &&
    (model === undefined || call.model === model) &&
    (state === undefined || call.state === state) &&
    (cost_state === undefined || call.cost_state === cost_state) &&
    (status === undefined || hasStatus(call.status, status)) &&
    (tag === undefined || hasTag(call, tag))
  )
}
