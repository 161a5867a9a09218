import { useMemo, useState } from "react"
import { Button } from "../../../ui/kit.tsx"
import { isObject } from "../json.ts"
import styles from "./result.module.css"
import { size } from "../../../ui/amounts.ts"
import { saveFile } from "../../../ui/csv.ts"
import { type Binary, fileName, imageOf } from "./binary.ts"

interface Medium {
  readonly kind: "image" | "video"
  readonly url: string
}

const mostMedia = 6
const mostValues = 5_000

const isWeb = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)
const isImage = (text: string): boolean => /\.(png|jpe?g|gif|webp|avif)(\?|#|$)/i.test(text)
const isVideo = (text: string): boolean => /\.(mp4|webm|mov)(\?|#|$)/i.test(text)
const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]{40,}={0,2}$/.test(text)

/** The kind of an image by its first bytes in base64. */
const typeOf = (base64: string): string =>
  base64.startsWith("/9j/") ? "image/jpeg" : base64.startsWith("UklGR") ? "image/webp" : "image/png"

const mediumOf = (name: string, text: string): Medium | undefined => {
  if (isWeb(text)) {
    if (isVideo(text) || name === "video_url") return { kind: "video", url: text }
    return isImage(text) || name === "image_url" ? { kind: "image", url: text } : undefined
  }
  return name === "b64_json" && isBase64(text)
    ? { kind: "image", url: `data:${typeOf(text)};base64,${text}` }
    : undefined
}

/** Images and videos in an answer: addresses of the web, and images within it. No other address is ever one. */
const mediaIn = (value: unknown): ReadonlyArray<Medium> => {
  const found: Array<Medium> = []
  const queue: Array<readonly [string, unknown]> = [["", value]]
  for (let seen = 0; seen < queue.length && seen < mostValues && found.length < mostMedia; seen++) {
    const [name, each] = queue[seen] ?? ["", undefined]
    if (typeof each === "string") {
      const medium = mediumOf(name, each)
      if (medium !== undefined && !found.some(({ url }) => url === medium.url)) found.push(medium)
    } else if (Array.isArray(each))
      queue.push(...each.slice(0, mostValues).map((inner: unknown) => [name, inner] as const))
    else if (isObject(each)) queue.push(...Object.entries(each).slice(0, mostValues))
  }
  return found
}

/** What is in the answer itself or at this gateway. Another host learns of a visitor only if they follow a link. */
const isOwn = ({ url }: Medium): boolean => url.startsWith("data:") || url.startsWith(`${location.origin}/`)

const Shown = ({ kind, url }: Medium) => {
  const [failed, setFailed] = useState(false)
  if (failed)
    return (
      <span className="small">
        The {kind} could not be loaded.{" "}
        <a href={url} target="_blank" rel="noreferrer noopener">
          Open it
        </a>
      </span>
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
  const own = media.filter(isOwn)
  const others = media.filter((medium) => !isOwn(medium))
  return (
    <>
      {own.length === 0 ? null : (
        <div className={styles["media"]}>
          {own.map((medium) => (
            <Shown key={medium.url} {...medium} />
          ))}
        </div>
      )}
      {others.map(({ kind, url }) => (
        <p key={url} className={styles["others"]}>
          <a href={url} target="_blank" rel="noreferrer noopener">
            Open the {kind} at {new URL(url).host}
          </a>
        </p>
      ))}
    </>
  )
}

interface BinaryFileProps {
  readonly id: string
  readonly value: Binary
  readonly disposition: string | undefined
}

/** An answer that is a file: shown if it is an image, and saved by whoever wants it. */
export const BinaryFile = ({ disposition, id, value }: BinaryFileProps) => {
  const image = useMemo(() => imageOf(value), [value])
  const { bytes, contentType } = value
  const name = fileName(id, contentType, disposition)
  // A type that a page runs, such as HTML, would run as this origin if the browser opened it.
  const save = () => saveFile(name, new Blob([bytes], { type: "application/octet-stream" }))
  return (
    <>
      {image === undefined ? null : (
        <div className={styles["media"]}>
          <img src={image} alt="The answer" />
        </div>
      )}
      <p className={styles["others"]}>
        <span className="small">
          {contentType === "" ? "Unknown file type" : contentType}, {size(bytes.length)}
        </span>{" "}
        <Button onClick={save}>Download {name}</Button>
      </p>
    </>
  )
}
