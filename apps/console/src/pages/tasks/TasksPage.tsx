import { useNavigate, useSearch } from "@tanstack/react-router"
import { offer, tasks } from "@tollgate/client/account"
import { TollgateProvider, useLoad } from "@tollgate/react"
import { useCallback, useState } from "react"
import { callEnded } from "../../session/useProfile.ts"
import { useSessions } from "../../session/SessionProvider.tsx"
import { Page } from "../../ui/Page.tsx"
import { NewTask } from "./NewTask.tsx"
import { TaskList } from "./TaskList.tsx"
import { TaskView } from "./TaskView.tsx"
import styles from "./tasks.module.css"

const loadTasks = tasks()
const loadOffer = offer()

/** Videos: start one, watch it, see it. */
export const TasksPage = () => {
  const { session } = useSessions()
  const { task: chosen } = useSearch({ from: "/tasks" })
  const navigate = useNavigate({ from: "/tasks" })
  const list = useLoad(loadTasks, { every: "2 seconds" })
  const { value: offered } = useLoad(loadOffer)
  const { refresh } = list
  const onStarted = useCallback(
    (id: string) => {
      void navigate({ search: { task: id }, resetScroll: false })
      refresh()
    },
    [navigate, refresh]
  )
  // What the view sees of its task is newer than the list.
  const [seen, setSeen] = useState<{ readonly id: string; readonly status: string }>()
  const listed = list.value?.tasks.map((task) => (task.id === seen?.id ? { ...task, status: seen.status } : task))
  const shown = chosen ?? listed?.[0]?.id
  const onStatus = useCallback(
    (status: string) => {
      if (shown === undefined) return
      setSeen({ id: shown, status })
      refresh()
      callEnded()
    },
    [shown, refresh]
  )
  const models = offered?.operations.find(({ template }) => template === "video.create")?.models
  if (session === undefined) return null
  return (
    <Page
      title="Tasks"
      lead="A video takes a while. It goes on when this page is closed, and is charged once, when it is there."
    >
      {/* Calls are made as a program makes them: paced, and counted towards the limits. */}
      <TollgateProvider client={session.client}>
        <div className={styles["columns"]}>
          <NewTask models={models} onStarted={onStarted} />
          {shown === undefined ? null : (
            <div className={styles["view"]}>
              <TaskView
                key={shown}
                id={shown}
                listed={listed?.find(({ id }) => id === shown)}
                hasList={listed !== undefined}
                onStatus={onStatus}
              />
            </div>
          )}
          <TaskList list={list} tasks={listed} chosen={shown} />
        </div>
      </TollgateProvider>
    </Page>
  )
}
