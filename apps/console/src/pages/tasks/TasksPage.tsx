import { Link, useSearch } from "@tanstack/react-router"
import { offer, tasks } from "@tollgate/client/account"
import { TollgateProvider, useLoad, type UseLoad } from "@tollgate/react/effect"
import { account } from "../../session/sessions.ts"
import { Card, Empty, Loaded, Page, Skeleton, Tag } from "../../ui/kit.tsx"
import { TaskView, taskWords } from "./TaskView.tsx"
import styles from "./tasks.module.css"
import type { StartedTasks } from "@tollgate/contract/account/Access"
import { columnUsd } from "../../ui/amounts.ts"
import { ago, useNow } from "../../ui/times.ts"

interface TaskListProps {
  readonly list: UseLoad<StartedTasks, unknown>
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
                {task.ended_at === null
                  ? `${columnUsd(task.reserved_micros_usd)} reserved`
                  : columnUsd(task.charged_micros_usd)}
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

const TaskList = ({ chosen, list }: TaskListProps) => (
  <Card title="Your tasks" flush>
    <Loaded of={list} loading={<Skeleton lines={4} />}>
      {({ tasks }) =>
        tasks.length === 0 ? (
          <Empty title="None yet">
            <p>The tasks of your account are listed here, for a day after they end.</p>
          </Empty>
        ) : (
          <Rows tasks={tasks} chosen={chosen} />
        )
      }
    </Loaded>
  </Card>
)

const loadTasks = tasks()
const loadOffer = offer()

/** Videos: start one, watch it, see it. */
export const TasksPage = () => {
  const { session } = account.use()
  const { task: chosen } = useSearch({ from: "/tasks" })
  const list = useLoad(loadTasks, { every: "2 seconds" })
  const { value: offered } = useLoad(loadOffer)
  const listed = list.value?.tasks
  const shown = chosen ?? listed?.[0]?.id
  const starts = offered?.operations.find(({ template }) => template === "video.create")?.id
  if (session === undefined) return null
  return (
    <Page
      title="Tasks"
      lead="Videos keep rendering after you leave. You pay once, when it is ready."
      actions={
        starts === undefined ? undefined : (
          <Link className="button main" to="/playground/$operation" params={{ operation: starts }}>
            New video
          </Link>
        )
      }
    >
      {/* Calls are made as a program makes them: paced, and counted towards the limits. */}
      <TollgateProvider client={session.client}>
        <div className={styles["columns"]}>
          {shown === undefined ? null : (
            <div className={styles["view"]}>
              <TaskView
                key={shown}
                id={shown}
                listed={listed?.find(({ id }) => id === shown)}
                hasList={listed !== undefined}
              />
            </div>
          )}
          <TaskList list={list} chosen={shown} />
        </div>
      </TollgateProvider>
    </Page>
  )
}
