import { conversationCreate } from "../operations/conversationCreate.ts"
import { linkStart } from "../operations/linkStart.ts"
import { byId, type OperationName } from "../operations.ts"
import type { Example, Examples, Variable } from "./Example.ts"
import { contractVersion } from "../operations/contractVersion.ts"
import { responses } from "../operations/responses.ts"
import { tagDetail } from "../operations/tagDetail.ts"
import { videoCreate } from "../operations/videoCreate.ts"
import * as Schema from "effect/Schema"
import type { Operation } from "../Operation.ts"
import { sample } from "./sample.ts"

type ByName = Readonly<Partial<Record<OperationName, Examples[string]>>>

const account: ByName = {
  usage: [
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
  linkStart: [{ body: { scopes: ["follows.write", "users.read"] } }],
  linkCallback: [
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

const contracts: ByName = {
  contractVersion: [{}],
  contractSource: [
    { title: "The whole contract", variables: [hash], query: { hash: "$hash", bundled: "1" } },
    { title: "One operation", variables: [hash], query: { hash: "$hash", operation_id: "rerank" } }
  ],
  salesData: [{ note: "Answers 503 with `freshness: unavailable` until there is a verified snapshot.", status: 503 }]
}

const ranking = {
  query: "Which river is longest?",
  documents: ["Mount Everest is the highest mountain.", "The Nile is the longest river in Africa."],
  top_n: 1
}

const data: ByName = {
  follow: [{ note: "First link an account to the key, as above.", body: { target_user_id: "12" } }],
  postComments: [{ query: { url: "https://photos.example/p/river" } }],
  creatorInsights: [{ query: { keyword: "rivers", offset: "0", page_size: "5" } }],
  wordSuggestions: [{ query: { search_word: "canoe", language: "en", region: "US" } }],
  tagDetail: [{ query: { tag_name: "rivers" } }],
  userStories: [{ query: { username: "ada" } }],
  cachedAnswer: [
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
  financialSnapshot: [{ query: { ticker: "ACME" } }],
  tweetQuotes: [{ query: { tweetId: "1700000000000000000" } }],
  trafficEngagement: [{ query: { domain: "example.com" } }],
  rerank: [{ body: ranking }],
  rerankV2: [{ body: { model: "rerank", ...ranking } }]
}

const events = "text/event-stream"
const streamed = { title: "As a stream", contentType: events }

const model = "sandbox"
const question = "Why do rivers bend?"
const conversation = { model, max_tokens: 256, messages: [{ role: "user", content: question }] }
/** The smallest PNG. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
const prompt = { model, max_tokens: 32, prompt: "Rivers bend because" }
const item = { model, max_output_tokens: 256, input: question }
const contents = {
  contents: [{ role: "user", parts: [{ text: question }] }],
  generationConfig: { maxOutputTokens: 256 }
}

const anthropic = { "anthropic-version": "2023-06-01" }

const response: Variable = {
  name: "response",
  source: { answerTo: responses.id, read: "id" },
  sample: "resp_0f8b2c4d6e8f0a1b2c3d4e5f60718293"
}

const talk: Variable = {
  name: "conversation",
  source: { answerTo: conversationCreate.id, read: "id" },
  sample: "conv_0f8b2c4d6e8f0a1b2c3d4e5f60718293"
}
const said = [{ id: "msg_rivers", role: "user", content: question }]
const ofTalk = { variables: [talk], path: { id: "$conversation" } }
const ofItem = { variables: [talk], path: { id: "$conversation", item: "msg_rivers" } }

const models: ByName = {
  chatCompletions: [{ body: conversation }, { ...streamed, body: { ...conversation, stream: true } }],
  responses: [{ body: item }, { ...streamed, body: { ...item, stream: true } }],
  responseGet: [{ variables: [response], path: { id: "$response" } }],
  responseInputItems: [{ variables: [response], path: { id: "$response" }, query: { order: "asc" } }],
  conversationCreate: [{ body: { items: said, metadata: { topic: "rivers" } } }],
  conversationGet: [ofTalk],
  conversationUpdate: [{ ...ofTalk, body: { metadata: { topic: "bends" } } }],
  conversationItems: [{ ...ofTalk, query: { order: "asc" } }],
  conversationItemsAdd: [{ ...ofTalk, body: { items: said } }],
  conversationItemGet: [ofItem],
  conversationItemDelete: [ofItem],
  conversationDelete: [ofTalk],
  responseDelete: [{ variables: [response], path: { id: "$response" } }],
  messages: [
    { headers: anthropic, body: conversation },
    { ...streamed, headers: anthropic, body: { ...conversation, stream: true } }
  ],
  countTokens: [{ headers: anthropic, body: { model, messages: conversation.messages } }],
  embeddings: [{ body: { model, input: [question, "How does a river change its course?"], dimensions: 64 } }],
  generateContent: [{ path: { model }, body: contents }],
  streamGenerateContent: [
    { title: "As events", path: { model }, query: { alt: "sse" }, body: contents, contentType: events },
    { title: "As one array", path: { model }, body: contents, untyped: true }
  ],
  completions: [{ body: prompt }, { ...streamed, body: { ...prompt, stream: true } }],
  responsesInputTokens: [{ body: { model, input: question } }],
  moderations: [{ body: { model, input: question } }],
  imageEdit: [
    {
      body: {
        model,
        prompt: "The same at dawn",
        image: { base64: pixel, content_type: "image/png", filename: "river.png" }
      }
    }
  ],
  transcription: [
    { body: { model, file: { base64: "UklGRiQAAABXQVZFZm10IA==", content_type: "audio/wav", filename: "river.wav" } } }
  ],
  speech: [{ body: { model, voice: "alloy", input: question } }],
  countTokensGemini: [{ path: { model }, body: { contents: contents.contents } }],
  embedContent: [{ path: { model }, body: { content: { parts: [{ text: question }] }, outputDimensionality: 64 } }],
  batchEmbedContents: [
    { path: { model }, body: { requests: [{ content: { parts: [{ text: question }] }, outputDimensionality: 64 }] } }
  ],
  modelGetGemini: [{ path: { model } }],
  deepResearch: [{ body: conversation }, { ...streamed, body: { ...conversation, stream: true } }],
  imageGenerate: [{ body: { model, prompt: "A river at dawn", n: 1 } }],
  modelList: [{}, { title: "In the Anthropic format", headers: anthropic, untyped: true }],
  modelGet: [
    { path: { id: model } },
    { title: "In the Anthropic format", headers: anthropic, path: { id: model }, untyped: true }
  ],
  modelListGemini: [{ query: { pageSize: "10" } }],
  videoCreate: [{ body: { model: "sandbox-video", input: { prompt: "A river at dawn" } } }],
  taskGet: [
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
export const written: Examples = byId({ ...account, ...models, ...data, ...contracts })

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
