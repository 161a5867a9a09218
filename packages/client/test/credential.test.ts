import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream, rerank } from "@tollgate/client"
import { RejectedCredential } from "@tollgate/client/RejectedCredential"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { answer, refusal } from "./attempts.ts"
import { question, ranking, scripted } from "./scripted.ts"

/** Credentials in order; the last one repeats. */
const tokens = (...all: ReadonlyArray<string>) => {
  let asked = 0
  return { credential: Effect.sync(() => all[Math.min(asked++, all.length - 1)]!), asked: () => asked }
}

const accepts = (good: string) =>
  scripted.bind(undefined, (request, url, signal) =>
    request.headers["authorization"] === `Bearer ${good}`
      ? answer(200, ranking)(request, url, signal)
      : refusal(401, "invalid_credential")(request, url, signal)
  )

describe("a credential from an effect", () => {
  it.effect("is requested once for each request", () =>
    Effect.gen(function* () {
      const { asked, credential } = tokens("one")
      const { layer, sent } = accepts("one")({ credential })
      yield* Effect.provide(Effect.andThen(rerank(question), rerank(question)), layer)
      expect([sent.length, asked()]).toEqual([2, 2])
    })
  )

  it.effect("is requested again after a 401, and a new one is sent once", () =>
    Effect.gen(function* () {
      const { layer, sent } = accepts("new")({ credential: tokens("old", "new").credential })
      yield* Effect.provide(rerank(question), layer)
      expect(sent.map(({ request }) => request.headers["authorization"])).toEqual(["Bearer old", "Bearer new"])
      const keys = sent.map(({ request }) => request.headers["idempotency-key"])
      expect(keys[0]).toBe(keys[1])
    })
  )

  it.effect("the effect sees which credential was rejected", () =>
    Effect.gen(function* () {
      const heard: Array<string | undefined> = []
      const credential = Effect.map(RejectedCredential, (down) => {
        heard.push(down === undefined ? undefined : Redacted.value(down))
        return down === undefined ? "old" : "new"
      })
      const { layer, sent } = accepts("new")({ credential })
      yield* Effect.provide(rerank(question), layer)
      expect(heard).toEqual([undefined, "old"])
      expect(sent.length).toBe(2)
    })
  )

  it.effect("an unchanged credential is not sent again after a 401", () =>
    Effect.gen(function* () {
      const { layer, sent } = accepts("new")({ credential: tokens("old").credential })
      const error = yield* Effect.flip(Effect.provide(rerank(question), layer))
      expect(error).toMatchObject({ status: 401, code: "invalid_credential", outcome: "not executed" })
      expect(sent.length).toBe(1)
    })
  )

  it.effect("a second 401 fails the call", () =>
    Effect.gen(function* () {
      const { layer, sent } = accepts("good")({ credential: tokens("old", "older", "oldest").credential })
      expect(yield* Effect.flip(Effect.provide(rerank(question), layer))).toMatchObject({ status: 401 })
      expect(sent.length).toBe(2)
    })
  )

  it.effect("a fixed credential is sent once", () =>
    Effect.gen(function* () {
      const { layer, sent } = accepts("good")({ credential: "bad" })
      expect(yield* Effect.flip(Effect.provide(rerank(question), layer))).toMatchObject({ status: 401 })
      expect(sent.length).toBe(1)
    })
  )

  it.effect("if the effect fails, nothing is sent and the error says so", () =>
    Effect.gen(function* () {
      const { layer, sent } = accepts("good")({ credential: Effect.fail(new Error("signed out")) })
      const error = yield* Effect.flip(Effect.provide(rerank(question), layer))
      expect(error).toMatchObject({
        _tag: "CredentialUnavailable",
        outcome: "not executed",
        cause: { message: "signed out" }
      })
      expect(sent.length).toBe(0)
    })
  )

  it.effect("a stream is opened with it too", () =>
    Effect.gen(function* () {
      const { layer, sent } = accepts("good")({ credential: tokens("old", "older").credential })
      const stream = chatCompletionsStream({ model: "sandbox", messages: [{ role: "user", content: "hi" }] })
      const error = yield* Effect.flip(Effect.provide(Stream.runDrain(stream), layer))
      expect(error).toMatchObject({ status: 401 })
      expect(sent.map(({ request }) => request.headers["authorization"])).toEqual(["Bearer old", "Bearer older"])
    })
  )
})
