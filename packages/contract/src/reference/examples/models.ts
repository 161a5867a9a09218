import { chatCompletions } from "../../operations/chatCompletions.ts"
import { countTokens } from "../../operations/countTokens.ts"
import { deepResearch } from "../../operations/deepResearch.ts"
import { embeddings } from "../../operations/embeddings.ts"
import { generateContent } from "../../operations/generateContent.ts"
import { imageGenerate } from "../../operations/imageGenerate.ts"
import { messages } from "../../operations/messages.ts"
import { modelGet } from "../../operations/modelGet.ts"
import { modelList } from "../../operations/modelList.ts"
import { modelListGemini } from "../../operations/modelListGemini.ts"
import { responses } from "../../operations/responses.ts"
import { streamGenerateContent } from "../../operations/streamGenerateContent.ts"
import type { Examples } from "../Example.ts"
import { taskGet } from "../../operations/taskGet.ts"
import { videoCreate } from "../../operations/videoCreate.ts"

const events = "text/event-stream"
const streamed = { title: "As a stream", contentType: events }

const model = "sandbox"
const question = "Why do rivers bend?"
const conversation = { model, max_tokens: 64, messages: [{ role: "user", content: question }] }
const item = { model, max_output_tokens: 64, input: question }
const contents = {
  contents: [{ role: "user", parts: [{ text: question }] }],
  generationConfig: { maxOutputTokens: 64 }
}

const anthropic = { "anthropic-version": "2023-06-01" }

export const models: Examples = {
  [chatCompletions.id]: [{ body: conversation }, { ...streamed, body: { ...conversation, stream: true } }],
  [responses.id]: [{ body: item }, { ...streamed, body: { ...item, stream: true } }],
  [messages.id]: [
    { headers: anthropic, body: conversation },
    { ...streamed, headers: anthropic, body: { ...conversation, stream: true } }
  ],
  [countTokens.id]: [{ headers: anthropic, body: { model, messages: conversation.messages } }],
  [embeddings.id]: [{ body: { model, input: [question, "How does a river change its course?"], dimensions: 64 } }],
  [generateContent.id]: [{ path: { model }, body: contents }],
  [streamGenerateContent.id]: [
    { title: "As events", path: { model }, query: { alt: "sse" }, body: contents, contentType: events },
    { title: "As one array", path: { model }, body: contents, untyped: true }
  ],
  [deepResearch.id]: [{ body: conversation }, { ...streamed, body: { ...conversation, stream: true } }],
  [imageGenerate.id]: [{ body: { model, prompt: "A river at dawn", n: 1 } }],
  [modelList.id]: [{}, { title: "In the Anthropic format", headers: anthropic, untyped: true }],
  [modelGet.id]: [
    { path: { id: model } },
    { title: "In the Anthropic format", headers: anthropic, path: { id: model }, untyped: true }
  ],
  [modelListGemini.id]: [{ query: { pageSize: "10" } }],
  [videoCreate.id]: [{ body: { model: "sandbox-video", input: { prompt: "A river at dawn" } } }],
  [taskGet.id]: [
    {
      note: "The first call starts a task. Repeat the second every three to five seconds.",
      variables: [
        {
          name: "task_id",
          source: { answerTo: videoCreate.id, read: "output.task_id" },
          sample: "task_0f8b2c4d6e8f0a1b2c3d4e5f60718293"
        }
      ],
      path: { task_id: "$task_id" }
    }
  ]
}
