import { createClient } from "@tollgate/browser"
import { createSignIn } from "@tollgate/browser/signIn"

// Runs in the page: an app with a button for each action. The test reads the outcome from the body's dataset.
const settings = JSON.parse(document.body.dataset.settings ?? "{}") as {
  readonly resource: string
  readonly keep?: "sessionStorage"
  readonly clientId?: string
  readonly scopes?: ReadonlyArray<string>
}

const auth = createSignIn({
  clientId: "the-page",
  redirectUri: `${location.origin}/callback`,
  scopes: ["openid", "use"],
  ...settings
})

const client = createClient({ baseUrl: settings.resource, credential: auth.credential })
const call = () => client.rerank({ query: "river", documents: ["A river."] })

const plain = (error: unknown): unknown =>
  error instanceof Error
    ? { ...error, message: error.message, ...(error.cause === undefined ? {} : { cause: plain(error.cause) }) }
    : error

let count = 0
const show = (name: string, outcome: unknown) => {
  document.body.dataset.outcome = JSON.stringify({ name, count: count++, signedIn: auth.isSignedIn(), outcome })
}

const perform = (name: string, action: () => Promise<unknown>) =>
  action().then(
    (outcome) => show(name, outcome ?? "done"),
    (error: unknown) => show(name, { failed: plain(error) })
  )

const button = (name: string, action: () => Promise<unknown>) => {
  const element = document.body.appendChild(document.createElement("button"))
  element.id = name
  element.onclick = () => void perform(name, action)
}

button("signIn", auth.signIn)
button("signInByPopup", auth.signInByPopup)
button("call", call)
button("callTen", () => Promise.all(Array.from({ length: 10 }, call)))
button("signOut", auth.signOut)

await perform("load", auth.completeSignIn)
