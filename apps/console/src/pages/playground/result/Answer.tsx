import { Copy } from "../../../ui/Copy.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
import { pretty } from "../json.ts"
import type { Run } from "../state/Run.ts"
import { answerText } from "../answer.ts"
import { JsonTree } from "./JsonTree.tsx"
import { Media } from "./Media.tsx"
import styles from "./result.module.css"
import { size } from "../../../ui/amounts.ts"

/** A longer text is cut in view. */
const shownLength = 40_000
/** A shorter answer is shown with everything open. */
const smallLength = 3_000

/** The value of a call or the events of a stream: text and media first, then the whole of it. */
export const Answer = ({ run, withText }: { readonly run: Run; readonly withText: boolean }) => {
  const text = run.streams ? run.text : answerText(run.value)
  const raw: unknown = run.streams ? run.events : run.value
  const isThere = run.streams ? run.eventCount > 0 : run.value !== undefined
  if (run.state === "running" && !isThere) return <Skeleton lines={4} />
  if (!isThere) return null
  const json = pretty(raw)
  return (
    <>
      {text === "" || !withText ? null : (
        <div className={styles["text"]} aria-live="off" data-streaming={run.state === "running"}>
          {text.slice(0, shownLength)}
          {text.length > shownLength ? <em className="soft"> … cut here: {size(text.length)} of text in all</em> : null}
        </div>
      )}
      {run.isCutOff ? <p className={styles["cut"]}>Cut off at max tokens. Raise them for a longer answer.</p> : null}
      <Media value={raw} />
      <details className={styles["raw"]} open={text === ""}>
        <summary>
          {run.streams ? `${run.eventCount} events` : "The value"}
          <span className="soft small"> · {size(json.length)} of JSON</span>
        </summary>
        <div className={styles["tree"]} tabIndex={0} role="region" aria-label="The answer as JSON">
          <JsonTree value={raw} levels={json.length < smallLength ? 8 : 2} />
        </div>
        <Copy text={json} label="Copy JSON" />
      </details>
    </>
  )
}
