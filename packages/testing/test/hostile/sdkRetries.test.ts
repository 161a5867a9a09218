import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Host, TestGateway } from "@tollgate/testing"
import { gatewayTo, sdkCalls } from "@tollgate/testing/hostile/stockSdks"
import { calls } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"

interface SdkError {
  readonly status?: number
  readonly statusCode?: number
  readonly message: string
}

const failed = (call: (baseUrl: string) => PromiseLike<unknown>) =>
  Effect.flatMap(Host, ({ baseUrl }) =>
    Effect.promise(async () => {
      try {
        await call(baseUrl)
      } catch (error) {
        return error as SdkError
      }
      throw new Error("the call succeeded")
    })
  )

const oneCall = (
  sdk: keyof typeof sdkCalls,
  answer: Parameters<typeof gatewayTo>[0],
  check: (error: SdkError) => void,
  state: string
) =>
  Effect.gen(function* () {
    const { layer, received } = yield* gatewayTo(answer)
    yield* Effect.gen(function* () {
      check(yield* failed(sdkCalls[sdk]))
      expect(received).toHaveLength(1)
      expect((yield* calls).map(({ state }) => state)).toEqual([state])
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped)

describe("a call whose end is not known", () => {
  for (const sdk of ["openai", "anthropic", "genai"] as const) {
    it.live(`${sdk} sends it once`, () =>
      oneCall(
        sdk,
        (res) => res.destroy(),
        (error) => expect(error.status).toBe(502),
        "unknown"
      )
    )
  }
})

describe("a limit that lasts for hours", () => {
  for (const sdk of ["openai", "anthropic", "genai"] as const) {
    it.live(`${sdk} fails at once and shows the wait`, () =>
      oneCall(
        sdk,
        (res) => res.writeHead(429, { "retry-after": "14400" }).end("{}"),
        (error) => {
          expect(error.status).toBe(429)
          expect(error.message).toContain("Try again in 4 hours.")
        },
        "released"
      )
    )
  }

  it.live("cohere fails at once if its retries are turned off, as the reference says", () =>
    Effect.gen(function* () {
      const { layer, received } = yield* gatewayTo((res) => res.writeHead(429, { "retry-after": "14400" }).end("{}"))
      const error = yield* Effect.provide(failed(sdkCalls.cohere), layer)
      expect(error.statusCode).toBe(429)
      expect(JSON.stringify(error)).toContain("Try again in 4 hours.")
      expect(received).toHaveLength(1)
    }).pipe(Effect.scoped)
  )
})

describe("what is not worth a second try", () => {
  const refusals = [
    ["a quota that is used up", 429, { monthBudget: micro(0n) }],
    ["a budget that is used up", 402, { budget: micro(0n) }]
  ] as const
  for (const [what, status, terms] of refusals) {
    for (const sdk of ["openai", "anthropic"] as const) {
      it.live(`${what}: ${sdk} asks once`, () =>
        Effect.gen(function* () {
          const { layer, received } = yield* gatewayTo((res) => res.end("{}"))
          yield* Effect.gen(function* () {
            const { accounts } = yield* TestGateway
            const [own] = yield* accounts.listKeys()
            yield* accounts.changeKey(own!.id, terms)
            expect((yield* failed(sdkCalls[sdk])).status).toBe(status)
          }).pipe(Effect.provide(layer))
          expect(received).toHaveLength(0)
        }).pipe(Effect.scoped)
      )
    }
  }
})
