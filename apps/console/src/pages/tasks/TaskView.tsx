import { useTask } from "@tollgate/react"
import { useEffect } from "react"
import { Card } from "../../ui/Card.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { duration } from "../../ui/times.ts"
import styles from "./tasks.module.css"
import { taskWords } from "./taskWords.ts"

const isWeb = (address: string | null | undefined): address is string => /^https?:\/\//i.test(address ?? "")

/** One task, polled until it ends, and its result. */
export const TaskView = ({ id }: { readonly id: string }) => {
  const { error, progress, result, resume, state } = useTask()
  useEffect(() => resume(id), [id, resume])
  const status = progress?.status ?? "PENDING"
  const { kind, text } = taskWords(status)
  const output = result?.output ?? progress?.task.output
  return (
    <Card title={<code>{id}</code>} action={kind === undefined ? <Tag>{text}</Tag> : <Tag kind={kind}>{text}</Tag>}>
      <div className={styles.screen}>
        {isWeb(result?.output.video_url) ? (
          <video src={result.output.video_url} controls playsInline aria-label={output?.orig_prompt ?? "The video"} />
        ) : state === "failed" ? null : (
          <div role="status">
            <span className="spinner" aria-hidden="true" />
            <p>
              {progress === undefined ? "Asking for its state" : `${text}, ${duration(progress.elapsedMillis)} so far`}
            </p>
          </div>
        )}
      </div>
      {error === undefined ? null : <ErrorNotice error={error} />}
      {isWeb(result?.output.video_url) ? (
        <p>
          <a href={result.output.video_url} target="_blank" rel="noreferrer">
            Open the video
          </a>{" "}
          <span className="soft small">The address works for a few hours.</span>
        </p>
      ) : null}
      {output?.orig_prompt ? <p className="soft">{output.orig_prompt}</p> : null}
    </Card>
  )
}
