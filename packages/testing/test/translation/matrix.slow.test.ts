import { describe, expect, it } from "@effect/vitest"
import * as Names from "@tollgate/contract/Names"
import { Description } from "@tollgate/sandbox"
import { Host, TestGateway } from "@tollgate/testing"
import { calls, priced } from "@tollgate/testing/models"
import { clients, type Uses } from "@tollgate/testing/translation/clients"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"

// Every SDK with every feature against upstreams of every protocol. The table of the guide is what this finds.

const sandbox = Description.routes(Names.defaults)
const provider = (operation: string) => {
  const target = sandbox.find((route) => route.operation === operation)?.to[0]
  if (target === undefined) throw new Error(operation)
  return target.provider
}

const upstreams = {
  "chat completions": { ...provider("chat.completions"), lacks: ["responses"] },
  responses: { ...provider("chat.completions"), lacks: ["chat"] },
  messages: provider("messages"),
  generateContent: provider("models.generate_content")
} as const

const asked = ["chat.completions", "responses", "messages", "models.generate_content", "models.stream_generate_content"]

const hostFor = (name: keyof typeof upstreams) =>
  Host.layerNode.pipe(
    Layer.provideMerge(
      TestGateway.layer({
        operations: priced,
        routes: asked.map((operation) => ({ operation, to: [{ provider: upstreams[name], weight: 1 }] }))
      })
    )
  )

const features: ReadonlyArray<keyof Uses> = ["text", "stream", "tools", "object", "vision", "reasoning", "turns"]

const expected: Readonly<Partial<Record<keyof Uses, unknown>>> = {
  tools: expect.stringContaining("4 degrees"),
  reasoning: expect.stringContaining("4 degrees"),
  object: { name: expect.any(String) as unknown, length: expect.any(Number) as unknown }
}
const usual: unknown = expect.stringContaining("rivers")

/** Every call is billed as the upstream bills it. */
const isBilled = Effect.gen(function* () {
  const { billingLog } = yield* TestGateway
  const billed = yield* billingLog.entries
  const charged = yield* calls
  const tokens = charged.map((call) => [call.input_tokens, call.output_tokens].join(" ")).toSorted()
  const counted = billed.map((entry) => [entry.billed["input"] ?? 0, entry.billed["output"] ?? 0].join(" ")).toSorted()
  expect(tokens).toEqual(counted)
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

for (const [client, use] of Object.entries(clients)) {
  describe(client.replaceAll("`", ""), () => {
    for (const [i, upstream] of (Object.keys(upstreams) as Array<keyof typeof upstreams>).entries()) {
      it.live(`by an upstream of ${upstream}`, () =>
        Effect.gen(function* () {
          const { baseUrl } = yield* Host
          const uses = use(baseUrl)
          const missing: Array<string> = []
          for (const feature of features) {
            const got = yield* Effect.promise(() => uses[feature]().catch((error: unknown) => ({ error })))
            const error = typeof got === "object" && got !== null && "error" in got ? got.error : undefined
            if (error === undefined) expect(got, feature).toEqual(expected[feature] ?? usual)
            else missing.push(feature, String(error))
          }
          expect(rowOf(client)[i]).toBe(missing.length === 0 ? "all" : `not ${missing.join(", ")}`)
          yield* isBilled
        }).pipe(Effect.provide(hostFor(upstream)))
      )
    }
  })
}
