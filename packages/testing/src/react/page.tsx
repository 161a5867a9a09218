import { layer } from "@tollgate/browser/effect"
import { chatCompletionsStream, rerank } from "@tollgate/client"
import { TollgateProvider, useCall, useStream, useTask, useUsage } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type ComponentType, StrictMode, useEffect, useState } from "react"
import { createRoot } from "react-dom/client"

// Runs in the page: shows one hook at a time, in strict mode. The test reads what the hook returned and calls its functions.
const { baseUrl, key, model } = JSON.parse(decodeURIComponent(location.search.slice(1))) as Record<string, string>

const client = layer({ baseUrl: baseUrl ?? "", credential: key ?? "", allowKeyInPage: true })

/** `commits`: how often the component was rendered and committed. */
const page = Object.assign(window, { hook: {} as object, commits: 0 })

const publish = (hook: object): void => {
  page.hook = hook
  page.commits++
}

const Answer = () => {
  const stream = useStream(chatCompletionsStream)
  useEffect(() => publish(stream))
  return <p>{stream.text}</p>
}

/** What an app should not do: it starts a call that costs something in an effect. */
const Hasty = () => {
  const stream = useStream(chatCompletionsStream)
  const { start } = stream
  useEffect(() => publish(stream))
  useEffect(() => start({ model: model ?? "", messages: [{ role: "user", content: "Hello" }] }), [start])
  return <p>{stream.text}</p>
}

/** Events of the app's own, each in a task of its own, as fast as the page can. */
const ownEvents = (count: number) =>
  Stream.mapEffect(Stream.range(1, count), () => Effect.as(Effect.sleep(0), { choices: [{ delta: { content: "x" } }] }))

const Fast = () => {
  const stream = useStream(ownEvents)
  useEffect(() => publish(stream))
  return <p>{stream.text}</p>
}

const Call = () => {
  const call = useCall(rerank)
  useEffect(() => publish(call))
  return <p>{call.value?.model}</p>
}

const Task = () => {
  const task = useTask()
  useEffect(() => publish(task))
  return <p>{task.progress?.status}</p>
}

const Usage = () => {
  const usage = useUsage("7 days")
  useEffect(() => publish(usage))
  return <p>{usage.report?.totals.requests}</p>
}

const Watched = () => {
  const usage = useUsage("7 days", { every: "20 millis" })
  useEffect(() => publish(usage))
  return <p>{usage.report?.totals.requests}</p>
}

const components: Readonly<Record<string, ComponentType>> = { Answer, Hasty, Fast, Call, Task, Usage, Watched }

const App = () => {
  const [name, show] = useState<string>()
  useEffect(() => {
    Object.assign(window, { show })
  }, [])
  const Shown = name === undefined ? undefined : components[name]
  return Shown === undefined ? <p>Nothing</p> : <Shown />
}

createRoot(document.body.appendChild(document.createElement("main"))).render(
  <StrictMode>
    <TollgateProvider client={client}>
      <App />
    </TollgateProvider>
  </StrictMode>
)
