import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import type { Names } from "@tollgate/contract/Names"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useEffect, useMemo, useSyncExternalStore } from "react"
import type { Session } from "../../../session/Session.ts"
import { playgroundClient } from "../client/playgroundClient.ts"
import type { Draft } from "./Draft.ts"
import { finderOf } from "./firstValues.ts"
import { type Bench, makeWorkbench, type Workbench } from "./Workbench.ts"

interface Kept {
  readonly session: Session
  readonly names: string
  readonly workbench: Workbench
}

/** It outlives the page, so that the back button finds what was typed. Another session begins with an empty one. */
let kept: Kept | undefined

const workbenchOf = (session: Session, names: Names): Workbench => {
  const text = JSON.stringify(names)
  if (kept === undefined || kept.session !== session || kept.names !== text) {
    kept?.workbench.close()
    kept = { session, names: text, workbench: makeWorkbench(playgroundClient(session.client, names), names) }
  }
  return kept.workbench
}

export const useWorkbench = (session: Session, names: Names): Workbench =>
  useMemo(() => workbenchOf(session, names), [session, names])

export const useBench = (workbench: Workbench, operation: OfferedOperation): Bench =>
  useSyncExternalStore(workbench.subscribe, () => workbench.read(operation))

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
