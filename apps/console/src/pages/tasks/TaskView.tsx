import { Link } from "@tanstack/react-router"
import type { StartedTask } from "@tollgate/contract/account/Access"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { isFinal } from "@tollgate/contract/Task"
import { useTask } from "@tollgate/react/effect"
import { useCallback, useEffect, useState } from "react"
import { microsOf, usd } from "../../ui/amounts.ts"
import { Button, Card, Copy, Empty, ErrorNotice, Facts, Notice, Tag } from "../../ui/kit.tsx"
import { ago, duration, fullTime, useNow } from "../../ui/times.ts"
import styles from "./tasks.module.css"

interface Words {
  readonly text: string
  readonly kind?: "good" | "warn" | "bad" | "accent" | undefined
}

const words: Readonly<Record<string, Words>> = {
  PENDING: { text: "waiting", kind: "accent" },
  RUNNING: { text: "running", kind: "accent" },
  SUCCEEDED: { text: "done", kind: "good" },
  FAILED: { text: "failed", kind: "bad" },
  CANCELED: { text: "canceled", kind: "warn" },
  UNKNOWN: { text: "unknown", kind: "warn" }
}

export const taskWords = (status: string): Words => words[status] ?? { text: status }

const chargeWords = (task: StartedTask | undefined): string | undefined => {
  if (task === undefined || task.ended_at === null) return undefined
  return microsOf(task.charged_micros_usd) === 0n ? "nothing was charged" : `${usd(task.charged_micros_usd)} charged`
}

interface ExistingTask {
  /** As it was seen last. `undefined`: not seen yet. */
  readonly task: VideoTask | undefined
  /** Why it is not watched any more, though it has not ended. */
  readonly error: unknown
  readonly watch: () => void
}

const polls = { firstMillis: 0, betweenMillis: [1_000, 2_000], timeout: "15 minutes" } as const

/** A task that exists: asked for at once, then until it ends. */
const useExistingTask = (id: string): ExistingTask => {
  const { error, progress, resume } = useTask()
  const watch = useCallback(() => resume(id, polls), [resume, id])
  useEffect(watch, [watch])
  // The polls end with an error if the task does, with what they saw.
  const task = error !== undefined && "task" in error ? error.task : progress?.task
  const hasEnded = task !== undefined && isFinal(task.output.task_status)
  return { task, error: hasEnded ? undefined : error, watch }
}

const isWeb = (address: string | null | undefined): address is string => /^https?:\/\//i.test(address ?? "")

interface VideoProps {
  readonly address: string | null | undefined
  readonly label: string | null | undefined
}

/** The result, where it can be shown. Its address ends after a while. */
const Video = ({ address, label }: VideoProps) => {
  const [failed, setFailed] = useState(0)
  const [tried, setTried] = useState(0)
  if (!isWeb(address)) return <p>The answer has no address of a video.</p>
  const isBroken = failed > tried
  return (
    <>
      {isBroken ? (
        <div>
          <p role="alert">The video could not be loaded. Its address may have ended.</p>
          <Button onClick={() => setTried(failed)}>Try again</Button>
        </div>
      ) : (
        <video
          key={tried}
          src={address}
          controls
          playsInline
          preload="metadata"
          aria-label={label ?? "The video"}
          onError={() => setFailed(tried + 1)}
        />
      )}
      <a className={styles["out"]} href={address} target="_blank" rel="noreferrer">
        Open the video
      </a>
    </>
  )
}

/** Whole seconds: tenths would flicker. */
const wholeSeconds = (millis: number): string =>
  millis < 60_000 ? `${Math.max(0, Math.floor(millis / 1_000))} s` : duration(millis)

const millisOf = (time: string | null | undefined): number | undefined =>
  time === null || time === undefined ? undefined : new Date(time).getTime()

const ListedFacts = ({ listed, now }: { readonly listed: StartedTask; readonly now: number }) => (
  <Facts
    of={[
      [
        "Started",
        <time dateTime={listed.created_at} title={fullTime(listed.created_at)}>
          {ago(listed.created_at, now)}
        </time>
      ],
      listed.ended_at === null
        ? ["Reserved", usd(listed.reserved_micros_usd)]
        : ["Charged", usd(listed.charged_micros_usd)],
      [
        "Call",
        <Link to="/calls/$call" params={{ call: listed.call }}>
          <code>{listed.call}</code>
        </Link>
      ]
    ]}
  />
)

export interface TaskViewProps {
  readonly id: string
  readonly listed: StartedTask | undefined
  /** Whether there is a list, so that a task without an entry is not one of it. */
  readonly hasList: boolean
}

export const TaskView = ({ hasList, id, listed }: TaskViewProps) => {
  const { error, task, watch } = useExistingTask(id)
  const now = useNow(1_000)
  const output = task?.output
  const status = output?.task_status ?? listed?.status ?? "PENDING"
  const { kind, text } = taskWords(status)
  const since = millisOf(listed?.created_at)
  if (status === "UNKNOWN" && hasList && listed === undefined)
    return (
      <Card title="Video" action={<Tag>unknown</Tag>}>
        <Empty title="The gateway does not know this task">
          <p>It ended more than a day ago, or it belongs to another account.</p>
        </Empty>
      </Card>
    )
  return (
    <Card title="Video" action={<Tag kind={kind}>{text}</Tag>}>
      {status === "FAILED" || status === "CANCELED" ? (
        <Notice kind={status === "FAILED" ? "bad" : "warn"} title={output?.message ?? `The task ${text}.`}>
          <p className="soft small">{[output?.code, chargeWords(listed)].filter(Boolean).join(" · ")}</p>
        </Notice>
      ) : (
        <div className={styles["screen"]}>
          {status === "SUCCEEDED" && output !== undefined ? (
            <Video address={output.video_url} label={output.orig_prompt} />
          ) : error === undefined ? (
            <div role="status">
              <span className="spinner" aria-hidden="true" />
              <p>
                <span>{text}</span>
                {/* Not announced each second. */}
                {since === undefined ? null : <span aria-hidden="true">, {wholeSeconds(now - since)} so far</span>}
              </p>
            </div>
          ) : (
            <p>not watched</p>
          )}
        </div>
      )}
      {error === undefined ? null : (
        <ErrorNotice error={error}>
          <Button onClick={watch}>Watch it again</Button>
        </ErrorNotice>
      )}
      {output?.orig_prompt ? <p className={styles["prompt"]}>{output.orig_prompt}</p> : null}
      {listed === undefined ? null : <ListedFacts listed={listed} now={now} />}
      <div className={styles["id"]}>
        <code>{id}</code>
        <Copy text={id} label="Copy id" />
      </div>
    </Card>
  )
}
