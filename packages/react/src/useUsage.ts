import { usage, type UsageError, type UsageInput } from "@tollgate/client"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { useMemo } from "react"
import type { Defect } from "./Cell.ts"
import { useLoad } from "./useLoad.ts"

type UsageReport = Effect.Success<ReturnType<typeof usage>>

/** The last report stays while the next one loads, and after a failure. */
export type UsageState =
  | { readonly state: "loading"; readonly report: UsageReport | undefined; readonly error: undefined }
  | { readonly state: "ready"; readonly report: UsageReport; readonly error: undefined }
  | { readonly state: "failed"; readonly report: UsageReport | undefined; readonly error: UsageError | Defect }

export interface UseUsageOptions {
  /** Loads it again this long after the last time. Default: never. */
  readonly every?: Duration.Input | undefined
}

export type UseUsage = UsageState & {
  /** Loads the report now. */
  readonly refresh: () => void
}

const reportOf = (start: number, end: number | undefined, lastMillis: number | undefined) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    usage({
      start_time: lastMillis === undefined ? start : Math.floor((now - lastMillis) / 1_000),
      ...(end === undefined ? {} : { end_time: end })
    })
  )

const isWindow = (value: UsageInput | Duration.Input): value is UsageInput =>
  typeof value === "object" && "start_time" in value

/**
 * What the credential used and was charged: `useUsage("7 days")` until now, or between two times in Unix seconds. It costs
 * nothing, so it loads when the component mounts.
 */
export const useUsage = (window: UsageInput | Duration.Input, options: UseUsageOptions = {}): UseUsage => {
  const { end_time: end, start_time: start } = isWindow(window) ? window : { start_time: 0, end_time: undefined }
  const lastMillis = isWindow(window) ? undefined : Duration.toMillis(window)
  const report = useMemo(() => reportOf(start, end, lastMillis), [start, end, lastMillis])
  const { value, ...state } = useLoad(report, options)
  return { ...state, report: value } as UseUsage
}
