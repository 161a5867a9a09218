import { createClient } from "@tollgate/browser"
import { TollgateProvider, useStream } from "@tollgate/react"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"

// Made once, outside components. A key in a page is for trying it on your own machine: let users sign in instead.
const client = createClient({ baseUrl: "http://127.0.0.1:8787", credential: "tg_…", allowKeyInPage: true })

const Chat = () => {
  const { cost, error, start, state, stop, text } = useStream("chatCompletionsStream")
  const ask = (form: FormData) =>
    start({ model: "sandbox", messages: [{ role: "user", content: String(form.get("question")) }] })
  return (
    <main>
      <form action={ask}>
        <input name="question" aria-label="Question" defaultValue="Why do rivers bend?" required />
        <button disabled={state === "streaming"}>Ask</button>
        <button type="button" onClick={stop} disabled={state !== "streaming"}>
          Stop
        </button>
      </form>
      <p role="status">{error?.message ?? `${state} ${cost?.usd === undefined ? "" : `$${cost.usd}`}`}</p>
      <p style={{ whiteSpace: "pre-wrap" }}>{text}</p>
    </main>
  )
}

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <StrictMode>
    <TollgateProvider client={client}>
      <Chat />
    </TollgateProvider>
  </StrictMode>
)
