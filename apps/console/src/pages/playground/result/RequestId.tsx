import { Link } from "@tanstack/react-router"
import { callStory } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useMemo } from "react"
import { Copy } from "../../../ui/Copy.tsx"
import type { Run } from "../state/Run.ts"

export interface RequestIdProps {
  readonly id: string
  readonly run: Run
  readonly isFree: boolean
}

/** The id of the request, with a link to its story. A request that the gateway refused at once has none. */
export const RequestId = ({ id, isFree, run }: RequestIdProps) => {
  const isUnsure = run.state === "failed" || isFree
  const isThere = useMemo(
    () => (isUnsure && run.state !== "running" ? Effect.as(callStory(id), true) : Effect.succeed(!isUnsure)),
    [id, isUnsure, run.state]
  )
  const { value = false } = useLoad(isThere)
  return (
    <>
      {value ? (
        <Link to="/calls/$call" params={{ call: id }} title="The story of this call">
          <code>{id}</code>
        </Link>
      ) : (
        <code>{id}</code>
      )}
      <Copy text={id} />
    </>
  )
}
