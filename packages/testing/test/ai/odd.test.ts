import { createTollgate, type TollgateProvider } from "@tollgate/ai"
import { codecs } from "@tollgate/protocols"
import type { Answer, AnswerEvent, Shape } from "@tollgate/protocols/Conversation"
import {
  generateImage,
  generateText,
  InvalidPromptError,
  isStepCount,
  jsonSchema,
  LoadAPIKeyError,
  type ModelMessage,
  NoImageGeneratedError,
  NoObjectGeneratedError,
  NoSuchModelError,
  Output,
  streamText,
  tool,
  UnsupportedFunctionalityError
} from "ai"
import { afterEach, describe, expect, it, vi } from "vitest"

// Answers that are legal and odd, and requests that are neither, over each protocol.

const prompt = "How deep is the river?"
const options = { created: 1, wantsUsage: true, isArray: false }

const apis = {
  chat: "chat",
  responses: "responses",
  messages: "messages",
  gemini: "generateContent"
} as const satisfies Record<string, Shape>
type Name = keyof typeof apis

const answer = (more: Partial<Answer>): Answer => ({
  id: "a",
  model: "m",
  parts: [],
  finish: "stop",
  reason: "stop",
  usage: { input: 3, output: 5 },
  ...more
})

const eventsOf = ({ finish, id, model, parts, reason, usage }: Answer): ReadonlyArray<AnswerEvent> => [
  { type: "start", id, model },
  ...parts.flatMap((part): ReadonlyArray<AnswerEvent> => {
    if (part.type === "call") {
      const { arguments: text, id, name } = part
      return [{ type: "open", part: "call", id, name }, { type: "more", text }, { type: "close" }]
    }
    return part.type === "text"
      ? [{ type: "open", part: "text" }, { type: "more", text: part.text }, { type: "close" }]
      : []
  }),
  { type: "usage", usage },
  { type: "finish", finish, reason },
  { type: "end" }
]

/** A server in a function. */
const serving = (respond: (isStream: boolean, init?: RequestInit) => Response) => {
  const sent: Array<string> = []
  const fetch = async (address: unknown, init?: RequestInit) => {
    init?.signal?.throwIfAborted()
    const { body } = init ?? {}
    const text = typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array)
    sent.push(text)
    return respond(String(address).includes("alt=sse") || text.includes('"stream":true'), init)
  }
  const tollgate = createTollgate({
    credential: "k",
    baseUrl: "http://gateway.invalid",
    bindings: { "images.generate": { path: "/v1/images/generations" } },
    fetch: fetch as typeof globalThis.fetch,
    retries: 0
  })
  return { sent, tollgate }
}

const answering = (name: Name, given: Answer) => {
  const codec = codecs[apis[name]]
  return serving((isStream) => {
    if (!isStream) return Response.json(codec.writeAnswer(given, options))
    const writer = codec.writer(options)
    const body = eventsOf(given).map(writer.next).join("")
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })
}

const refusing = (status: number, body: object) =>
  serving(() => Response.json(body, { status, headers: { "x-tollgate-outcome": "not executed" } }))

const failureOf = (run: () => PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(run()).then(
    () => undefined,
    (error: unknown) => error
  )

const call = (text: string) => ({ type: "call", id: "c", name: "depth", arguments: text }) as const

describe.each(Object.keys(apis) as ReadonlyArray<Name>)("over %s", (name) => {
  const modelOf = (tollgate: TollgateProvider) => tollgate[name]("m")
  let runs: Array<unknown> = []
  const depth = tool({
    inputSchema: jsonSchema<{ river: string }>({ type: "object", properties: { river: { type: "string" } } }),
    execute: async (input) => runs.push(input)
  })
  const both = async (tollgate: TollgateProvider) => {
    runs = []
    const asked = { model: modelOf(tollgate), prompt, tools: { depth }, stopWhen: isStepCount(1) }
    const whole = await generateText(asked)
    const stream = streamText({ ...asked, onError: () => {} })
    await stream.consumeStream()
    return { whole, stream }
  }

  it("an empty answer is an empty text", async () => {
    const { stream, whole } = await both(answering(name, answer({ usage: {} })).tollgate)
    expect([whole.text, await stream.text, whole.finishReason, await stream.finishReason]).toEqual([
      "",
      "",
      "stop",
      "stop"
    ])
  })

  it("an empty answer is no object", async () => {
    const { tollgate } = answering(name, answer({}))
    const output = Output.object({ schema: jsonSchema({ type: "object" }) })
    const asked = async () => (await generateText({ model: modelOf(tollgate), prompt, output })).output
    expect(NoObjectGeneratedError.isInstance(await failureOf(asked))).toBe(true)
  })

  it("an answer without usage has no tokens", async () => {
    const { tollgate } = serving(() => {
      const {
        usage: _,
        usageMetadata: __,
        ...rest
      } = codecs[apis[name]].writeAnswer(answer({ parts: [{ type: "text", text: "So." }] }), options)
      return Response.json(rest)
    })
    const { text, usage } = await generateText({ model: modelOf(tollgate), prompt })
    expect(text).toBe("So.")
    expect([usage.inputTokens, usage.outputTokens]).toEqual([undefined, undefined])
  })

  it("huge arguments of a tool arrive whole", async () => {
    const river = "x".repeat(2_000_000)
    const { tollgate } = answering(name, answer({ parts: [call(JSON.stringify({ river }))], finish: "calls" }))
    const { stream, whole } = await both(tollgate)
    expect([whole.finishReason, await stream.finishReason]).toEqual(["tool-calls", "tool-calls"])
    expect(runs).toEqual([{ river }, { river }])
  })

  it("arguments that are no JSON run nothing, and can be sent back", async () => {
    const broken = '{"river": '
    // Google's calls are objects, and Anthropic's whole ones.
    const given = answer({ parts: [call(broken)], finish: "calls" })
    const { sent, tollgate } = answering(name, given)
    const { whole } = await both(tollgate)
    if (name === "chat" || name === "responses") expect(runs).toEqual([])
    const messages: Array<ModelMessage> = [{ role: "user", content: prompt }, ...whole.responseMessages]
    await generateText({ model: modelOf(tollgate), messages, tools: { depth }, stopWhen: isStepCount(1) })
    expect(sent.at(-1)).toContain("river")
  })

  it("an aborted call is an abort before anything is sent", async () => {
    const { sent, tollgate } = answering(name, answer({}))
    const asked = { model: modelOf(tollgate), prompt, abortSignal: AbortSignal.abort() }
    expect(await failureOf(() => generateText(asked))).toMatchObject({ name: "AbortError" })
    const types: Array<string> = []
    for await (const { type } of streamText({ ...asked, onError: () => {} }).fullStream) types.push(type)
    expect(types).toContain("abort")
    expect(sent).toEqual([])
  })

  it("a model that the gateway does not have is no such model", async () => {
    const { sent, tollgate } = refusing(404, { error: { code: "model_not_found", message: "no m" } })
    const error = await failureOf(() => generateText({ model: modelOf(tollgate), prompt }))
    expect(NoSuchModelError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ modelId: "m", modelType: "languageModel", data: { code: "model_not_found" } })
    expect(sent).toHaveLength(1)
  })

  it("a file by the id of another provider is not supported, and not sent", async () => {
    const { sent, tollgate } = answering(name, answer({}))
    const data = { type: "reference", reference: { openai: "f" } } as const
    const messages = [{ role: "user" as const, content: [{ type: "file" as const, mediaType: "image/png", data }] }]
    const error = await failureOf(() => generateText({ model: modelOf(tollgate), messages }))
    expect(UnsupportedFunctionalityError.isInstance(error)).toBe(true)
    expect(sent).toEqual([])
  })

  it("a missing credential is that of `ai`", async () => {
    const tollgate = createTollgate({
      baseUrl: "http://gateway.invalid",
      credential: () => Promise.reject(new Error("none"))
    } as never)
    const error = await failureOf(() => generateText({ model: modelOf(tollgate), prompt }))
    expect(LoadAPIKeyError.isInstance(error)).toBe(true)
  })
})

it("a result of a tool without its call is an invalid prompt over gemini, and not sent", async () => {
  const { sent, tollgate } = answering("gemini", answer({}))
  const { doGenerate } = tollgate.gemini("m")
  const output = { type: "text", value: "3" } as const
  const result = { type: "tool-result", toolCallId: "c", toolName: "depth", output } as const
  const error = await failureOf(() => doGenerate({ prompt: [{ role: "tool", content: [result] }] }))
  expect(InvalidPromptError.isInstance(error)).toBe(true)
  expect(sent).toEqual([])
})

describe("images", () => {
  afterEach(() => void vi.unstubAllGlobals())

  it("an answer without images was paid, and is not repeated", async () => {
    const { sent, tollgate } = serving(() => Response.json({ data: [] }))
    const error = await failureOf(() => generateImage({ model: tollgate.imageModel("m"), prompt }))
    expect(NoImageGeneratedError.isInstance(error)).toBe(true)
    expect(sent).toHaveLength(1)
  })

  it("an image by its address is loaded without the credential", async () => {
    const loaded: Array<unknown> = []
    vi.stubGlobal("fetch", async (...given: ReadonlyArray<unknown>) => {
      loaded.push(given)
      return new Response(new Uint8Array([137, 80, 78, 71]))
    })
    const { sent, tollgate } = serving(() => Response.json({ data: [{ url: "https://images.invalid/1" }] }))
    const { image } = await generateImage({ model: tollgate.imageModel("dall-e-3"), prompt })
    expect(image.uint8Array).toEqual(new Uint8Array([137, 80, 78, 71]))
    expect(loaded).toEqual([["https://images.invalid/1", {}]])
    expect(JSON.parse(sent[0] ?? "")).toEqual({ model: "dall-e-3", prompt, n: 1, response_format: "b64_json" })
    vi.stubGlobal("fetch", async () => new Response("", { status: 404 }))
    const error = await failureOf(() => generateImage({ model: tollgate.imageModel("m"), prompt }))
    expect(error).toMatchObject({ isRetryable: false, data: { idempotencyKey: expect.any(String) } })
    expect(sent).toHaveLength(2)
  })
})
