import { describe, expect, it, layer } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { TestGateway } from "@tollgate/testing"
import { request, rerank } from "@tollgate/testing/hardening/requests"
import { Target } from "@tollgate/testing/hardening/target"
import { expectWorking } from "@tollgate/testing/hardening/testAll"
import { wire } from "@tollgate/testing/hardening/wire"
import {
  chatWithImage,
  chatWithTools,
  chunk,
  chunked,
  declared,
  head,
  manyNames,
  thousandDocuments
} from "@tollgate/testing/hostile/bodies"
import * as Effect from "effect/Effect"

const mebibyte = 1024 * 1024
const chat = "/v1/chat/completions"

const answersTo = (...sent: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { port } = yield* Target
    const client = yield* wire(port)
    for (const text of sent) client.send(text)
    return yield* client.until(1)
  }).pipe(Effect.scoped)

layer(Target.layer(), { excludeTestServices: true })("one gateway", (it) => {
  it.effect("a compressed body is refused, and the answer says what to send", () =>
    Effect.gen(function* () {
      for (const [encoding, named] of [
        ["gzip", "Content-Encoding gzip"],
        ["tg_secret", "This Content-Encoding"]
      ]) {
        expect(yield* answersTo(rerank([`Content-Encoding: ${encoding}`], "\u001f\u008b\u0008"))).toMatchObject([
          { status: 400, body: expect.stringContaining(`${named} is not supported; send the body as it is.`) }
        ])
      }
    })
  )

  describe("a body over the limit of its operation is refused before it has arrived", () => {
    const limits = [
      ["a platform call", "/apis/v1/social_a/follow_social_a", mebibyte],
      ["a rerank", "/v1/rerank", 4 * mebibyte],
      ["a model call", chat, 20 * mebibyte],
      ["a Gemini call", "/v1beta/models/sandbox:generateContent", 20 * mebibyte]
    ] as const

    for (const [name, path, limit] of limits) {
      it.effect(`${name}, by its declared length`, () =>
        Effect.gen(function* () {
          // Nothing of the body is sent.
          expect(yield* answersTo(head(path, declared(limit + 1)))).toMatchObject([
            { status: 413, body: expect.stringContaining(`${limit}`) }
          ])
        })
      )
    }

    it.effect("by what has arrived, if it declares no length", () =>
      Effect.gen(function* () {
        const space = chunk(" ".repeat(64 * 1024))
        // The last chunk is never sent.
        const sent = Array.from({ length: 17 }, () => space)
        expect(yield* answersTo(head("/apis/v1/social_a/follow_social_a", chunked), ...sent)).toMatchObject([
          { status: 413 }
        ])
        yield* expectWorking
      })
    )
  })

  describe("a body that takes long to parse is refused before it has arrived", () => {
    const begins = {
      "too many names": [manyNames().slice(0, 3 * mebibyte), "an object with more than 10000 names"],
      "too many values": [`{"model":"sandbox","messages":[${"1,".repeat(mebibyte)}`, "100000 names and values"],
      "too many levels": [`{"model":"sandbox","messages":${"[".repeat(70_000)}`, "128 levels"],
      "too many escapes": [
        `{"model":"sandbox","messages":"${"\\n".repeat(3 * mebibyte)}`,
        "2000000 escaped characters"
      ],
      "a number without end": [`{"model":"sandbox","n":${"1".repeat(9 * mebibyte)}`, "bytes outside of strings"],
      "nothing but spaces": [" ".repeat(9 * mebibyte), "bytes outside of strings"]
    } as const

    for (const [name, [text, expected]] of Object.entries(begins)) {
      it.effect(name, () =>
        Effect.gen(function* () {
          const { totals } = yield* Target
          const before = yield* totals
          // The rest of the body is never sent.
          const answers = yield* answersTo(head(chat, declared(16 * mebibyte)), text)
          expect(answers).toMatchObject([{ status: 400, body: expect.stringContaining(expected) }])
          expect((yield* totals).calls).toBe(before.calls)
          yield* expectWorking
        })
      )
    }
  })

  describe("honest large bodies are served", () => {
    const bodies = {
      "a photo of 12 MiB": [chat, chatWithImage(12 * mebibyte)],
      "128 tools with twenty parameters each": [chat, chatWithTools()],
      "1,000 documents": ["/v1/rerank", thousandDocuments()]
    } as const

    for (const [name, [path, body]] of Object.entries(bodies)) {
      it.effect(name, () =>
        Effect.gen(function* () {
          const { account, accounts } = yield* TestGateway
          yield* accounts.topUp(account, micro(1_000_000_000n), "test")
          expect(yield* answersTo(request(`POST ${path}`, [], body))).toMatchObject([{ status: 200 }])
        })
      )
    }
  })
})

it.live("all bodies together are limited: more are refused until others have ended", () =>
  Effect.gen(function* () {
    const { port } = yield* Target
    const size = 600 * 1024
    const begun = `${head(chat, declared(mebibyte))}{"x":"${"x".repeat(size)}`
    const clients = yield* Effect.forEach([1, 2], () => wire(port))
    for (const client of clients) client.send(begun)
    const [answer] = yield* Effect.raceAllFirst(clients.map((client) => client.until(1)))
    expect(answer).toMatchObject({ status: 503, body: expect.stringContaining("overloaded") })
    // A small body is never refused.
    yield* expectWorking
    for (const { socket } of clients) socket.destroy()
    const large = rerank([], JSON.stringify({ query: "q", documents: ["d".repeat(size)] }))
    while ((yield* answersTo(large))[0]?.status === 503) yield* Effect.yieldNow
    expect((yield* answersTo(large))[0]?.status).toBe(200)
  }).pipe(Effect.scoped, Effect.provide(Target.layer({ maxHeldBodyBytes: mebibyte })))
)
