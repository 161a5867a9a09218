import { useCall } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { count } from "../../ui/amounts.ts"
import { Button } from "../../ui/Button.tsx"
import { saveCsv } from "../../ui/save.ts"
import { mostExported, readCallsCsv } from "./callsCsv.ts"
import type { Filter } from "./Filter.ts"

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
