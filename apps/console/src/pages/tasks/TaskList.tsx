import type { StartedTasks } from "@tollgate/contract/account/Access"
import type { LoadState } from "@tollgate/react"
import { usd } from "../../ui/amounts.ts"
import { Card } from "../../ui/Card.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { ago } from "../../ui/times.ts"
import { useNow } from "../../ui/useNow.ts"
import styles from "./tasks.module.css"
import { taskWords } from "./taskWords.ts"

export interface TaskListProps {
  readonly list: LoadState<StartedTasks, unknown>
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

const Rows = ({ chosen, onChoose, tasks }: StartedTasks & Omit<TaskListProps, "list">) => {
  const now = useNow(5_000)
  return (
    <ul className={styles.list}>
      {tasks.map((task) => {
        const { kind, text } = taskWords(task.status)
        return (
          <li key={task.id}>
            <button type="button" aria-pressed={task.id === chosen} onClick={() => onChoose(task.id)}>
              <code>{task.id}</code>
              {kind === undefined ? <Tag>{text}</Tag> : <Tag kind={kind}>{text}</Tag>}
              <span className="soft small">{ago(task.created_at, now)}</span>
              <span className="number small">
                {task.ended_at === null ? `${usd(task.reserved_micros_usd)} reserved` : usd(task.charged_micros_usd)}
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** The tasks of the key, the newest first. */
export const TaskList = ({ list: { error, value }, ...choice }: TaskListProps) => (
  <Card title="Your videos" flush>
    {error === undefined ? null : <ErrorNotice error={error} />}
    {value === undefined ? (
      error === undefined ? (
        <Skeleton lines={4} />
      ) : null
    ) : value.tasks.length === 0 ? (
      <Empty title="None yet">
        <p>Start one above. Finished ones stay for a day.</p>
      </Empty>
    ) : (
      <Rows tasks={value.tasks} {...choice} />
    )}
  </Card>
)
