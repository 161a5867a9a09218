import { useMemo, useState } from "react"
import { Button } from "../../../ui/Button.tsx"
import { mediaIn, type Medium } from "./mediaIn.ts"
import styles from "./result.module.css"

/** What is in the answer itself or at this gateway. Another host learns of a visitor only if they ask for it. */
const isOwn = ({ url }: Medium): boolean => url.startsWith("data:") || url.startsWith(`${location.origin}/`)

/** Names that never lead to a host. The sandbox uses them. */
const isNoHost = (host: string): boolean => /\.(invalid|example)(:\d+)?$/.test(host)

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

const Gallery = ({ media }: { readonly media: ReadonlyArray<Medium> }) => (
  <div className={styles["media"]}>
    {media.map((medium) => (
      <Shown key={medium.url} {...medium} />
    ))}
  </div>
)

const countOf = (media: ReadonlyArray<Medium>): string => {
  const kinds = new Set(media.map(({ kind }) => kind))
  const [kind] = kinds
  const noun = kinds.size === 1 && kind !== undefined ? kind : "image or video"
  return media.length === 1
    ? `1 ${noun}`
    : kinds.size === 1
      ? `${media.length} ${noun}s`
      : `${media.length} images and videos`
}

/** What one other host has: one line until somebody asks for it. */
const Elsewhere = ({ host, media }: { readonly host: string; readonly media: ReadonlyArray<Medium> }) => {
  const [asked, setAsked] = useState(false)
  if (asked) return <Gallery media={media} />
  return (
    <p className={styles["others"]}>
      <span className="small">
        {countOf(media)} at {host}
        {isNoHost(host) ? ", a name of the sandbox that leads nowhere" : null}
      </span>{" "}
      {isNoHost(host) ? null : (
        <Button onClick={() => setAsked(true)}>{media.length === 1 ? "Show it" : "Show them"}</Button>
      )}
    </p>
  )
}

/** Images and videos of an answer. One that cannot be shown here is a link. */
export const Media = ({ value }: { readonly value: unknown }) => {
  const media = useMemo(() => mediaIn(value), [value])
  const own = media.filter(isOwn)
  const others = Map.groupBy(
    media.filter((medium) => !isOwn(medium)),
    ({ url }) => new URL(url).host
  )
  return (
    <>
      {own.length === 0 ? null : <Gallery media={own} />}
      {[...others].map(([host, found]) => (
        <Elsewhere key={host} host={host} media={found} />
      ))}
    </>
  )
}
