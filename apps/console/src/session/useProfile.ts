import { approvals, profile } from "@tollgate/client/account"
import { useLoad } from "@tollgate/react"
import { useEffect } from "react"

const load = profile()

/** Whom the credential stands for, and what it may still spend. */
export const useProfile = () => {
  const loaded = useLoad(load, { every: "3 seconds" })
  const { refresh } = loaded
  useEffect(() => onCallEnded(refresh), [refresh])
  return loaded
}

const listeners = new Set<() => void>()

/** Says that a call ended, so that what it changed is asked for at once. */
export const callEnded = (): void => {
  for (const listener of listeners) listener()
}

const onCallEnded = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const loadApprovals = approvals()

/** The calls that wait for approval, and those that were decided. A credential that may not see them gets none. */
export const useApprovals = () => useLoad(loadApprovals, { every: "10 seconds" })
