import { describe, expect, it } from "@effect/vitest"
import { Host } from "@tollgate/testing"
import { calls, priceOf } from "@tollgate/testing/models"
import { clients } from "@tollgate/testing/translation/clients"
import { Billed, hostFor, protocols, type Upstream } from "@tollgate/testing/translation/upstreams"
import { type Kept, keptTokens, type Uses } from "@tollgate/testing/translation/Uses"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"

// Every SDK with every feature against upstreams of every protocol. The table of the guide is what this finds.

const features: ReadonlyArray<keyof Uses> = [
  "text",
  "stream",
  "tools",
  "object",
  "vision",
  "reasoning",
  "cache",
  "turns"
]

const expected: Readonly<Partial<Record<keyof Uses, unknown>>> = {
  tools: expect.stringContaining("4 degrees"),
  reasoning: expect.stringContaining("4 degrees"),
  object: { name: expect.any(String) as unknown, length: expect.any(Number) as unknown },
  cache: expect.objectContaining({ read: keptTokens })
}
const usual: unknown = expect.stringContaining("rivers")

/** Every call is charged as the upstream bills it. */
const isCharged = Effect.gen(function* () {
  const billed = (yield* yield* Billed).map(({ billed }) => billed)
  const charged = yield* calls
  const bills = billed.map((one) => [
    one["input"],
    one["output"],
    one["cacheRead"],
    one["cacheWrite"],
    Number((priceOf(one) + 500n) / 1000n)
  ])
  const counted = charged.map((call) => [
    call.input_tokens,
    call.output_tokens,
    call.cache_read_tokens,
    call.cache_write_tokens,
    call.charged
  ])
  expect(counted.map(String).toSorted()).toEqual(bills.map(String).toSorted())
  expect(charged.every(({ state }) => state === "settled")).toBe(true)
})

const guide = readFileSync(new URL("../../../../docs/translation.md", import.meta.url), "utf8")
const rowOf = (client: string): ReadonlyArray<string> =>
  guide
    .split("\n")
    .find((line) => line.startsWith(`| ${client} |`))
    ?.split("|")
    .slice(2, -1)
    .map((cell) => cell.trim()) ?? []

/** The upstreams that keep what is marked. Gemini and OpenAI's models keep what they like. */
const keeps: ReadonlyArray<Upstream> = ["messages", "Converse"]

/** The tokens of the output since as many bills. */
const outputSince = Effect.fnUntraced(function* (before: number) {
  const billed = (yield* yield* Billed).slice(before)
  return billed.reduce((sum, { billed }) => sum + (billed["output"] ?? 0), 0)
})

for (const [client, use] of Object.entries(clients)) {
  describe(client.replaceAll("`", ""), () => {
    for (const [i, upstream] of protocols.entries()) {
      it.live(`by an upstream of ${upstream}`, () =>
        Effect.gen(function* () {
          const { baseUrl } = yield* Host
          const uses = use(baseUrl)
          const missing: Array<string> = []
          const outputs: Partial<Record<keyof Uses, number>> = {}
          for (const feature of features) {
            const before = (yield* yield* Billed).length
            const got = yield* Effect.promise(() => uses[feature]().catch((error: unknown) => ({ error })))
            outputs[feature] = yield* outputSince(before)
            const error = typeof got === "object" && got !== null && "error" in got ? got.error : undefined
            if (error !== undefined) missing.push(feature, String(error))
            else expect(got, feature).toEqual(expected[feature] ?? usual)
            const written = feature === "cache" ? (got as Kept).written : undefined
            if (typeof written === "number") expect(written > 0, "written").toBe(keeps.includes(upstream))
          }
          expect(rowOf(client)[i]).toBe(missing.length === 0 ? "all" : `not ${missing.join(", ")}`)
          // The same question, and thoughts beside.
          expect(outputs.reasoning).toBeGreaterThan(outputs.tools ?? 0)
          yield* isCharged
        }).pipe(Effect.provide(hostFor(upstream)))
      )
    }
  })
}
