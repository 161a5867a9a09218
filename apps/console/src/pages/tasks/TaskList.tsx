import { Link } from "@tanstack/react-router"
import type { StartedTasks } from "@tollgate/contract/account/Access"
import type { UseLoad } from "@tollgate/react"
import { usd } from "../../ui/amounts.ts"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ErrorNotice } from "../../ui/Notice.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { ago, useNow } from "../../ui/times.ts"
import styles from "./tasks.module.css"
import { taskWords } from "./TaskView.tsx"

export interface TaskListProps {
  readonly list: Pick<UseLoad<StartedTasks, unknown>, "error" | "refresh">
  readonly tasks: StartedTasks["tasks"] | undefined
  readonly chosen: string | undefined
}

const Rows = ({ chosen, tasks }: StartedTasks & Pick<TaskListProps, "chosen">) => {
  const now = useNow(5_000)
  return (
    <ul className={styles["list"]}>
      {tasks.map((task) => {
        const { kind, text } = taskWords(task.status)
        return (
          <li key={task.id}>
            <Link
              to="/tasks"
              search={{ task: task.id }}
              resetScroll={false}
              aria-current={task.id === chosen ? "true" : undefined}
            >
              <code>{task.id}</code>
              <Tag kind={kind}>{text}</Tag>
              <span className="soft small">{ago(task.created_at, now)}</span>
              <span className="number small">
                {task.ended_at === null ? `${usd(task.reserved_micros_usd)} reserved` : usd(task.charged_micros_usd)}
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

/** The tasks of the key, the newest first. */
export const TaskList = ({ chosen, list: { error, refresh }, tasks }: TaskListProps) => (
  <Card title="Your videos" flush>
    {error === undefined ? null : (
      <div className={styles["failed"]}>
        <ErrorNotice error={error}>
          <Button onClick={refresh}>Try again</Button>
        </ErrorNotice>
      </div>
    )}
    {tasks === undefined ? (
      error === undefined ? (
        <div className={styles["failed"]} role="status" aria-label="Loading">
          <Skeleton lines={4} />
        </div>
      ) : null
    ) : tasks.length === 0 ? (
      <Empty title="None yet">
        <p>A video that you start is listed here, for a day after its end.</p>
      </Empty>
    ) : (
      <Rows tasks={tasks} chosen={chosen} />
    )}
  </Card>
)
