import { calls } from "@tollgate/client/account"
import type { LoggedCall, LoggedCalls } from "@tollgate/contract/account/LoggedCall"
import { useCall } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { count } from "../../ui/amounts.ts"
import { Button } from "../../ui/kit.tsx"
import { csvOf, saveCsv } from "../../ui/csv.ts"
import { callColumns } from "./callCsv.ts"
import { type Filter, queryOf } from "./Filter.ts"

const page = 1_000

/** A file has at most this many calls, the newest. */
const mostExported = 10_000

/** By their start. */
export const newestFirst = (a: LoggedCall, b: LoggedCall): number =>
  b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id)

/** A row for each call that matches, the newest first. A call that ends meanwhile may move, and is there once. */
const readCallsCsv = (filter: Filter) =>
  Effect.gen(function* () {
    const found = new Map<string, LoggedCall>()
    let next: LoggedCalls["next"] | undefined
    while (next !== null && found.size < mostExported) {
      const read: LoggedCalls = yield* calls({
        ...queryOf(filter),
        limit: Math.min(page, mostExported - found.size),
        ...(next === undefined ? {} : { before: next })
      })
      for (const call of read.calls) found.set(call.id, call)
      next = read.next
    }
    return {
      text: csvOf(callColumns, [...found.values()].toSorted(newestFirst)),
      more: next !== null
    }
  })

const save = (filter: Filter) =>
  Effect.map(readCallsCsv(filter), ({ more, text }) => {
    saveCsv(`calls-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}Z.csv`, text)
    return more
  })

interface ExportCallsProps {
  readonly filter: Filter
  readonly disabled: boolean
}

/** Saves the calls that match as a file, also those that are not loaded. */
export const ExportCalls = ({ disabled, filter }: ExportCallsProps) => {
  const { call, error, state, value } = useCall(save)
  return (
    <>
      <span className="soft small" role="status">
        {error !== undefined
          ? `Not exported: ${error.message}`
          : value === true
            ? `The newest ${count(mostExported)} were saved.`
            : ""}
      </span>
      <Button disabled={disabled} busy={state === "pending"} onClick={() => call(filter)}>
        Export CSV
      </Button>
    </>
  )
}
