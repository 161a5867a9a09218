import { type FormEvent, useState } from "react"
import { keySession, problemWith } from "../../session/keySession.ts"
import { useSessions } from "../../session/SessionProvider.tsx"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"

/** A pasted key, which the gateway is asked about before the page is left. */
export const KeyWay = ({ isMain }: { readonly isMain: boolean }) => {
  const { begin } = useSessions()
  const [key, setKey] = useState("")
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const check = async (typed: string) => {
    setBusy(true)
    setProblem(undefined)
    const found = typed === "" ? "Paste a key. It begins with tg_." : await problemWith(typed)
    setBusy(false)
    if (found === undefined) begin(keySession(typed, "key"))
    else setProblem(found)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) void check(key.trim())
  }
  return (
    <form onSubmit={submit} noValidate>
      <Field label="API key" hint="It stays in the memory of this page: a reload forgets it." error={problem}>
        {(control) => (
          <input
            {...control}
            type="password"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={200}
            placeholder="tg_…"
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
        )}
      </Field>
      <span className="quiet" role="alert">
        {problem}
      </span>
      <Button {...(isMain ? { kind: "main" } : {})} type="submit" busy={busy}>
        Sign in
      </Button>
    </form>
  )
}
