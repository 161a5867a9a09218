import { offer } from "@tollgate/client/account"
import type { Offer } from "@tollgate/contract/account/Offer"
import { useEffect, useState } from "react"
import type { Session } from "../../../session/Session.ts"
import { useRecovering } from "./useRecovering.ts"

const load = offer()

/** It outlives the page, so that a gateway that cannot be reached for a while takes nothing away. */
let kept: { readonly session: Session | undefined; readonly offered: Offer; readonly text: string } | undefined

/** The same object while nothing in it has changed. */
const keep = (session: Session | undefined, offered: Offer): Offer => {
  const text = JSON.stringify(offered)
  if (kept === undefined || kept.session !== session || kept.text !== text) kept = { session, offered, text }
  return kept.offered
}

export interface UseOffer {
  readonly offered: Offer | undefined
  /** Until it was loaded again. */
  readonly error: unknown
  readonly refresh: () => void
}

/** What can be called. */
export const useOffer = (session: Session | undefined): UseOffer => {
  const { error, refresh, state, value } = useRecovering(load)
  const [last, setLast] = useState<unknown>()
  useEffect(() => {
    if (state === "failed") setLast(error)
    else if (state === "ready") setLast(undefined)
  }, [state, error])
  const before = kept?.session === session ? kept?.offered : undefined
  return { offered: value === undefined ? before : keep(session, value), error: last, refresh }
}
