import { useMemo, useState } from "react"
import { Button } from "../../../ui/Button.tsx"
import { mediaIn, type Medium } from "./mediaIn.ts"
import styles from "./result.module.css"

/** What is in the answer itself or at this gateway. Another host learns of a visitor only if they ask for it. */
const isOwn = (url: string): boolean => url.startsWith("data:") || url.startsWith(`${location.origin}/`)

const Shown = ({ kind, url }: Medium) => {
  const [failed, setFailed] = useState(false)
  const [asked, setAsked] = useState(isOwn(url))
  if (!asked) {
    return (
      <Button onClick={() => setAsked(true)} title={url}>
        Show the {kind} from {new URL(url).host}
      </Button>
    )
  }
  if (failed)
    return (
      <a href={url} target="_blank" rel="noreferrer noopener" className="small">
        Open the {kind}
      </a>
    )
  return kind === "image" ? (
    <img src={url} alt="In the answer" referrerPolicy="no-referrer" onError={() => setFailed(true)} />
  ) : (
    <video src={url} controls preload="metadata" onError={() => setFailed(true)} />
  )
}

/** Images and videos of an answer. One that cannot be shown here is a link. */
export const Media = ({ value }: { readonly value: unknown }) => {
  const media = useMemo(() => mediaIn(value), [value])
  if (media.length === 0) return null
  return (
    <div className={styles["media"]}>
      {media.map((medium) => (
        <Shown key={medium.url} {...medium} />
      ))}
    </div>
  )
}
