import { describe, expect, it } from "@effect/vitest"
import { makeSignIn } from "../src/signIn/makeSignIn.ts"
import { RejectedCredential } from "@tollgate/client/RejectedCredential"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { afterEach, vi } from "vitest"
import { access, grant, metadata, options, type Reply, scripted, signedIn } from "./scripted.ts"

afterEach(() => void vi.restoreAllMocks())

const shown = (value: unknown) =>
  [
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: 20, showHidden: true, getters: true }),
    inspect(value, { depth: 20, customInspect: false, showHidden: true }),
    value instanceof Error ? value.stack : ""
  ].join("\n")

/** A `fetch` whose error contains the whole request. */
const leaky: Reply = ({ form, init }) => Promise.reject(new Error(`c4n4ry ${form.toString()}`, { cause: init }))
const echo: Reply = ({ form }) =>
  Response.json({ error: form.toString(), error_description: form.toString() }, { status: 400 })
const echoed: Reply = ({ form }) => new Response(form.toString())

const second = (reply: Reply): Reply => {
  let count = 0
  return (asked) => {
    if (asked.url !== metadata.token_endpoint) return undefined
    return count++ === 0 ? grant(1) : reply(asked)
  }
}

describe("errors contain no tokens, codes or verifiers after", () => {
  const cases: ReadonlyArray<readonly [string, Reply]> = [
    ["a fetch error that contains the request", leaky],
    ["a refusal that repeats the request", echo],
    ["an answer that repeats the request", echoed],
    ["an answer with another token type", () => grant(2, { token_type: "c4n4ry" })]
  ]
  for (const [name, reply] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const auth = yield* signedIn(scripted(second(reply)))
        const renewal = Effect.provideService(auth.credential, RejectedCredential, Redacted.make(access(1)))
        const exchange = signedIn(
          scripted((asked) => (asked.url === metadata.token_endpoint ? reply(asked) : undefined))
        )
        const both: ReadonlyArray<Effect.Effect<unknown, unknown>> = [renewal, exchange]
        for (const one of both) {
          const exit = yield* Effect.exit(one)
          const cause = exit._tag === "Failure" ? exit.cause : Cause.empty
          expect(Cause.squash(cause)).toMatchObject({ _tag: expect.stringMatching(/^Server/) })
          expect(shown(Cause.squash(cause)) + Cause.pretty(cause) + shown(exit)).not.toContain("c4n4ry")
        }
      })
    )
  }
})

describe("tokens do not appear", () => {
  it.effect("in addresses or on the console", () =>
    Effect.gen(function* () {
      const methods = ["log", "info", "warn", "error", "debug"] as const
      const spies = methods.map((method) => vi.spyOn(console, method))
      const tab = scripted()
      const auth = yield* signedIn(tab)
      yield* Effect.provideService(auth.credential, RejectedCredential, Redacted.make(access(1)))
      yield* auth.signOut
      const addresses = [tab.address(), tab.left().href, ...tab.asked.map(({ url }) => url)].join("\n")
      expect(addresses).not.toContain("c4n4ry")
      expect(spies.flatMap(({ mock }) => mock.calls)).toEqual([])
    })
  )

  it.effect("in the text of the objects that hold them", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const auth = yield* signedIn(tab)
      expect(shown(auth)).not.toContain("c4n4ry")
      expect(shown(yield* auth.credential)).not.toContain("c4n4ry")
      expect(shown(makeSignIn(tab.page, options))).not.toContain("c4n4ry")
    })
  )
})
