import { Link } from "@tanstack/react-router"
import { Button } from "../../../ui/Button.tsx"
import { Notice } from "../../../ui/Notice.tsx"
import { canAskFor, type Run } from "../state/Run.ts"

/** Somebody stopped it. */
export const Stopped = ({ onResume, run }: { readonly run: Run; readonly onResume: () => void }) => {
  const isSent = run.steps.some(({ kind }) => kind === "sent")
  return (
    <Notice kind="warn" title={isSent ? "Stopped" : "Stopped before it was sent"}>
      <p>
        {!isSent
          ? "Nothing was sent, so nothing is charged."
          : run.streams
            ? "What came until then stays, and is charged."
            : "It was sent, so that it may run to its end and be charged. Its answer can still be asked for, and is not paid twice. "}
        {isSent && !run.streams ? <Link to="/calls">See the calls</Link> : null}
      </p>
      {canAskFor(run) ? <Button onClick={onResume}>Ask for the outcome</Button> : null}
    </Notice>
  )
}
