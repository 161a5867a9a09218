import { Link } from "@tanstack/react-router"
import { Notice } from "../../../ui/Notice.tsx"
import type { Run } from "../state/Run.ts"

/** Somebody stopped it. */
export const Stopped = ({ run }: { readonly run: Run }) => {
  const isSent = run.steps.some(({ kind }) => kind === "sent")
  return (
    <Notice kind="warn" title={isSent ? "Stopped" : "Stopped before it was sent"}>
      <p>
        {!isSent
          ? "Nothing was sent, so nothing is charged."
          : run.streams
            ? "What came until then stays, and is charged."
            : "It was sent, so that it may run to its end and be charged. "}
        {isSent && !run.streams ? <Link to="/calls">See the calls</Link> : null}
      </p>
    </Notice>
  )
}
