import { type ReactNode, useState } from "react"
import { Button, Copy, Notice } from "./kit.tsx"
import styles from "./Secrets.module.css"

interface Secret {
  readonly id: string
  /** What is new. */
  readonly title: ReactNode
  readonly texts: ReadonlyArray<readonly [label: string, text: string]>
}

/** Secrets that were made on this page. Each stays in view until it is put away: there is no other place to see it. */
export const useSecrets = () => {
  const [made, setMade] = useState<ReadonlyArray<Secret>>([])
  const notices = made.map(({ id, texts, title }) => (
    <Notice key={id} kind="warn" title={title}>
      {texts.map(([label, text]) => (
        <p key={label} className={styles.secret}>
          <code>{text}</code>
          <Copy text={text} label={label} />
        </p>
      ))}
      <p>Store it now. It is shown only once: the gateway keeps no readable copy.</p>
      <p>
        <Button onClick={() => setMade((before) => before.filter((each) => each.id !== id))}>I have stored it</Button>
      </p>
    </Notice>
  ))
  return { notices, keep: (secret: Secret) => setMade((before) => [...before, secret]) }
}
