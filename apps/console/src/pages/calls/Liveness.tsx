import type { CallLogView } from "./CallLog.ts"
import classes from "./calls.module.css"

/** Whether new calls come in. */
export const Liveness = ({ view: { error, paused } }: { readonly view: Pick<CallLogView, "error" | "paused"> }) => {
  const [kind, words] = paused
    ? (["paused", "Paused"] as const)
    : error === undefined
      ? (["live", "Live"] as const)
      : (["broken", "status" in error ? "Not live, trying again" : "Not connected, trying again"] as const)
  return (
    <>
      <span className={classes[kind]} aria-hidden="true" />
      {words}
    </>
  )
}
