import { useState } from "react"
import { Button } from "../../ui/Button.tsx"
import styles from "./tasks.module.css"

const isWeb = (address: string | null | undefined): address is string => /^https?:\/\//i.test(address ?? "")

export interface VideoProps {
  readonly address: string | null | undefined
  readonly label: string | null | undefined
}

/** The result, where it can be shown. Its address ends after a while. */
export const Video = ({ address, label }: VideoProps) => {
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
