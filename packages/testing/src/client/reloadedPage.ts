import { createClient, textOf } from "@tollgate/browser"
import { resumable, resumeStream, type ResumeToken } from "@tollgate/client/resumable"

// Runs in the page: shows an answer while it arrives, and goes on with it when the page is reloaded.
const { baseUrl, key } = JSON.parse(document.body.dataset.settings ?? "{}") as { baseUrl: string; key: string }

interface Stored {
  readonly token: ResumeToken | undefined
  readonly text: string
}

const stored = JSON.parse(sessionStorage.getItem("answer") ?? "null") as Stored | null
const client = createClient({ baseUrl, credential: key, allowKeyInPage: true })
const kept = resumable(stored?.token)
const input = { model: "sandbox", messages: [{ role: "user" as const, content: "Why do rivers bend?" }] }
const stream =
  stored === null
    ? client.chatCompletionsStream(input, { resumable: kept })
    : resumeStream(client.chatCompletionsStream, kept)

const shown = document.body.appendChild(document.createElement("output"))
let text = stored?.text ?? ""
shown.textContent = text
for await (const event of stream) {
  text += textOf(event)
  sessionStorage.setItem("answer", JSON.stringify({ token: kept.token(), text }))
  shown.textContent = text
}
const { cost } = await stream.response()
document.body.dataset.outcome = JSON.stringify({ text, cost })
