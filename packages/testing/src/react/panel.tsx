import { createClient } from "@tollgate/browser"
import { createSignIn } from "@tollgate/browser/signIn"
import { TollgateProvider, useCall, useStream, useTask, useUsage } from "@tollgate/react"
import { createRoot } from "react-dom/client"

const auth = createSignIn({
  resource: "https://gateway.example",
  clientId: "…",
  scopes: ["use", "usage"],
  redirectUri: "https://page.example/callback"
})
const client = createClient({ baseUrl: "https://gateway.example", credential: auth.credential }) // once, outside components

const Panel = () => {
  const answer = useStream("messagesStream") // start(input), stop(): text, events, cost
  const ranking = useCall("rerank") // call(input), stop(), resume() if it may have run: value, cost
  const video = useTask() // start(input), resume(taskId), stop(): taskId, progress, result
  const { report } = useUsage("7 days", { every: "1 minute" }) // refresh(): report
  const error = answer.error ?? ranking.error ?? video.error // values with `_tag`: the hooks throw nothing
  return <p>{error?.message ?? `${answer.text} ${report?.totals.requests ?? ""}`}</p>
}

createRoot(document.querySelector("main")!).render(
  <TollgateProvider client={client}>
    <Panel />
  </TollgateProvider>
)
