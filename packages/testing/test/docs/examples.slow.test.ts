import { expect, layer } from "@effect/vitest"
import type { DiscoveredSnippets } from "@tollgate/contract/account/Offer"
import { defaults, fill } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { sdks } from "@tollgate/contract/reference/snippets/sdks"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { blocksIn } from "@tollgate/testing/docs/markup"
import { runAll, typeCheck } from "@tollgate/testing/docs/programs"
import { bindings, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The base URL of the test gateway, as its pages name it. */
const named = "http://gateway.invalid"

const pending = Object.fromEntries(
  operations.flatMap(({ id, pending }) => {
    const roles = pending.flatMap((part) => (part.open === "parameter" ? [[part.role, part.role] as const] : []))
    return roles.length === 0 ? [] : [[fill(id, defaults), { parameters: Object.fromEntries(roles) }] as const]
  })
)

const gateway = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ sandbox: "all", operations: priced, bindings: { ...bindings, ...pending } })),
  Layer.orDie
)

/** Calls with a cap and a scenario that changes nothing, streamed and not. */
const asked: ReadonlyArray<readonly [string, boolean]> = [
  ["chat.completions", true],
  ["chat.completions", false],
  ["messages", true],
  ["messages", false],
  ["models.generate_content", false],
  ["models.stream_generate_content", true],
  ["images.generate", false],
  ["models.list", false],
  ["models.list_gemini", false],
  ["rerank", false]
]

const firstArguments: Readonly<Record<string, unknown>> = {
  "chat.completions": { model: "sandbox", messages: [{ role: "user", content: "Why?" }] },
  messages: { model: "sandbox", max_tokens: 64, messages: [{ role: "user", content: "Why?" }] },
  "images.generate": { model: "sandbox", prompt: "A river" },
  rerank: { query: "Why?", documents: ["a", "b"] }
}

/** The programs that `/account/v1/snippets` writes for them. */
const askedPrograms = Effect.gen(function* () {
  const { baseUrl } = yield* Host
  const found = yield* Effect.forEach(asked, ([operation, stream]) => {
    const given = operation.includes("generate_content")
      ? { model: "sandbox", contents: [{ role: "user", parts: [{ text: "Why?" }] }] }
      : (firstArguments[operation] ?? {})
    const body = { operation, arguments: given, stream, max_price_usd: "0.5", scenario: "slow; ms=1" }
    return Effect.map(
      ask("POST", "/account/v1/snippets", { authorization: `Bearer ${key}` }, JSON.stringify(body)),
      (answer) =>
        (answer.json() as DiscoveredSnippets).snippets
          .filter(({ syntax }) => syntax === "ts")
          .map(({ code, title }) => [`asked ${operation} ${stream} ${title}`, code.replaceAll(named, baseUrl)] as const)
    )
  })
  return found.flat()
})

/** Every program in TypeScript on the pages of the operations, by page, title and place. */
const programs = Effect.gen(function* () {
  const { baseUrl } = yield* Host
  const pages = [...operations.map(({ id }) => fill(id, defaults)), "sdks"]
  const found = yield* Effect.forEach(pages, (page) =>
    Effect.map(ask("GET", `/docs/${page}`), ({ text }) =>
      blocksIn(text)
        .filter(({ code }) => code.startsWith("import "))
        .map(({ code, title }, i) => [`${page} ${i} ${title}`, code.replaceAll(named, baseUrl)] as const)
    )
  )
  return new Map([...found.flat(), ...(yield* askedPrograms)])
})

/** Programs that fail on a new sandbox, as the page says. */
const failing: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [/^sales_api_data /, /Unavailable/],
  [/^social_a\.follow /, /Forbidden.*linked/]
]

layer(gateway, { excludeTestServices: true })((it) => {
  it.effect("every program on the pages and of the account API has the types of its packages", () =>
    Effect.gen(function* () {
      const all = yield* programs
      expect(all.size).toBeGreaterThan(85)
      expect(yield* Effect.promise(() => typeCheck(all))).toBe("")
    })
  )

  it.effect("every program on the pages and of the account API runs as it is, and prints an answer", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const all = yield* programs
      const ran = yield* Effect.promise(() => runAll(all, { TOLLGATE_KEY: key, TOLLGATE_BASE_URL: baseUrl }))
      expect(ran).toHaveLength(all.size)
      for (const { failed = "", name, printed } of ran) {
        const expected = failing.find(([pattern]) => pattern.test(name))?.[1]
        if (expected === undefined) expect([name, failed, printed.length > 5]).toEqual([name, "", true])
        else expect(failed, name).toMatch(expected)
      }
    })
  )

  it.effect("the SDKs find the gateway by the variables that the page names", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const page = (yield* ask("GET", "/docs/sdks")).text
      const named = Object.values(sdks).flatMap((sdk) =>
        "environment" in sdk
          ? [
              [sdk.environment.address, sdk.address(baseUrl)],
              [sdk.environment.key, key]
            ]
          : []
      )
      for (const [name] of named) expect(page).toContain(`<code>${name}</code>`)
      const conversation = { model: "sandbox", messages: [{ role: "user", content: "Hello" }] }
      const programs = new Map([
        [
          "openai",
          `import OpenAI from "openai"\nconsole.log(await new OpenAI().chat.completions.create(${JSON.stringify(conversation)}))`
        ],
        [
          "anthropic",
          `import Anthropic from "@anthropic-ai/sdk"\nconsole.log(await new Anthropic().messages.create(${JSON.stringify({ ...conversation, max_tokens: 9 })}))`
        ],
        [
          "google",
          `import { GoogleGenAI } from "@google/genai"\nconsole.log(await new GoogleGenAI({}).models.generateContent({ model: "sandbox", contents: "Hello" }))`
        ]
      ])
      const ran = yield* Effect.promise(() => runAll(programs, Object.fromEntries(named)))
      expect(ran.map(({ failed, name, printed }) => [name, failed, printed.length > 50])).toEqual(
        [...programs.keys()].sort().map((name) => [`${name}.ts`, undefined, true])
      )
    })
  )
})
