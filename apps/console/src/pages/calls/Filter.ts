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
}

export const filterNames = ["key", "operation", "model", "status", "state", "cost_state"] as const
export type FilterName = (typeof filterNames)[number]

type Asked = Omit<LoggedCallsQuery, "limit" | "before" | "since">

const isStatus = (text: string | undefined): text is string => text !== undefined && /^[1-5](?:xx|\d\d)$/.test(text)

/** What never changes of a call. A reader who polls asks by these alone, to see calls that no longer match. */
export const lasting = ({ key, model, operation }: Filter): Asked => ({
  ...(key === undefined ? {} : { key }),
  ...(operation === undefined ? {} : { operation }),
  ...(model === undefined ? {} : { model })
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
  const { cost_state, key, model, operation, state, status } = asked(filter)
  return (
    (key === undefined || call.key === key) &&
    (operation === undefined || call.operation === operation) &&
    (model === undefined || call.model === model) &&
    (state === undefined || call.state === state) &&
    (cost_state === undefined || call.cost_state === cost_state) &&
    (status === undefined || hasStatus(call.status, status))
  )
}
