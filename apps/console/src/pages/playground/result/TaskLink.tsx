import { Link } from "@tanstack/react-router"
import { Notice } from "../../../ui/Notice.tsx"
import { getIn } from "../state/setIn.ts"

/** The call has started a task, which goes on. */
export const TaskLink = ({ value }: { readonly value: unknown }) => {
  const id = getIn(value, ["output", "task_id"])
  return (
    <Notice kind="good" title="The task has started">
      <p>
        {typeof id === "string" ? <code>{id}</code> : null} goes on after this answer, and is charged if it succeeds.{" "}
        <Link to="/tasks">Watch it</Link>
      </p>
    </Notice>
  )
}
