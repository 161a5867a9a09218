import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { Empty } from "../../../ui/Empty.tsx"
import type { Run } from "../state/Run.ts"
import { Answer } from "./Answer.tsx"
import { Failure } from "./Failure.tsx"
import { Figures } from "./Figures.tsx"
import { HeaderTable } from "./HeaderTable.tsx"
import styles from "./result.module.css"
import { Steps } from "./Steps.tsx"
import { Stopped } from "./Stopped.tsx"
import { TaskLink } from "./TaskLink.tsx"

export interface ResultProps {
  readonly operation: OfferedOperation
  readonly run: Run | undefined
  /** The text of the answer is shown in the conversation. */
  readonly isConversation: boolean
  readonly onResume: () => void
}

/** What came of a run: the answer or the error, what it cost, and what the client did. */
export const Result = ({ isConversation, onResume, operation, run }: ResultProps) => (
  <section className={styles["result"]} aria-label="Result" data-state={run?.state ?? "idle"}>
    <Figures run={run} operation={operation} />
    <div className={styles["body"]} data-short={isConversation}>
      {run === undefined ? (
        <Empty title="Nothing was run yet">The answer, its cost and each request of the client appear here.</Empty>
      ) : (
        <>
          {run.state === "failed" ? <Failure operation={operation} run={run} onResume={onResume} /> : null}
          {run.state === "stopped" ? <Stopped run={run} onResume={onResume} /> : null}
          {operation.starts_task && run.state === "done" ? <TaskLink value={run.value} /> : null}
          <Answer run={run} withText={!isConversation} />
        </>
      )}
    </div>
    <Steps run={run} isFree={operation.is_free} />
    {run?.response.headers === undefined ? null : <HeaderTable headers={run.response.headers} />}
  </section>
)
