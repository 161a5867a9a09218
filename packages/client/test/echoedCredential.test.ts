import { assert, describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream, rerank, userStories } from "@tollgate/client"
import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { cleanCause, hiding } from "../src/credential/hideCredential.ts"
import { transportFailed } from "../src/errors/errors.ts"
import { credential, json, question, respond, scripted } from "./scripted.ts"
import { shown } from "./shown.ts"
import { events } from "./streamScripted.ts"

const perCharacter = (spell: (code: string) => string) =>
  [...credential].map((character) => spell(character.charCodeAt(0).toString(16))).join("")

/** What a server may make of the credential. */
const spellings: Readonly<Record<string, string>> = {
  "as it is": credential,
  "in upper case": credential.toUpperCase(),
  "percent-encoded": perCharacter((code) => `%${code}`),
  "percent-encoded in part": credential.replaceAll("s", "%73"),
  "with JSON's escapes": perCharacter((code) => `\\u00${code}`)
}

it.effect("a credential whose characters the server escapes is in no error", () =>
  Effect.gen(function* () {
    const secret = 'ab/cd+ef"gh\\ij=kl'
    const body = JSON.stringify({ error: { message: `${secret} is wrong` } }).replaceAll("/", "\\/")
    const { layer } = scripted(respond(400, body, json), { credential: secret })
    const error = yield* Effect.flip(rerank(question).pipe(Effect.provide(layer)))
    expect(error).toMatchObject({ message: "[credential] is wrong", body: expect.stringContaining("[credential]") })
  })
)

const expectHidden = (error: unknown, spelling: string) => {
  assert.instanceOf(error, Error)
  const texts = `${shown(error)}\n${Cause.pretty(Cause.fail(error))}`.toLowerCase()
  expect(texts).not.toContain(spelling.toLowerCase())
  expect(texts).not.toContain(credential.toLowerCase())
  expect(texts).toContain("[credential]")
}

const echo = (spelling: string) => ({
  error: { message: `Bearer ${spelling} is wrong`, code: `c_${spelling}`, type: `t_${spelling}` },
  request_id: `r_${spelling}`,
  [`name_${spelling}`]: [{ deep: spelling }]
})

describe.each(Object.entries(spellings))("a credential that the server repeats %s is in no error", (_, spelling) => {
  const written = (value: unknown) => JSON.stringify(value).replaceAll("\\\\u00", "\\u00")
  const headers = { ...json, "x-echo": spelling, "x-request-id": spelling, "retry-after": spelling }

  it.effect.each([400, 401, 418, 429, 500, 503])("of status %d", (status) =>
    Effect.gen(function* () {
      const { layer } = scripted(respond(status, written(echo(spelling)), headers))
      expectHidden(yield* Effect.flip(rerank(question).pipe(Effect.provide(layer))), spelling)
      const stream = Stream.runDrain(chatCompletionsStream({ model: "m", messages: [] }))
      expectHidden(yield* Effect.flip(stream.pipe(Effect.provide(layer))), spelling)
    })
  )

  it.effect.each([
    ["of another type", "text/html"],
    ["of another shape", "application/json"]
  ] as const)("about an answer %s", ([, type]) =>
    Effect.gen(function* () {
      const { layer } = scripted(
        respond(200, written({ results: spelling, model: [spelling] }), { ...headers, "content-type": type })
      )
      const error = yield* Effect.flip(rerank(question).pipe(Effect.provide(layer)))
      expect(error._tag).toBe("AnswerInvalid")
      expectHidden(error, spelling)
    })
  )

  it.effect("of a reseller", () =>
    Effect.gen(function* () {
      const body = { code: 400, message: `No ${spelling}`, params: { [spelling]: [spelling] }, data: [{ spelling }] }
      const { layer } = scripted(respond(200, written(body), headers))
      const error = yield* Effect.flip(userStories({}).pipe(Effect.provide(layer)))
      expect(error._tag).toBe("ResellerFailed")
      expectHidden(error, spelling)
    })
  )

  it.effect.each([
    ["StreamFailed", `data: ${written(echo(spelling))}\n\n`],
    ["EventInvalid", `data: no JSON ${spelling}\n\n`],
    ["StreamTruncated", new Error(`reset while sending ${spelling}`)]
  ] as const)("of a stream: %s", ([tag, last]) =>
    Effect.gen(function* () {
      const first = `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n`
      const { layer } = events([first, last], {}, { "x-request-id": spelling })
      const stream = Stream.runDrain(chatCompletionsStream({ model: "m", messages: [] }))
      const error = yield* Effect.flip(stream.pipe(Effect.provide(layer)))
      expect(error._tag).toBe(tag)
      expectHidden(error, spelling)
    })
  )

  it("of the transport, with the platform's own error as its cause", () => {
    const cause = new TypeError(`"Bearer ${spelling}" is no header value`, { cause: { code: spelling } })
    const hide = hiding(Redacted.make(credential))
    const error = transportFailed("rerank", 1, hide, new NotCarried({ why: "broken", cause }))
    expectHidden(error, spelling)
    expect(error.cause).toMatchObject({ name: "TypeError" })
  })
})

describe("the cause of a transport error", () => {
  const hide = hiding(Redacted.make(credential))

  it("stays the platform's own error if it cannot hold the credential", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", port: 1 })
    for (const cause of [
      refused,
      new TypeError("fetch failed", { cause: refused }),
      new DOMException("x"),
      undefined
    ]) {
      expect(cleanCause(cause, hide)).toBe(cause)
    }
  })

  it("is a copy of its texts if it holds what nobody can look into", () => {
    const cause = Object.assign(new Error("failed"), {
      code: "E_FAILED",
      request: new Request("http://gateway.invalid", { headers: { authorization: `Bearer ${credential}` } })
    })
    const clean = cleanCause(cause, hide)
    expect(clean).toMatchObject({ message: "failed", code: "E_FAILED" })
    expect(shown(clean)).not.toContain(credential)
  })

  it("is left out if it is no error", () => {
    expect(cleanCause(new Headers({ authorization: credential }), hide)).toBeUndefined()
    expect(cleanCause(`with ${credential}`, hide)).toBe("with [credential]")
  })
})

it.effect("a short credential is not taken for a word of the message", () =>
  Effect.gen(function* () {
    const { layer } = scripted(respond(400, `{"error":"the test failed"}`, json), { credential: "test" })
    expect(yield* Effect.flip(rerank(question).pipe(Effect.provide(layer)))).toMatchObject({
      message: "the test failed"
    })
  })
)
