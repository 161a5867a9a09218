import { type FormEvent, type ReactNode, useState } from "react"
import { withKey } from "../session/signIn.ts"
import { TextField, useAttempt } from "./form.tsx"
import { Button, Notice } from "./kit.tsx"

interface SignInAgainProps {
  readonly why: string
  readonly signOut: () => void
  readonly children: ReactNode
}

const show = (dialog: HTMLDialogElement | null) => dialog?.open === false && dialog.showModal()

/** Over a page whose session is over: what was typed into it stays. Escape does not close it. */
export const SignInAgain = ({ children, signOut, why }: SignInAgainProps) => (
  <dialog
    ref={(dialog) => void show(dialog)}
    className="again"
    aria-labelledby="again"
    onClose={(event) => show(event.currentTarget)}
  >
    <h2 id="again">Sign in again</h2>
    <Notice kind="warn">{why}</Notice>
    {children}
    <p className="row">
      <span className="hint">
        Your page stays as it is, also if you sign in{" "}
        <a href={location.href} target="_blank">
          in another tab
        </a>
        .
      </span>
      <Button onClick={signOut}>Sign out</Button>
    </p>
  </dialog>
)

/** A pasted key, which the gateway is asked about before the page is left. */
export const KeyWay = ({ isMain }: { readonly isMain: boolean }) => {
  const [key, setKey] = useState("")
  const { attempt, busy, problem } = useAttempt(async (typed: string) =>
    typed === "" ? "Paste a key. It begins with tg_." : withKey(typed)
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) attempt(key.trim())
  }
  return (
    <form onSubmit={submit} noValidate>
      <TextField
        label="API key"
        hint="You stay signed in on this browser. Your key is not stored in the page."
        error={problem}
        type="password"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={200}
        placeholder="tg_…"
        value={key}
        onChange={setKey}
      />
      <span className="quiet" role="alert">
        {problem}
      </span>
      <Button kind={isMain ? "main" : undefined} type="submit" busy={busy}>
        Sign in
      </Button>
    </form>
  )
}
