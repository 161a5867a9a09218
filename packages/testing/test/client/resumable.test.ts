import { describe, expect, it } from "@effect/vitest"
import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { chatCompletionsStream, generateContentStream, messagesStream, responsesStream, textOf } from "@tollgate/client"
import { observe } from "@tollgate/client/observe"
import { resumable, resumeStream, type ResumeToken } from "@tollgate/client/resumable"
import { createClient, NodeClient } from "@tollgate/node/effect"
import { Host, key, TestGateway } from "@tollgate/testing"
import { after, type Cut, cutting } from "@tollgate/testing/client/cutting"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const messages = [{ role: "user", content: "Why do rivers bend?" }] as const
const input = { model: "sandbox", messages }

const onGateway = Effect.provide(
  Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))
)

const settled = Effect.gen(function* () {
  while ((yield* calls).some(({ state }) => state === "open")) yield* Effect.sleep("5 millis")
  return yield* calls
})

const streams = {
  openai: chatCompletionsStream(input, { resumable: resumable() }),
  responses: responsesStream({ model: "sandbox", input: "Why do rivers bend?" }, { resumable: resumable() }),
  anthropic: messagesStream({ ...input, max_tokens: 50 }, { resumable: resumable() }),
  gemini: generateContentStream(
    { path: { model: "sandbox" }, body: { contents: [{ role: "user", parts: [{ text: "Why do rivers bend?" }] }] } },
    { resumable: resumable() }
  )
}

/** What differs between two answers to the same question. */
const shape = (events: ReadonlyArray<unknown>) =>
  JSON.stringify(events).replaceAll(/"(id|item_id|responseId|created|created_at)":("[^"]*"|\d+)/g, '"$1":0')

describe("a proxy cuts a stream that can be resumed", () => {
  for (const [name, stream] of Object.entries(streams)) {
    it.live.each([
      ["after each event", after(1)],
      ["in the middle of each event", after(1, 9)],
      ["before its first event", (() => 0) as Cut],
      ["after its head, and then after two", undefined]
    ] as const)(`${name}, %s: each event is read once, and it is paid once`, ([, cut]) =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Host
        const read = (baseUrl: string) =>
          Stream.runCollect(stream as typeof streams.openai).pipe(
            Effect.provide(NodeClient.layer({ credential: key, baseUrl, pace: false }))
          )
        const uncut = yield* read(baseUrl)
        const isOnce = cut !== undefined && cut("") === 0
        const proxy = yield* cutting(baseUrl, (nth) =>
          cut === undefined ? (nth === 0 ? () => 0 : after(2)) : isOnce && nth > 0 ? undefined : cut
        )
        expect(shape(yield* read(proxy.baseUrl))).toBe(shape(uncut))
        expect(proxy.seen.length).toBeGreaterThan(1)
        const [first, second, ...others] = yield* settled
        expect(others).toEqual([])
        expect([second?.state, second?.cost_state, second?.charged]).toEqual(["settled", "settled", first?.charged])
      }).pipe(onGateway, Effect.scoped)
    )
  }

  it.live("a promise client goes on, and tells the charge once", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* cutting((yield* Host).baseUrl, () => after(1, 3))
      const client = createClient({ credential: key, baseUrl })
      const charges: Array<number | undefined> = []
      const stream = client.chatCompletionsStream(input, {
        resumable: resumable(),
        onCharge: ({ micros }) => void charges.push(micros)
      })
      expect(yield* Effect.promise(() => stream.text())).not.toBe("")
      const { cost, requestId } = yield* Effect.promise(() => stream.response())
      const [call, ...others] = yield* settled
      expect(others).toEqual([])
      expect(charges).toEqual([call?.charged])
      expect(cost).toMatchObject({ state: "settled", micros: call?.charged })
      expect(requestId).toBe(call?.id)
      yield* Effect.promise(() => client.close())
    }).pipe(onGateway, Effect.scoped)
  )
})

describe("a token", () => {
  it.live("goes on in another program after any event, as plain data without the credential", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const client = createClient({ credential: key, baseUrl })
      const tokens: Array<string> = []
      const texts: Array<string> = []
      const ids: Array<string | undefined> = []
      const kept = resumable()
      expect(kept.token()).toBe(undefined)
      yield* Effect.promise(async () => {
        for await (const event of client.chatCompletionsStream(input, { resumable: kept })) {
          texts.push(textOf(event))
          tokens.push(JSON.stringify(kept.token()))
        }
        await client.close()
        const observed = observe(() => ({ ended: ({ requestId }) => void ids.push(requestId) }))
        const other = createClient({ credential: key, baseUrl, observe: observed })
        for (const [at, token] of tokens.entries()) {
          expect(token).not.toContain(key)
          const again = resumable(JSON.parse(token) as ResumeToken)
          const rest: Array<string> = []
          const stream = resumeStream(other.chatCompletionsStream, again)
          for await (const event of stream) rest.push(textOf(event))
          ids.push((await stream.response()).requestId)
          expect([...texts.slice(0, at + 1), ...rest]).toEqual(texts)
        }
        await other.close()
      })
      const [call, ...others] = yield* settled
      expect(others).toEqual([])
      // Not those of the requests that go on with it, which `charge` does not know.
      expect(ids).toEqual(Array.from(ids, () => call?.id))
      expect(ids).toHaveLength(2 * tokens.length)
    }).pipe(onGateway)
  )

  it.live("of a stream that the gateway does not have is refused, and nothing is executed", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const token = { operation: "chat.completions", idempotencyKey: "never-used", lastEventId: "3", input }
      const layer = NodeClient.layer({ credential: key, baseUrl })
      const error = yield* Effect.flip(
        Stream.runDrain(resumeStream(chatCompletionsStream, resumable(token))).pipe(Effect.provide(layer))
      )
      expect(error).toMatchObject({ _tag: "InvalidRequest", outcome: "not executed" })
      expect(yield* calls).toEqual([])
      expect(() => resumeStream(chatCompletionsStream, resumable())).toThrow(TypeError)
    }).pipe(onGateway)
  )
})

it.live("many streams are cut at once, and each is paid once", () =>
  Effect.gen(function* () {
    // Of 1,000 the oldest would be dropped: an account has an eighth of the memory.
    const count = countOf("RESUMED_STREAMS", 20, 200)
    const { baseUrl } = yield* cutting((yield* Host).baseUrl, (nth) => after(1 + (nth % 3), nth % 20))
    const client = NodeClient.layer({ credential: key, baseUrl, pace: false })
    const texts = yield* Effect.forEach(
      Array.from({ length: count }, (_, i) => i),
      () =>
        Stream.runFold(
          chatCompletionsStream(input, { resumable: resumable() }),
          () => "",
          (text, event) => text + textOf(event)
        ),
      { concurrency: "unbounded" }
    ).pipe(Effect.provide(client))
    expect(new Set(texts).size).toBe(1)
    const all = yield* settled
    expect(all.filter(({ state }) => state === "settled")).toHaveLength(count)
    expect(all).toHaveLength(count)
  }).pipe(onGateway, Effect.scoped)
)
