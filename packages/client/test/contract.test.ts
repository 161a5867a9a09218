import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Client, contractVersion } from "@tollgate/client"
import { verifiedContract, verifyContract, type VerifyOptions } from "@tollgate/client/contract"
import { docsRevision } from "../src/generated/docsRevision.ts"
import type { ContractMismatch, ContractUnverified } from "../src/promises/verifyContract.ts"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { answer, refusal } from "./attempts.ts"
import { fail, scripted, Unsent } from "./scripted.ts"

type Handler = Parameters<typeof scripted>[0]

const other = "f".repeat(64)
const serving = (version: object): Handler => answer(200, { contentHash: other, docsRevision, ...version })

/** Returns the verdict or the error, the warnings and the requests. */
const verify = (handler: Handler, options: VerifyOptions) =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const warn = (message: unknown) => void warnings.push(String(message))
    const { layer, sent } = scripted(handler)
    const ended = yield* verifyContract(options).pipe(
      Effect.provide(layer),
      Effect.match({ onSuccess: (verdict) => verdict, onFailure: (error) => error }),
      Effect.provideService(Console.Console, { ...globalThis.console, warn })
    )
    return { ended, warnings, sent }
  })

describe("verifying the contract", () => {
  it.effect("agrees with a server of the same revision, whatever names and bindings its operator set", () =>
    Effect.gen(function* () {
      const { ended, sent, warnings } = yield* verify(serving({}), { onMismatch: "fail" })
      expect([ended, warnings, sent.map(({ url }) => url.pathname)]).toEqual(["agreed", [], ["/api/contracts/version"]])
    })
  )

  it.effect.each([
    ["docsRevision", undefined, { docsRevision: other }],
    ["docsRevision", { docsRevision: "a" }, {}],
    ["contentHash", { contentHash: "a" }, {}],
    ["contentHash", { contentHash: "a", docsRevision }, {}]
  ] as const)("finds another %s than is expected (%j)", ([part, expected, version]) =>
    Effect.gen(function* () {
      const expectation = expected === undefined ? {} : { expect: expected }
      const server = { contentHash: other, docsRevision, ...version }
      const client = expected ?? { docsRevision }
      const failed = yield* verify(serving(version), { onMismatch: "fail", ...expectation })
      expect(failed.ended).toMatchObject({ _tag: "ContractMismatch", client, server })
      expect(failed.ended).toHaveProperty("message", expect.stringContaining(`its ${part} is ${server[part]}`))
      const warned = yield* verify(serving(version), { onMismatch: "warn", ...expectation })
      expect([warned.ended, warned.warnings]).toEqual(["mismatch", [expect.stringMatching(server[part])]])
    })
  )

  it.effect("agrees with a contract hash passed as expected", () =>
    Effect.gen(function* () {
      const expected = { contentHash: other }
      const { ended } = yield* verify(serving({ docsRevision: "b" }), { onMismatch: "fail", expect: expected })
      expect(ended).toBe("agreed")
    })
  )

  it.effect.each([
    ["has no such endpoint", refusal(404, "route_not_found"), "missing", "UnexpectedStatus"],
    ["cannot be reached", fail(new Unsent("ECONNREFUSED")), "unavailable", "TransportFailed"],
    ["is not available", refusal(503), "unavailable", "Unavailable"],
    ["answers with something else", answer(200, { version: 1 }), "unavailable", "AnswerInvalid"]
  ] as const)("warns or fails as chosen if the server %s", ([, handler, why, tag]) =>
    Effect.gen(function* () {
      const error = { _tag: "ContractUnverified", why, cause: { _tag: tag } }
      expect((yield* verify(handler, { onMismatch: "fail" })).ended).toMatchObject(error)
      const { ended, warnings } = yield* verify(handler, { onMismatch: "warn" })
      expect([ended, warnings]).toEqual([
        "unverified",
        [expect.stringMatching(/^The server.s contract could not be read/)]
      ])
    })
  )

  it.effect("runs once, before the client is built", () =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(serving({}))
      const verified = layer.pipe(verifiedContract({ onMismatch: "fail" }))
      yield* Effect.all([contractVersion(), contractVersion()]).pipe(Effect.provide(verified))
      expect(sent).toHaveLength(3)
      const mismatched = scripted(serving({ docsRevision: other }))
      const refused = mismatched.layer.pipe(verifiedContract({ onMismatch: "fail" }))
      expect((yield* Effect.flip(contractVersion().pipe(Effect.provide(refused))))._tag).toBe("ContractMismatch")
      expect(mismatched.sent).toHaveLength(1)
    })
  )

  it("has only the chosen errors in its type", () => {
    const failing = () => verifyContract({ onMismatch: "fail" })
    expectTypeOf<Effect.Error<ReturnType<typeof failing>>>().toEqualTypeOf<ContractMismatch | ContractUnverified>()
    const warning = () => verifyContract({ onMismatch: "warn" })
    expectTypeOf<Effect.Error<ReturnType<typeof warning>>>().toEqualTypeOf<never>()
    const any = (options: VerifyOptions) => verifyContract(options)
    expectTypeOf<Effect.Error<ReturnType<typeof any>>>().toEqualTypeOf<ContractMismatch | ContractUnverified>()
    const layer = (client: Layer.Layer<Client>) => client.pipe(verifiedContract({ onMismatch: "warn" }))
    expectTypeOf(layer).returns.toEqualTypeOf<Layer.Layer<Client>>()
  })
})
