import type { PromiseClient, Time, UsageInput, UsageReport } from "@tollgate/browser"
import { useCallback } from "react"
import type { Defect, Failure } from "./Cell.ts"
import { useClient } from "./TollgateProvider.ts"
import { millisOf, useLoad } from "./useLoad.ts"

/** The last report stays while the next one loads, and after a failure. */
export type UsageState<E = Failure> =
  | { readonly state: "loading"; readonly report: UsageReport | undefined; readonly error: undefined }
  | { readonly state: "ready"; readonly report: UsageReport; readonly error: undefined }
  | { readonly state: "failed"; readonly report: UsageReport | undefined; readonly error: E | Defect }

export interface UseUsageOptions {
  /** Loads it again this long after the last time. Default: never. */
  readonly every?: Time | undefined
}

export type UseUsage<E = Failure> = UsageState<E> & {
  /** Loads the report now. */
  readonly refresh: () => void
}

const isWindow = (value: UsageInput | Time): value is UsageInput => typeof value === "object"

export const useReport = <E>(
  usage: PromiseClient["usage"],
  window: UsageInput | Time,
  options: UseUsageOptions = {}
): UseUsage<E> => {
  const { end_time: end, start_time: start } = isWindow(window) ? window : { start_time: 0, end_time: undefined }
  const lastMillis = isWindow(window) ? undefined : millisOf(window)
  const load = useCallback(
    (signal: AbortSignal) =>
      usage(
        {
          start_time: lastMillis === undefined ? start : Math.floor((Date.now() - lastMillis) / 1_000),
          ...(end === undefined ? {} : { end_time: end })
        },
        { signal }
      ),
    [usage, start, end, lastMillis]
  )
  const { value, ...state } = useLoad<UsageReport, E>(load, options)
  return { ...state, report: value } as UseUsage<E>
}

/**
 * What the credential used and was charged: `useUsage("7 days")` until now, or between two times in Unix seconds. It costs
 * nothing, so it loads when the component mounts.
 */
export const useUsage = (window: UsageInput | Time, options?: UseUsageOptions): UseUsage =>
  useReport(useClient().usage, window, options)
