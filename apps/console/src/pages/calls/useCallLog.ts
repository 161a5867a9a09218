import { useLocation } from "@tanstack/react-router"
import { useLoad } from "@tollgate/react"
import { useMemo, useSyncExternalStore } from "react"
import type { Session } from "../../session/Session.ts"
import { useSessions } from "../../session/SessionProvider.tsx"
import { CallLog } from "./CallLog.ts"
import { type Filter, filterNames } from "./Filter.ts"

interface Kept {
  readonly session: Session | undefined
  /** The entry of the browser's history. */
  readonly entry: string | undefined
  readonly address: string
  readonly log: CallLog
  scrollTop: number
}

/** The last log is kept, so that who goes back to it finds it as it was. Who comes by a link begins with the newest. */
let last: Kept | undefined

const keep = (session: Session | undefined, entry: string | undefined, filter: Filter): Kept => {
  const address = JSON.stringify(filterNames.map((name) => filter[name] ?? null))
  const isSame = last?.session === session && last?.address === address
  if (last === undefined || !isSame || (entry !== undefined && last.entry !== entry))
    last = { session, entry, address, log: new CallLog(filter), scrollTop: 0 }
  return last
}

/** The calls that match a filter, as they begin and end. */
export const useCallLog = ({ cost_state, key, model, operation, state, status, tag }: Filter) => {
  const { session } = useSessions()
  // The location is ahead of this page while the next one loads.
  const entry = useLocation({
    select: ({ pathname, state }) => (pathname === "/calls" ? state.__TSR_key : undefined)
  })
  const kept = useMemo(() => {
    const filter = { cost_state, key, model, operation, state, status, tag }
    return keep(session, entry, Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)))
  }, [session, entry, cost_state, key, model, operation, state, status, tag])
  useLoad(kept.log.run)
  return { kept, log: kept.log, view: useSyncExternalStore(kept.log.subscribe, kept.log.read) }
}
