import { usage, type UsageError, type UsageInput } from "@tollgate/client"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { useCallback, useEffect } from "react"
import type { Defect } from "./Defect.ts"
import { useRunner } from "./TollgateProvider.ts"
import { useCell } from "./useCell.ts"

type UsageReport = Effect.Success<ReturnType<typeof usage>>

/** The last report stays while the next one loads, and after a failure. */
export type UsageState =
  | { readonly state: "loading"; readonly report: UsageReport | undefined; readonly error: undefined }
  | { readonly state: "ready"; readonly report: UsageReport; readonly error: undefined }
  | { readonly state: "failed"; readonly report: UsageReport | undefined; readonly error: UsageError | Defect }

export interface UseUsageOptions {
  /** Loads the report again this long after the last one, failures included. Default: never. */
  readonly every?: Duration.Input
}

export type UseUsage = UsageState & {
  /** Loads the report now. */
  readonly refresh: () => void
}

const loading: UsageState = { state: "loading", report: undefined, error: undefined }
const same = (state: UsageState): UsageState => state
const failed = (error: UsageError | Defect, { report }: UsageState): UsageState => ({ state: "failed", report, error })

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
export const useUsage = (window: UsageInput | Duration.Input, { every }: UseUsageOptions = {}): UseUsage => {
  const runner = useRunner()
  const [state, cell] = useCell<UsageState>(loading, same)
  const { end_time: end, start_time: start } = isWindow(window) ? window : { start_time: 0, end_time: undefined }
  const lastMillis = isWindow(window) ? undefined : Duration.toMillis(window)
  const everyMillis = every === undefined ? undefined : Duration.toMillis(every)

  const load = useCallback(
    (report: UsageReport | undefined) =>
      cell.start(runner, {
        begin: { ...loading, report },
        effect: ({ write }) => {
          const once = Effect.map(reportOf(start, end, lastMillis), (report) =>
            write({ state: "ready", report, error: undefined })
          )
          if (everyMillis === undefined) return once
          const harmless = Effect.catch(once, (error) => Effect.sync(() => write(failed(error, cell.read()))))
          return Effect.forever(Effect.andThen(harmless, Effect.sleep(everyMillis)))
        },
        done: (_, state) => state,
        failed
      }),
    [cell, runner, start, end, lastMillis, everyMillis]
  )
  useEffect(() => {
    load(undefined)
    return cell.stop
  }, [cell, load])
  const refresh = useCallback(() => load(cell.read().report), [cell, load])
  return { ...state, refresh }
}
