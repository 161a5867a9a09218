import { Facts } from "../../../ui/kit.tsx"
import { Markdown } from "../../../ui/markdown/Markdown.tsx"
import { duration } from "../../../ui/times.ts"
import { answerText, conversationOf } from "../conversation.ts"
import { getIn, errorMessageOf } from "../json.ts"
import type { Run } from "../state/Run.ts"
import { Cost, type CostProps } from "./Figures.tsx"
import styles from "./result.module.css"

const shownLength = 20_000

const timeOf = (millis: number | undefined) => (millis === undefined ? "–" : duration(millis))

interface SideProps extends CostProps {
  readonly model: string
}

const Side = ({ model, operation, run }: SideProps) => {
  const text = run.streams ? run.text : answerText(run.value)
  return (
    <article aria-label={model} data-state={run.state}>
      <h3>
        <code>{model}</code>
      </h3>
      <Facts
        of={[
          ["Charge", <Cost run={run} operation={operation} />],
          ["First token", timeOf(run.firstMillis)],
          ["Duration", timeOf(run.totalMillis)]
        ]}
      />
      <Markdown text={text.slice(0, shownLength)} />
      {run.state === "failed" ? <p className={styles["cut"]}>{errorMessageOf(run.error).message}</p> : null}
    </article>
  )
}

interface ComparedProps extends CostProps {
  readonly beside: Run
}

/** The same call of two models, side by side. */
export const Compared = ({ beside, operation, run }: ComparedProps) => {
  const modelOf = ({ arguments: given }: Run): string => String(getIn(given, conversationOf(operation)?.model ?? []))
  return (
    <section className={styles["compared"]} aria-label="Side by side">
      <Side model={modelOf(run)} operation={operation} run={run} />
      <Side model={modelOf(beside)} operation={operation} run={beside} />
    </section>
  )
}
