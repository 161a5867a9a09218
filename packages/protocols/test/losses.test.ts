import { describe, expect, it } from "vitest"
import type { UpstreamCodec } from "../src/Codec.ts"
import type { AnswerPart, Conversation, FilePart, Message, Sealed, Settings, UserPart } from "../src/Conversation.ts"
import { losses, type LossName, Lost } from "../src/losses.ts"
import { converse } from "../src/converse/index.ts"
import { codecs } from "./codecs.ts"

const hello: Message = { role: "user", parts: [{ type: "text", text: "Hello" }] }

const plain: Conversation = { model: "m", system: [], messages: [hello], isStream: false, own: [] }

const saying = (...parts: ReadonlyArray<UserPart>): Conversation => ({
  ...plain,
  messages: [{ role: "user", parts }]
})

const setting = (settings: Settings): Conversation => ({ ...plain, ...settings })

const file = (mediaType: string, source: FilePart["source"]): FilePart => ({ type: "file", mediaType, source })

const tool = { name: "look", parameters: { type: "object", properties: {} } }

const makers = ["openai", "anthropic", "google", "amazon"] as const

const sealed = (by: Sealed["by"]): Sealed => ({ by, data: "c2lnbmVk" })

const call: AnswerPart = { type: "call", id: "call_0", name: "look", arguments: "{}" }

const answered = (parts: ReadonlyArray<AnswerPart>, result: UserPart): Conversation => ({
  ...plain,
  tools: [tool],
  messages: [hello, { role: "assistant", parts }, { role: "user", parts: [result] }]
})

const result: UserPart = { type: "result", id: "call_0", parts: [{ type: "text", text: "42" }] }

/** A conversation with each feature that some protocol has no words for. */
const samples: Readonly<Record<LossName, Conversation>> = {
  limit: setting({ limit: 100 }),
  temperature: setting({ temperature: 0.5 }),
  hotTemperature: setting({ temperature: 1.5 }),
  reasoningTemperature: { ...setting({ temperature: 0.5 }), reasoning: { effort: "low" } },
  topP: setting({ topP: 0.5 }),
  topK: setting({ topK: 40 }),
  frequencyPenalty: setting({ frequencyPenalty: 0.5 }),
  presencePenalty: setting({ presencePenalty: 0.5 }),
  seed: setting({ seed: 7 }),
  verbosity: setting({ verbosity: "low" }),
  tier: setting({ tier: "flex" }),
  stop: { ...plain, stop: ["END"] },
  oneTool: { ...plain, tools: [tool], isParallel: false },
  jsonFormat: { ...plain, format: { type: "json" } },
  systemLater: { ...plain, messages: [hello, { role: "system", parts: [{ type: "text", text: "Be short." }] }, hello] },
  prefill: { ...plain, messages: [hello, { role: "assistant", parts: [{ type: "text", text: "{" }] }] },
  fileById: saying(...makers.map((by) => file("application/pdf", { id: "file-1", by }))),
  fileByUrl: saying(file("application/pdf", { url: "https://example.com/a.pdf" })),
  audio: saying(file("audio/wav", { base64: "UklGRg==" })),
  video: saying(file("video/mp4", { base64: "AAAA" })),
  fileInResult: answered([call], {
    type: "result",
    id: "call_0",
    parts: [file("image/png", { base64: "iVBORw==" })]
  }),
  sealed: answered(
    [...makers.map((by): AnswerPart => ({ type: "reasoning", text: "Hm", sealed: sealed(by) })), call],
    result
  ),
  own: { ...plain, own: ["safety_settings"] },
  cache: {
    ...plain,
    messages: [{ role: "user", parts: [{ type: "text", text: "Hi", cache: { type: "ephemeral" } }] }]
  },
  noReasoning: { ...plain, reasoning: { isOff: true } },
  resultError: answered([call], { ...result, isError: true }),
  strict: { ...plain, tools: [{ ...tool, strict: true }] },
  user: setting({ user: "u-1" }),
  metadata: setting({ metadata: { team: "blue" } }),
  cacheKey: setting({ cacheKey: "k" }),
  safetyIdentifier: setting({ safetyIdentifier: "s" })
}

it("is no stop sequence if there is an empty list of them", () => {
  const said = { model: "m", stop: [], stop_sequences: [], generationConfig: { stopSequences: [] } }
  for (const codec of codecs) {
    const read = codec.readRequest({ ...said, messages: [], input: [], contents: [] })
    expect(read, codec.shape).not.toHaveProperty("stop")
  }
})

const upstreams: ReadonlyArray<UpstreamCodec> = [...codecs, converse]

const lostBy = (codec: UpstreamCodec, conversation: Conversation): ReadonlyArray<string> => {
  const lost = new Lost()
  codec.writeRequest(conversation, lost, { limit: 1_000 })
  return [...lost.names]
}

describe.each(upstreams)("$shape", (codec) => {
  it.each(Object.keys(losses) as ReadonlyArray<LossName>)("says whether it has words for %s", (name) => {
    expect(lostBy(codec, samples[name]).filter((each) => each === name)).toEqual(codec.cannot.has(name) ? [name] : [])
  })

  it("loses nothing of what it has words for", () => {
    const able = (Object.keys(losses) as ReadonlyArray<LossName>).filter((name) => !codec.cannot.has(name))
    expect(Object.fromEntries(able.map((name) => [name, lostBy(codec, samples[name])]))).toEqual(
      Object.fromEntries(able.map((name) => [name, []]))
    )
  })

  it("loses nothing of a plain conversation", () => {
    expect(lostBy(codec, plain)).toEqual([])
  })

  it("keeps the signatures of one maker at most", () => {
    const kept = makers.filter((by) => {
      const parts: ReadonlyArray<AnswerPart> = [{ type: "reasoning", text: "Hm", sealed: sealed(by) }, call]
      return lostBy(codec, answered(parts, result)).length === 0
    })
    expect(kept.length).toBeLessThanOrEqual(1)
  })
})
