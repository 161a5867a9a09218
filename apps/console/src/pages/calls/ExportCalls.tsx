import { calls } from "@tollgate/client/account"
import type { LoggedCall, LoggedCalls } from "@tollgate/contract/account/LoggedCall"
import { formatTags } from "@tollgate/contract/Tags"
import { useCall } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { count } from "../../ui/amounts.ts"
import { Button } from "../../ui/kit.tsx"
import { type CsvColumns, csvOf, decimalUsd, saveCsv } from "../../ui/csv.ts"
import { compare } from "./CallRows.ts"
import { asked, type Filter } from "./Filter.ts"

const page = 1_000

/** A file has at most this many calls, the newest. */
const mostExported = 10_000

const columns: CsvColumns<LoggedCall> = {
  id: (call) => call.id,
  created_at: (call) => call.created_at,
  ended_at: (call) => call.ended_at,
  operation: (call) => call.operation,
  model: (call) => call.model,
  key: (call) => call.key,
  key_label: (call) => call.key_label,
  upstream: (call) => call.upstream,
  state: (call) => call.state,
  status: (call) => call.status,
  cost_state: (call) => call.cost_state,
  input_tokens: (call) => call.input_tokens,
  output_tokens: (call) => call.output_tokens,
  value_micros_usd: (call) => BigInt(call.value_micros_usd),
  value_usd: (call) => decimalUsd(call.value_micros_usd),
  charged_micros_usd: (call) => BigInt(call.charged_micros_usd),
  charged_usd: (call) => decimalUsd(call.charged_micros_usd),
  tags: (call) => formatTags(call.tags),
  error_code: ({ error }) => error?.code ?? "",
  error_message: ({ error }) => error?.message ?? ""
}

/** A row for each call that matches, the newest first. A call that ends meanwhile may move, and is there once. */
const readCallsCsv = (filter: Filter) =>
  Effect.gen(function* () {
    const found = new Map<string, LoggedCall>()
    let next: LoggedCalls["next"] | undefined
    while (next !== null && found.size < mostExported) {
      const read: LoggedCalls = yield* calls({
        ...asked(filter),
        limit: Math.min(page, mostExported - found.size),
        ...(next === undefined ? {} : { before: next })
      })
      for (const call of read.calls) found.set(call.id, call)
      next = read.next
    }
    return {
      text: csvOf(columns, [...found.values()].toSorted(compare)),
      count: found.size,
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
