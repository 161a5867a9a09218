import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions"
import { conversation, path } from "../conversation.ts"
import { key } from "../question.ts"

// One client in its own process: makes the requested number of calls and reports their CPU time.
const [name = "", baseUrl = ""] = process.argv.slice(2)
const body = JSON.parse(conversation) as ChatCompletionCreateParamsNonStreaming

type Call = () => Promise<unknown>

/** Each is imported on its own: once undici is loaded, Node's `fetch` uses it. */
const clients: Readonly<Record<string, () => Call | Promise<Call>>> = {
  fetch: () => async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const answer = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(String(answer.status))
    return answer.json()
  },
  undici: async () => {
    const { createClient } = await import("@tollgate/node")
    const client = createClient({ credential: key, baseUrl })
    return () => client.chatCompletions({ ...body })
  },
  fetchCarrier: async () => {
    const { createClient } = await import("@tollgate/client/promises/createClient")
    const client = createClient({ credential: key, baseUrl })
    return () => client.chatCompletions({ ...body })
  },
  openai: async () => {
    const { OpenAI } = await import("openai")
    const client = new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1` })
    return () => client.chat.completions.create(body)
  }
}

const call = await clients[name]?.()
if (call === undefined) throw new Error(`No such client: ${name}`)

const many = async (calls: number, concurrent: number): Promise<number> => {
  let left = calls
  const caller = async () => {
    while (left-- > 0) await call()
  }
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: concurrent }, caller))
  const { system, user } = process.cpuUsage(before)
  return (system + user) / calls
}

process.on("message", ({ calls, concurrent }: { readonly calls: number; readonly concurrent: number }) => {
  many(calls, concurrent).then(
    (cpuMicros) => process.send?.({ cpuMicros }),
    (error: unknown) => process.send?.({ error: String(error) })
  )
})
process.on("disconnect", () => process.exit(0))
