import type { ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import { Notice } from "../../../ui/Notice.tsx"
import styles from "../operator.module.css"

export interface VerdictProps {
  readonly of: "check" | "reload"
  readonly answer: ConfigurationCheck
}

const words = ({ answer: { in_force: inForce, valid }, of }: VerdictProps): string => {
  if (!valid) return "The file has errors. The old configuration stays in force."
  if (of === "reload") return inForce ? "The file is in force now." : "The file is valid, but is not in force."
  return inForce ? "The file is valid, and in force." : "The file is valid. Reload to put it in force."
}

/** What the gateway says about the file. */
export const Verdict = (props: VerdictProps) => (
  <Notice kind={props.answer.valid ? "good" : "bad"} title={words(props)}>
    {props.answer.problems.length === 0 ? null : (
      <ul className={styles.problems}>
        {props.answer.problems.map((problem) => (
          <li key={problem} className="mono">
            {problem}
          </li>
        ))}
      </ul>
    )}
  </Notice>
)
