import { useNavigate, useSearch } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { useSessions } from "../../session/SessionProvider.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Field } from "../../ui/Field.tsx"
import { Page } from "../../ui/Page.tsx"

export const SignInPage = () => {
  const { signInWithKey } = useSessions()
  const { to = "/" } = useSearch({ from: "/sign-in" })
  const navigate = useNavigate()
  const [key, setKey] = useState("")
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signInWithKey(key.trim())
    void navigate({ to, replace: true })
  }
  return (
    <Page title="Sign in">
      <Card>
        <form onSubmit={submit}>
          <Field label="API key" hint="It stays in the memory of this page: a reload forgets it.">
            {(control) => (
              <input
                {...control}
                type="password"
                autoComplete="off"
                value={key}
                onChange={({ target }) => setKey(target.value)}
              />
            )}
          </Field>
          <Button kind="main" type="submit">
            Sign in
          </Button>
        </form>
      </Card>
    </Page>
  )
}
