import { linkCallback } from "../operations/linkCallback.ts"
import { linkStart } from "../operations/linkStart.ts"
import { usage } from "../operations/usage.ts"
import type { Example, Examples, Variable } from "./Example.ts"
import { contractSource } from "../operations/contractSource.ts"
import { contractVersion } from "../operations/contractVersion.ts"
import { salesData } from "../operations/salesData.ts"
import { cachedAnswer } from "../operations/cachedAnswer.ts"
import { creatorInsights } from "../operations/creatorInsights.ts"
import { financialSnapshot } from "../operations/financialSnapshot.ts"
import { follow } from "../operations/follow.ts"
import { postComments } from "../operations/postComments.ts"
import { rerank } from "../operations/rerank.ts"
import { rerankV2 } from "../operations/rerankV2.ts"
import { tagDetail } from "../operations/tagDetail.ts"
import { trafficEngagement } from "../operations/trafficEngagement.ts"
import { tweetQuotes } from "../operations/tweetQuotes.ts"
import { userStories } from "../operations/userStories.ts"
import { wordSuggestions } from "../operations/wordSuggestions.ts"
import { chatCompletions } from "../operations/chatCompletions.ts"
import { countTokens } from "../operations/countTokens.ts"
import { deepResearch } from "../operations/deepResearch.ts"
import { embeddings } from "../operations/embeddings.ts"
import { generateContent } from "../operations/generateContent.ts"
import { imageGenerate } from "../operations/imageGenerate.ts"
import { messages } from "../operations/messages.ts"
import { modelGet } from "../operations/modelGet.ts"
import { modelList } from "../operations/modelList.ts"
import { modelListGemini } from "../operations/modelListGemini.ts"
import { responses } from "../operations/responses.ts"
import { streamGenerateContent } from "../operations/streamGenerateContent.ts"
import { taskGet } from "../operations/taskGet.ts"
import { videoCreate } from "../operations/videoCreate.ts"
import * as Schema from "effect/Schema"
import type { Operation } from "../Operation.ts"
import { sample } from "./sample.ts"

const account: Examples = {
  [usage.id]: [
    {
      title: "Since yesterday",
      variables: [
        {
          name: "start_time",
          source: { shell: "$(($(date +%s) - 86400))", typescript: "Math.floor(Date.now() / 1000) - 86_400" },
          sample: "1767225600"
        }
      ],
      query: { start_time: "$start_time" }
    },
    { title: "A window that is over", query: { start_time: "1767225600", end_time: "1769904000" } }
  ],
  [linkStart.id]: [{ body: { scopes: ["follows.write", "users.read"] } }],
  [linkCallback.id]: [
    {
      note: "The user's browser makes this call. Here a second curl takes its place, which the sandbox allows.",
      variables: [
        {
          name: "auth_url",
          source: { answerTo: linkStart.id, read: "auth_url" },
          sample: "http://127.0.0.1:8787/platform/authorize?state=1"
        },
        {
          name: "callback",
          source: { shell: `$(curl -s -o /dev/null -w '%{redirect_url}' "$auth_url&decision=approve")` },
          sample: "http://127.0.0.1:8787/callback"
        }
      ],
      address: "$callback",
      query: { state: "the state of the platform's redirect", code: "the code of the platform's redirect" }
    }
  ]
}

const hash: Variable = {
  name: "hash",
  source: { answerTo: contractVersion.id, read: "contentHash" },
  // Each contract has its own, so no value is right for long.
  sample: "the contentHash of contracts.version"
}

const contracts: Examples = {
  [contractVersion.id]: [{}],
  [contractSource.id]: [
    { title: "The whole contract", variables: [hash], query: { hash: "$hash", bundled: "1" } },
    { title: "One operation", variables: [hash], query: { hash: "$hash", operation_id: "rerank" } }
  ],
  [salesData.id]: [
    { note: "Answers 503 with `freshness: unavailable` until there is a verified snapshot.", status: 503 }
  ]
}

const ranking = {
  query: "Which river is longest?",
  documents: ["Mount Everest is the highest mountain.", "The Nile is the longest river in Africa."],
  top_n: 1
}

const data: Examples = {
  [follow.id]: [{ note: "First link an account to the key, as above.", body: { target_user_id: "12" } }],
  [postComments.id]: [{ query: { url: "https://photos.example/p/river" } }],
  [creatorInsights.id]: [{ query: { keyword: "rivers", offset: "0", page_size: "5" } }],
  [wordSuggestions.id]: [{ query: { search_word: "canoe", language: "en", region: "US" } }],
  [tagDetail.id]: [{ query: { tag_name: "rivers" } }],
  [userStories.id]: [{ query: { username: "ada" } }],
  [cachedAnswer.id]: [
    {
      note: "A paid answer of the four operations above has the address in its `cache_url`.",
      variables: [
        {
          name: "id",
          source: { answerTo: tagDetail.id, read: 'cache_url?.split("/").at(-1) ?? ""' },
          sample: "0f8b2c4d6e8f0a1b2c3d4e5f60718293"
        }
      ],
      path: { id: "$id" }
    }
  ],
  [financialSnapshot.id]: [{ query: { ticker: "ACME" } }],
  [tweetQuotes.id]: [{ query: { tweetId: "1700000000000000000" } }],
  [trafficEngagement.id]: [{ query: { domain: "example.com" } }],
  [rerank.id]: [{ body: ranking }],
  [rerankV2.id]: [{ body: { model: "rerank", ...ranking } }]
}

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

const models: Examples = {
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

/** Examples written by hand, with values that mean something to a reader. */
export const written: Examples = { ...account, ...models, ...data, ...contracts }

/** Parameters of an address are text, whatever they are decoded to. */
const sampledText = (schema: Schema.Constraint): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(sample(Schema.toType(schema)) as object).map(([name, value]) => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value)
    ])
  )

/** Made from the request's schemas. */
const sampled = ({ request: { body, header, path, query } }: Operation): Example => ({
  ...(path === undefined ? {} : { path: sampledText(path) }),
  ...(query === undefined ? {} : { query: sampledText(query) }),
  ...(header === undefined ? {} : { header: sampledText(header) }),
  ...(body === undefined ? {} : { body: sample(body) })
})

/** Those that are written for an operation. An operator's own id may be a name that every object has. */
export const writtenFor = (id: string): ReadonlyArray<Example> =>
  (Object.hasOwn(written, id) ? written[id] : undefined) ?? []

/** Requests to try an operation with: those that are written for it, or else one made from its description. */
export const examplesOf = (operation: Operation): readonly [Example, ...ReadonlyArray<Example>] =>
  (Object.hasOwn(written, operation.id) ? written[operation.id] : undefined) ?? [sampled(operation)]
