import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useEffect, useMemo } from "react"
import type { Draft } from "./Draft.ts"
import { finderOf } from "./firstValues.ts"
import type { Workbench } from "./Workbench.ts"

/** Fills in values that are there, if nobody has typed any yet. `true` while they are looked for. */
export const useFirstValues = (operation: OfferedOperation, draft: Draft, workbench: Workbench): boolean => {
  const find = useMemo(() => finderOf(operation) ?? Effect.succeed(undefined), [operation])
  const { state, value } = useLoad(find)
  const isUntouched = draft.arguments === operation.example
  useEffect(() => {
    if (isUntouched && value !== undefined) {
      workbench.edit(operation, { arguments: { ...operation.example, ...value } })
    }
  }, [isUntouched, value, operation, workbench])
  return finderOf(operation) !== undefined && isUntouched && (state === "loading" || value !== undefined)
}
