import {
  BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand
} from "@aws-sdk/client-bedrock-runtime"
import { eventFrame, exceptionFrame } from "@tollgate/testing/cloud/frames"
import { signatureProblem } from "@tollgate/testing/cloud/standIns"
import { upstreamCodecs } from "@tollgate/protocols/codecs"
import type { Conversation } from "@tollgate/protocols/Conversation"
import { stringify } from "@tollgate/protocols/exact"
import { Lost } from "@tollgate/protocols/losses"
import type { Received } from "@tollgate/testing/upstream"
import { Readable } from "node:stream"
import { describe, expect, it } from "vitest"

// A second opinion on Converse: what AWS's own client sends and reads.

const account = { AccessKeyId: "AKIDSDK", SecretAccessKey: "the/Secret+Key", SessionToken: "a-session-token/+=" }
const { converse } = upstreamCodecs

interface Sent extends Pick<Received, "headers" | "method"> {
  readonly body: Uint8Array
  readonly path: string
}

let answer: { readonly type: string; readonly body: Buffer }
let received: Received

const client = new BedrockRuntimeClient({
  region: "eu-west-1",
  endpoint: "http://bedrock.test:8080",
  credentials: {
    accessKeyId: account.AccessKeyId,
    secretAccessKey: account.SecretAccessKey,
    sessionToken: account.SessionToken
  },
  maxAttempts: 1,
  requestHandler: {
    handle: ({ body, headers, method, path }: Sent) => {
      received = { body: Buffer.from(body).toString(), headers, method, url: path, raw: "" }
      const head = { statusCode: 200, headers: { "content-type": answer.type } }
      return Promise.resolve({ response: { ...head, body: Readable.from([answer.body]) } })
    }
  }
})

const modelId = "eu.amazon.nova-2-lite-v1:0"
const png = Buffer.from("iVBORw0KGgo=", "base64")
const pdf = Buffer.from("JVBERi0=", "base64")
const picture = { image: { format: "png", source: { bytes: png } } } as const

const input: ConverseCommandInput = {
  modelId,
  system: [{ text: "Be short." }, { cachePoint: { type: "default", ttl: "1h" } }],
  messages: [
    {
      role: "user",
      content: [
        { text: "Why?" },
        picture,
        { document: { name: "a-pdf 1", format: "pdf", source: { bytes: pdf } } },
        { document: { name: "b 2", format: "txt", source: { text: "Words" } } }
      ]
    },
    {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "Hm", signature: "c2ln" } } },
        { reasoningContent: { redactedContent: Buffer.from("red") } },
        { toolUse: { toolUseId: "a", name: "look", input: { at: 1 } } },
        { toolUse: { toolUseId: "b", name: "look", input: {} } }
      ]
    },
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: "a", content: [{ text: "here" }, picture] } },
        { toolResult: { toolUseId: "b", content: [{ text: "no" }], status: "error" } }
      ]
    }
  ],
  inferenceConfig: { maxTokens: 300, temperature: 0.5, topP: 0.9, stopSequences: ["END"] },
  additionalModelRequestFields: { top_k: 40 },
  serviceTier: { type: "priority" },
  toolConfig: {
    tools: [
      { toolSpec: { name: "look", description: "Looks.", inputSchema: { json: { type: "object" } }, strict: true } }
    ],
    toolChoice: { tool: { name: "look" } }
  },
  outputConfig: {
    effort: "low",
    textFormat: { type: "json_schema", structure: { jsonSchema: { name: "n", schema: '{"type":"object"}' } } }
  }
}

const usage = {
  inputTokens: 1,
  outputTokens: 2,
  totalTokens: 12,
  cacheReadInputTokens: 4,
  cacheWriteInputTokens: 5,
  cacheDetails: [{ ttl: "1h", inputTokens: 5 }]
}
const thought = [
  { reasoningContent: { reasoningText: { text: "Hm", signature: "c2ln" } } },
  { reasoningContent: { redactedContent: "cmVk" } }
]
const whole = {
  metrics: { latencyMs: 1 },
  output: { message: { role: "assistant", content: [...thought, { text: "Hi" }] } },
  stopReason: "end_turn",
  usage
}

const text = (text: string) => ({ type: "text", text }) as const
const file = (mediaType: string, data: Buffer, name?: string) =>
  ({ type: "file", mediaType, source: { base64: data.toString("base64") }, name }) as const

const conversation: Conversation = {
  model: "nova",
  isStream: false,
  own: [],
  system: [{ ...text("Be short."), cache: { type: "ephemeral", ttl: "1h" } }],
  messages: [
    {
      role: "user",
      parts: [
        text("Why?"),
        file("image/png", png),
        file("application/pdf", pdf, "a.pdf"),
        { type: "file", mediaType: "text/plain", source: { text: "Words" }, name: "b" }
      ]
    },
    {
      role: "assistant",
      parts: [
        ...converse.readAnswer({ output: { message: { content: thought } } }).parts,
        { type: "call", id: "a", name: "look", arguments: '{"at":1}' },
        { type: "call", id: "b", name: "look", arguments: "" }
      ]
    },
    {
      role: "user",
      parts: [
        { type: "result", id: "a", parts: [text("here"), file("image/png", png)] },
        { type: "result", id: "b", parts: [text("no")], isError: true }
      ]
    }
  ],
  limit: 300,
  temperature: 0.5,
  topP: 0.9,
  topK: 40,
  stop: ["END"],
  tier: "priority",
  tools: [{ name: "look", description: "Looks.", strict: true }],
  toolChoice: { name: "look" },
  format: { type: "schema", name: "n", schema: { type: "object" } },
  reasoning: { effort: "low" }
}

describe("AWS's client for Bedrock", () => {
  it("sends the body that the codec writes, to the same path, signed as the stand-in wants it", async () => {
    answer = { type: "application/json", body: Buffer.from(JSON.stringify(whole)) }
    const read = await client.send(new ConverseCommand(input))
    const lost = new Lost()
    const body = converse.writeRequest(conversation, lost, { limit: 1, model: modelId })
    expect([...lost.names]).toEqual([])
    expect(JSON.parse(stringify(body))).toEqual(JSON.parse(received.body))
    expect(received.url).toBe(`/model/${encodeURIComponent(modelId)}/converse`)
    expect(signatureProblem(received, account, "eu-west-1", Date.now())).toBeUndefined()
    expect([read.usage, read.stopReason]).toEqual([usage, "end_turn"])
  })

  it("reads the frames that the tests send", async () => {
    const events = [
      { messageStart: { role: "assistant" } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: "H" } } } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { signature: "c2ln" } } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { contentBlockStart: { contentBlockIndex: 1, start: { toolUse: { toolUseId: "a", name: "look" } } } },
      { contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input: '{"at":1}' } } } },
      { contentBlockStop: { contentBlockIndex: 1 } },
      { messageStop: { stopReason: "tool_use" } },
      { metadata: { usage, metrics: { latencyMs: 3 }, serviceTier: { type: "priority" } } }
    ]
    const frames = events.flatMap((event) => Object.entries(event).map(([name, payload]) => eventFrame(name, payload)))
    answer = { type: "application/vnd.amazon.eventstream", body: Buffer.concat(frames) }
    const { stream = [] } = await client.send(new ConverseStreamCommand(input))
    const seen: Array<unknown> = []
    for await (const event of stream) seen.push(event)
    expect(JSON.parse(JSON.stringify(seen))).toEqual(events)
    expect(received.url).toBe(`/model/${encodeURIComponent(modelId)}/converse-stream`)
  })

  it("throws what an exception in a stream says", async () => {
    const frames = [
      eventFrame("messageStart", { role: "assistant" }),
      exceptionFrame("internalServerException", "Gone.")
    ]
    answer = { type: "application/vnd.amazon.eventstream", body: Buffer.concat(frames) }
    const { stream = [] } = await client.send(new ConverseStreamCommand(input))
    const all = async () => {
      for await (const _ of stream);
    }
    await expect(all()).rejects.toMatchObject({ name: "InternalServerException", message: "Gone." })
  })
})
