import { expect, it, layer } from "@effect/vitest"
import { defaults, fill } from "@tollgate/contract/Names"
import { usd } from "@tollgate/contract/Money"
import * as Operation from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { rerank } from "@tollgate/contract/operations/rerank"
import { Host, key, TestGateway } from "@tollgate/testing"
import { type Answer, ask } from "@tollgate/testing/ask"
import { guideFiles } from "@tollgate/testing/docs/guideFiles"
import { blocksIn, hrefsIn, idsIn, textOf } from "@tollgate/testing/docs/markup"
import { bindings, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe } from "vitest"

const gatewayOf = (options: Parameters<typeof TestGateway.layer>[0]) =>
  Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ sandbox: "all", ...options })), Layer.orDie)

const open = (path: string, headers: Readonly<Record<string, string>> = {}) => ask("GET", path, headers)

const ids = operations.map(({ id }) => fill(id, defaults))

/** What people type who do not know the names yet. */
const ordinaryWords = [
  "budget",
  "over_cap",
  "402",
  "rate limit",
  "price",
  "cap",
  "idempotency",
  "retry",
  "key",
  "webhook"
]

const main = ({ text }: Answer): string => /<main.*?<\/main>/s.exec(text)?.[0] ?? ""

const sentencesOf = (answer: Answer): string => textOf(main(answer).replaceAll(/<[^>]*>/g, " ")).replaceAll(/\s+/g, " ")

layer(gatewayOf({ operations: priced, bindings }))((it) => {
  describe("the reference", () => {
    it.effect("has a page for every operation, linked from the first", () =>
      Effect.gen(function* () {
        const start = yield* open("/docs")
        for (const id of ids) {
          expect(hrefsIn(start.text)).toContain(`/docs/${id}`)
          const page = yield* open(`/docs/${id}`)
          expect([page.status, page.headers["content-type"]], id).toEqual([200, "text/html; charset=utf-8"])
          expect(page.text, id).toContain(`<title>${id} · Tollgate</title>`)
        }
      })
    )

    it.effect("has no link that leads nowhere", () =>
      Effect.gen(function* () {
        const known = new Map<string, Answer>()
        const waiting = ["/docs", "/docs?q=rerank", "/docs/nothing"]
        const dead: Array<string> = []
        for (let href = waiting.pop(); href !== undefined; href = waiting.pop()) {
          const [path = "", anchor] = href.split("#")
          let page = known.get(path)
          if (page === undefined) {
            page = yield* open(path)
            known.set(path, page)
            if (page.status !== 200 && path !== "/docs/nothing") dead.push(path)
            const isOurs = path.startsWith("/docs")
            if (isOurs)
              waiting.push(
                ...hrefsIn(page.text)
                  .map((to) => (to.startsWith("#") ? `${path}${to}` : to))
                  .filter((to) => to.startsWith("/"))
              )
          }
          if (anchor !== undefined && !idsIn(page.text).includes(anchor)) dead.push(href)
        }
        expect(dead).toEqual([])
        expect(known.size).toBeGreaterThan(operations.length + 5)
      })
    )

    it.effect("says of an operation what it costs, what limits it, whether to repeat it, and how it fails", () =>
      Effect.gen(function* () {
        const text = sentencesOf(yield* open("/docs/rerank"))
        expect(text).toContain("POST http://gateway.invalid/v1/rerank")
        expect(text).toContain("$0.05 / 1M tokens")
        expect(text).toContain("60 to 3,000 requests per minute")
        expect(text).toContain("Body up to 4 MiB")
        expect(text).toContain("Safe to retry with the same Idempotency-Key")
        expect(text).toContain("402 OverBudget")
        expect(text).toMatch(/"error": \{ "message": .*"code": "over_cap"/)
        expect(text).not.toContain("Other fields of the API are passed through")
        const chat = sentencesOf(yield* open("/docs/chat.completions"))
        expect(chat).toContain("$3 in, $17 out / 1M tokens")
        expect(chat).toContain("The upstream's rate")
        expect(chat).toContain("Other fields of the API are passed through: request body response body")
        expect(sentencesOf(yield* open("/docs/video.create"))).toContain("3 tasks at once")
        expect(sentencesOf(yield* open("/docs/usage"))).toContain("Free")
      })
    )

    it.effect(
      "shows each call in curl, for the client, and for an official SDK where one makes it; streams in Effect too",
      () =>
        Effect.gen(function* () {
          const titlesOf = (id: string) =>
            Effect.map(open(`/docs/${id}`), ({ text }) => [
              ...new Set(blocksIn(text).flatMap(({ language, title }) => (language === undefined ? [] : [title])))
            ])
          expect(yield* titlesOf("chat.completions")).toEqual(["curl", "Client", "OpenAI SDK", "Effect"])
          expect(yield* titlesOf("messages")).toEqual(["curl", "Client", "Anthropic SDK", "Effect"])
          expect(yield* titlesOf("models.generate_content")).toEqual(["curl", "Client", "Google SDK"])
          expect(yield* titlesOf("rerank")).toEqual(["curl", "Client", "Cohere SDK"])
          expect(yield* titlesOf("usage")).toEqual(["curl", "Client"])
          expect(yield* titlesOf("social_a.oauth_callback")).toEqual(["curl"])
        })
    )

    it.effect("finds pages without a script", () =>
      Effect.gen(function* () {
        const found = (query: string) =>
          Effect.map(open(`/docs?q=${encodeURIComponent(query)}`), (page) => hrefsIn(main(page)))
        expect((yield* found("order documents")).slice(0, 2)).toContain("/docs/rerank")
        expect((yield* found("task.get"))[0]).toBe("/docs/task.get")
        expect(yield* found("idempotency")).toContain("/docs/rules#idempotency")
        expect(yield* found("webhook")).toContain("/docs/guides/webhooks")
        expect(yield* found("over_cap")).toContain("/docs/errors#over_cap")
        expect(sentencesOf(yield* open("/docs?q=xyzzyplugh"))).toContain("Nothing found for “xyzzyplugh”")
        expect((yield* open("/docs?q=")).text).toBe((yield* open("/docs")).text)
      })
    )

    it.effect("finds rules, errors and operations by ordinary words", () =>
      Effect.gen(function* () {
        for (const word of ordinaryWords) {
          const page = yield* open(`/docs?q=${encodeURIComponent(word)}`)
          expect([word, sentencesOf(page).includes(`Nothing found for “${word}”`)]).toEqual([word, false])
        }
      })
    )

    it.effect("has every guide of the repository, with its links, code and pictures", () =>
      Effect.gen(function* () {
        const names = [...guideFiles().keys()].filter((path) => path.endsWith(".md")).map((path) => path.slice(0, -3))
        expect(names.length).toBeGreaterThan(20)
        const list = yield* open("/docs/guides")
        for (const name of names.filter((one) => one !== "reference")) {
          expect(hrefsIn(main(list)), name).toContain(`/docs/guides/${name}`)
          const page = yield* open(`/docs/guides/${name}`)
          expect([name, page.status]).toEqual([name, 200])
          expect(hrefsIn(main(page)).filter((href) => /\.md\b|\.\.\//.test(href))).toEqual([])
          expect(main(page).match(/>[\w-]+\.md<\/a>/)?.[0], name).toBeUndefined()
          // What is left of Markdown's marks in the text was not understood. Code may hold them.
          const prose = textOf(main(page).replaceAll(/<(code|pre)\b.*?<\/\1>/gs, " "))
          expect(prose.match(/\]\(|\*\*|`|^ *\||^#+ |<!--/m)?.[0], name).toBeUndefined()
        }
        const start = yield* open("/docs/guides/getting-started")
        const [shell] = blocksIn(start.text)
        expect([shell?.title, shell?.code]).toEqual(["Shell: gateway", "npx --yes pnpm@12.18.0 start"])
        expect(start.text).toMatch(/<img src="data:image\/svg\+xml,[^"]+" alt="A call is checked/)
        expect(hrefsIn(start.text)).toContain("/docs/guides/scale#move-from-the-embedded-store")
        expect(hrefsIn(main(yield* open("/docs/rules")))).toContain("/docs/guides/tags")
        for (const name of ["reference", "nothing", "..%2Fguides", "%FF"])
          expect((yield* open(`/docs/guides/${name}`)).status).toBe(404)
      })
    )

    it.effect("says which operation was meant by an address that has none", () =>
      Effect.gen(function* () {
        const page = yield* open("/docs/rerankk")
        expect(page.status).toBe(404)
        expect(hrefsIn(main(page))).toContain("/docs/rerank")
      })
    )

    it.effect("is sent once to a browser that has it", () =>
      Effect.gen(function* () {
        for (const path of ["/docs", "/docs/rerank", "/docs/rules", "/docs?q=rerank"]) {
          const { headers } = yield* open(path)
          expect(headers["cache-control"]).toBe("no-cache")
          const again = yield* open(path, { "if-none-match": `"other", ${headers.etag ?? ""}` })
          expect([again.status, again.text, again.headers.etag]).toEqual([304, "", headers.etag])
          expect((yield* open(path, { "if-none-match": '"other"' })).status).toBe(200)
        }
      })
    )

    it.effect("answers HEAD with the headers alone", () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Host
        const headers = { "accept-encoding": "identity" }
        const page = yield* open("/docs/rerank", headers)
        const head = yield* Effect.promise(() => fetch(`${baseUrl}/docs/rerank`, { method: "HEAD", headers }))
        expect([head.status, head.headers.get("etag"), head.headers.get("content-length")]).toEqual([
          200,
          page.headers.etag,
          String(page.bytes.length)
        ])
      })
    )

    it.effect("allows its own style and script by their hashes, and nothing else", () =>
      Effect.gen(function* () {
        for (const path of ["/docs", "/docs/rerank", "/docs/sdks", "/docs/guides", "/docs?q=x", "/docs/nothing"]) {
          const { headers, text } = yield* open(path)
          expect(headers["content-security-policy"]).toMatch(
            /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'$/
          )
          expect(headers).toMatchObject({
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "no-referrer"
          })
          expect(text.match(/<script/g)).toHaveLength(1)
          expect(text).not.toMatch(/\ssrc=|style="|\son\w+="|javascript:/)
        }
      })
    )

    it.effect("is where the `docs` of a reseller's answer leads", () =>
      Effect.gen(function* () {
        const { json } = yield* open("/apis/v1/reseller/social_c/web/fetch_tag_detail?tag_name=rivers", {
          authorization: `Bearer ${key}`
        })
        const { docs } = json() as { readonly docs: string }
        expect(docs).toBe("http://gateway.invalid/docs/reseller.social_c.tag_detail")
        expect((yield* open(new URL(docs).pathname)).text).toContain(
          "<title>reseller.social_c.tag_detail · Tollgate</title>"
        )
      })
    )

    it.effect("leaves other methods and paths to the gateway", () =>
      Effect.gen(function* () {
        expect((yield* ask("POST", "/docs", {}, "{}")).headers["content-type"]).toContain("json")
        expect((yield* open("/docsx")).headers["content-type"]).toContain("json")
      })
    )
  })
})

const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;`

const custom = Operation.make({
  ...rerank,
  id: "rules",
  path: "/v1/own",
  summary: hostile,
  description: hostile,
  price: {
    contract: "model_tokens",
    models: { [hostile]: { input: usd("0.0000001"), output: usd("1"), cacheRead: usd("0"), cacheWrite: usd("0") } },
    outputLimit: [],
    defaultOutputLimit: 1,
    choices: []
  }
})

const names = {
  social_a: "birds",
  social_b: "photos",
  social_c: "clips",
  reseller: "vendor",
  traffic_analytics: "visits",
  provider: "Acme"
}

describe("the reference of an operator's own gateway", () => {
  const providers = {
    rules: { name: "own", baseUrl: "http://own.invalid", protocol: "json", deadlineMillis: 1_000 }
  }
  const own = gatewayOf({ names, operations: [...operations, custom], providers })

  it.effect("has the operator's names, prices and operations", () =>
    Effect.gen(function* () {
      const start = yield* open("/docs")
      expect(start.text).toContain("<title>Docs · Acme</title>")
      expect(start.text).not.toMatch(/social_[abc]\.|>reseller\./)
      const follow = yield* open("/docs/birds.follow")
      expect(sentencesOf(follow)).toContain("http://gateway.invalid/apis/v1/birds/follow_birds")
      expect(sentencesOf(follow)).toContain("No price yet")
      const code = blocksIn(follow.text).find(({ language }) => language === "promises")?.code
      expect(code).toContain('provider: "Acme"')
      expect(sentencesOf(yield* open("/docs/rerank"))).toContain("X-Acme-Max-Price-Usd")
    }).pipe(Effect.provide(own))
  )

  it.effect("says that an operation without a path is not offered, and shows no call", () =>
    Effect.gen(function* () {
      const page = yield* open("/docs/images.generate")
      expect(page.status).toBe(200)
      expect(sentencesOf(page)).toContain("This gateway has no path for it yet.")
      expect(blocksIn(page.text).filter(({ language }) => language !== undefined)).toEqual([])
    }).pipe(Effect.provide(own))
  )

  it.effect("shows an operation that is called like a guide, and the guide", () =>
    Effect.gen(function* () {
      expect((yield* open("/docs/rules")).text).toContain("<title>Rules · Acme</title>")
      expect((yield* open("/docs/operations/rules")).text).toContain("<title>rules · Acme</title>")
      expect(hrefsIn((yield* open("/docs")).text)).toContain("/docs/operations/rules")
    }).pipe(Effect.provide(own))
  )

  it.effect("never becomes markup, whatever operators and visitors write", () =>
    Effect.gen(function* () {
      const address = encodeURIComponent(hostile)
      const pages = [
        "/docs",
        "/docs/operations/rules",
        "/docs/models",
        `/docs?q=${address}`,
        `/docs/${address}`,
        `/docs/${hostile.replaceAll(" ", "%20")}`,
        "/docs/%FF%zz",
        "/docs?q=%FF"
      ]
      for (const path of pages) {
        const { status, text } = yield* open(path)
        expect(status, path).toBeOneOf([200, 404])
        expect(text.match(/<script/g), path).toHaveLength(1)
        expect(text.includes("<img"), path).toBe(false)
      }
      const shown = sentencesOf(yield* open("/docs/operations/rules"))
      expect(shown).toContain(hostile.replaceAll(/\s+/g, " "))
      expect(shown).toContain("$0.0000001")
    }).pipe(Effect.provide(own))
  )

  it.effect("answers a search of any length, and addresses that are no text", () =>
    Effect.gen(function* () {
      expect((yield* open(`/docs?q=${"a b ".repeat(3_000).replaceAll(" ", "+")}`)).status).toBe(200)
      expect((yield* open(`/docs/${"x".repeat(10_000)}`)).status).toBe(404)
    }).pipe(Effect.provide(own))
  )
})
