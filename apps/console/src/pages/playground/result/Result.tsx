import { Link } from "@tanstack/react-router"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { Button, Copy, Empty, Facts, Notice, Skeleton } from "../../../ui/kit.tsx"
import { Markdown } from "../../../ui/markdown/Markdown.tsx"
import { getIn, pretty } from "../json.ts"
import { canAskFor, type Run } from "../state/Run.ts"
import { isBinary } from "./binary.ts"
import { BinaryFile, Media } from "./Media.tsx"
import { Failure } from "./Failure.tsx"
import { Figures } from "./Figures.tsx"
import styles from "./result.module.css"
import { Steps } from "./Steps.tsx"
import { answerText } from "../conversation.ts"
import { size } from "../../../ui/amounts.ts"

/** A longer text is cut in view. */
const shownLength = 40_000

/** The value of a call or the events of a stream: text and media first, then the whole of it. */
const Answer = ({ id, run, withText }: { readonly id: string; readonly run: Run; readonly withText: boolean }) => {
  const text = run.streams ? run.text : answerText(run.value)
  const raw: unknown = run.streams ? run.events : run.value
  const isThere = run.streams ? run.eventCount > 0 : run.value !== undefined
  if (run.state === "running" && !isThere) return <Skeleton lines={4} />
  if (!isThere) return null
  if (isBinary(raw)) {
    return <BinaryFile id={id} value={raw} disposition={run.response.headers?.["content-disposition"]} />
  }
  const json = pretty(raw)
  return (
    <>
      {text === "" || !withText ? null : (
        <div className={styles["text"]} aria-live="off" data-streaming={run.state === "running"}>
          <Markdown text={text.slice(0, shownLength)} />
          {text.length > shownLength ? <em className="soft"> … cut here: {size(text.length)} of text in all</em> : null}
          {run.state === "running" ? null : <Copy text={text} label="Copy text" />}
        </div>
      )}
      {run.isCutOff ? <p className={styles["cut"]}>Cut off at max tokens. Raise them for a longer answer.</p> : null}
      <Media value={raw} />
      <details className={styles["raw"]} open={text === ""}>
        <summary>
          {run.streams ? `${run.eventCount} events` : "The value"}
          <span className="soft small"> · {size(json.length)} of JSON</span>
        </summary>
        <pre className={styles["json"]} tabIndex={0}>
          {json.slice(0, shownLength)}
          {json.length > shownLength ? <em> … cut here</em> : null}
        </pre>
        <Copy text={json} label="Copy JSON" />
      </details>
    </>
  )
}

const HeaderTable = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => {
  const rows = Object.entries(headers).toSorted(([one], [other]) => one.localeCompare(other))
  return (
    <details className={styles["headers"]}>
      <summary>
        Headers <span className="soft small">· {rows.length}</span>
      </summary>
      <Facts of={rows.map(([name, value]) => [name, value.slice(0, 1_000)])} />
    </details>
  )
}

const Stopped = ({ onResume, run }: { readonly run: Run; readonly onResume: () => void }) => {
  const isSent = run.sends > 0
  return (
    <Notice kind="warn" title={isSent ? "Stopped" : "Stopped before it was sent"}>
      <p>
        {!isSent
          ? "Nothing was sent, so nothing is charged."
          : run.streams
            ? "You keep and pay for what arrived until then."
            : "It was sent, so it may still run and be charged. You can ask for its answer without paying twice. "}
        {isSent && !run.streams ? <Link to="/calls">See the calls</Link> : null}
      </p>
      {canAskFor(run) ? <Button onClick={onResume}>Ask for the outcome</Button> : null}
    </Notice>
  )
}

/** The call has started a task, which goes on. */
const TaskLink = ({ value }: { readonly value: unknown }) => {
  const id = getIn(value, ["output", "task_id"])
  return (
    <Notice kind="good" title="The task has started">
      <p>
        {typeof id === "string" ? <code>{id}</code> : null} keeps running. You pay if it succeeds.{" "}
        <Link to="/tasks" search={typeof id === "string" ? { task: id } : {}}>
          Watch it
        </Link>
      </p>
    </Notice>
  )
}

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
        <Empty title="Nothing has run yet">The answer, its charge and each request of the client appear here.</Empty>
      ) : (
        <>
          {run.state === "failed" ? <Failure operation={operation} run={run} onResume={onResume} /> : null}
          {run.state === "stopped" ? <Stopped run={run} onResume={onResume} /> : null}
          {operation.starts_task && run.state === "done" ? <TaskLink value={run.value} /> : null}
          <Answer id={operation.id} run={run} withText={!isConversation} />
        </>
      )}
    </div>
    <Steps run={run} />
    {run?.response.headers === undefined ? null : <HeaderTable headers={run.response.headers} />}
  </section>
)
