import { useLoad } from "@tollgate/react"
import { useMemo, useSyncExternalStore } from "react"
import type { Session } from "../../session/Session.ts"
import { useSessions } from "../../session/SessionProvider.tsx"
import { CallLog } from "./CallLog.ts"
import { type Filter, filterNames } from "./Filter.ts"

interface Kept {
  readonly session: Session | undefined
  readonly address: string
  readonly log: CallLog
  scrollTop: number
}

/** The last log is kept, so that who returns from a call finds it as it was. */
let last: Kept | undefined

const keep = (session: Session | undefined, filter: Filter): Kept => {
  const address = JSON.stringify(filterNames.map((name) => filter[name] ?? null))
  if (last?.session !== session || last?.address !== address)
    last = { session, address, log: new CallLog(filter), scrollTop: 0 }
  return last
}

/** The calls that match a filter, as they begin and end. */
export const useCallLog = ({ cost_state, key, model, operation, state, status }: Filter) => {
  const { session } = useSessions()
  const kept = useMemo(() => {
    const filter = { cost_state, key, model, operation, state, status }
    return keep(session, Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)))
  }, [session, cost_state, key, model, operation, state, status])
  useLoad(kept.log.run)
  return { kept, log: kept.log, view: useSyncExternalStore(kept.log.subscribe, kept.log.read) }
}
