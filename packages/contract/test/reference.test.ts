import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Catalogue from "../src/Catalogue.ts"
import { defaults, fill, type Names } from "../src/Names.ts"
import { Open } from "../src/Open.ts"
import * as Operation from "../src/Operation.ts"
import { operations } from "../src/operations.ts"
import { rerank } from "../src/operations/rerank.ts"
import { curl } from "../src/reference/curl.ts"
import { type Example, withSamples } from "../src/reference/Example.ts"
import { codeWords, statusWords } from "../src/reference/errorWords.ts"
import { examplesOf, written } from "../src/reference/examples.ts"
import { layout } from "../src/reference/words.ts"
import { reference } from "../src/reference/reference.ts"
import { rules } from "../src/reference/generated/rules.ts"
import { snippetsOf } from "../src/reference/snippets/snippets.ts"
import { allowances } from "../src/Tier.ts"

const bindings = { "deep_research.search": { path: "/v1/research" }, "images.generate": { path: "/v1/pictures" } }
const catalogue = Catalogue.make(operations, defaults, bindings)

const withValues = (example: Example, values: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, withSamples(example, value)]))

const each = operations.flatMap((operation) =>
  examplesOf(operation).map((example, i) => [`${operation.id} ${i}`, operation, example] as const)
)

const ids = operations.map(({ id }) => id)

describe("examples", () => {
  it("belong to an operation", () => {
    assert.includeMembers(ids, Object.keys(written))
  })

  it("are sampled from the request schemas of an operation that has none", () => {
    const request = {
      path: Schema.Struct({ volume: Schema.NonEmptyString }),
      query: Schema.Struct({ limit: Schema.optionalKey(Schema.NumberFromString), count: Schema.NumberFromString }),
      body: Open({
        text: Schema.NonEmptyString,
        words: Schema.NonEmptyArray(Schema.String),
        style: Schema.Literals(["plain", "loud"]),
        times: Schema.Int,
        nested: Open({ flag: Schema.Boolean, gone: Schema.NullOr(Schema.String) }),
        note: Schema.optionalKey(Schema.String)
      })
    }
    assert.deepStrictEqual(examplesOf({ ...rerank, id: "own", request }), [
      {
        path: { volume: "volume" },
        query: { count: "1" },
        body: {
          text: "text",
          words: ["words"],
          style: "plain",
          times: 1,
          nested: { flag: true, gone: "gone" }
        }
      }
    ])
  })

  it.each(each)("%s is a valid request", (_, operation, example) => {
    const { body, path, query } = operation.request
    const parts = [
      [path, withValues(example, example.path), example.path],
      [query, withValues(example, example.query), example.query],
      [body, example.body, example.body]
    ] as const
    for (const [schema, value, given] of parts) {
      if (schema !== undefined) {
        assert.doesNotThrow(() => Schema.decodeUnknownSync(schema as Schema.ConstraintCodec<unknown>)(value))
      } else if (given !== undefined) {
        assert.isTrue(operation.pending.some(({ open }) => open === "request"))
      }
    }
  })

  it.each(each)("%s uses every variable, and only declared ones", (_, operation, { variables = [], ...rest }) => {
    const text = JSON.stringify(rest)
    const later = (i: number) => JSON.stringify(variables.slice(i + 1)) + text
    variables.forEach(({ name, source }, i) => {
      assert.include(later(i), `$${name}`)
      if ("answerTo" in source) assert.include(ids, source.answerTo)
    })
    const known = new Set(variables.map(({ name }) => name))
    for (const [, name = ""] of text.matchAll(/\$(\w+)/g)) assert.isTrue(known.has(name), `${operation.id} ${name}`)
  })

  it("exist for the stream of every operation that can stream", () => {
    for (const operation of operations) {
      const types = examplesOf(operation).map(({ contentType }) => contentType)
      assert.strictEqual(types.includes("text/event-stream"), operation.event !== undefined, operation.id)
    }
  })

  it("have a title, except the first of each operation", () => {
    for (const [id, [, ...others]] of Object.entries(written)) {
      for (const { title } of others) assert.isDefined(title, id)
    }
  })
})

const bound = (operation: Operation.Operation) => {
  const found = Operation.bind(operation, defaults)
  assert.isDefined(found)
  return found
}

const none = () => undefined

describe("curl", () => {
  const base = "http://gate"

  it("quotes characters that are special in a shell", () => {
    assert.strictEqual(
      curl(base, none, bound(rerank), { body: { query: "it's $5 `now`", documents: ["a"] } }),
      [
        "curl http://gate/v1/rerank \\",
        '  -H "Authorization: Bearer $TOLLGATE_KEY" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '{ "query": "it'\\''s $5 \`now\`", "documents": ["a"] }'`
      ].join("\n")
    )
  })

  const find = (id: string) => operations.find((operation) => operation.id === id) ?? rerank

  it("encodes values in a URL and leaves variables to the shell", () => {
    const open = { ...bound(find("task.get")), access: "open" as const }
    const variables = [{ name: "id", source: { shell: "7" }, sample: "7" }]
    const example = { variables, path: { task_id: "$id" }, query: { "a b": "x&y=z", c: "$(id) !'" } }
    assert.strictEqual(
      curl(base, none, open, example),
      'id=7\ncurl "http://gate/apis/v1/services/aigc/tasks/$id?a%20b=x%26y%3Dz&c=%24%28id%29%20%21%27"'
    )
    assert.include(curl(base, none, open, { path: { task_id: "a/b?" } }), "tasks/a%2Fb%3F")
  })

  it("shows a placeholder for a missing parameter and for an unknown operation's answer", () => {
    const variables = [{ name: "id", source: { answerTo: "x", read: "id" }, sample: "1" }]
    const text = curl(base, none, bound(find("task.get")), { variables })
    assert.include(text, `id='<id>'\ncurl "http://gate/apis/v1/services/aigc/tasks/<task_id>"`)
  })

  it("prints events without buffering", () => {
    assert.match(curl(base, none, bound(rerank), { contentType: "text/event-stream" }), /^curl -N /)
    assert.match(curl(base, none, bound(rerank), { body: {} }), /^curl http/)
  })

  it("names the method where curl would use another", () => {
    const first = (method: Operation.Method, example: Example): string =>
      curl(base, none, { ...bound(rerank), method }, example).split("/v1/")[0] ?? ""
    assert.deepStrictEqual(
      [
        first("GET", {}),
        first("POST", { body: {} }),
        first("POST", {}),
        first("PUT", { body: {} }),
        first("DELETE", {})
      ],
      [
        "curl http://gate",
        "curl http://gate",
        ...["POST", "PUT", "DELETE"].map((name) => `curl -X ${name} http://gate`)
      ]
    )
  })
})

describe("layout", () => {
  it("is the same JSON, with parts that fit on one line", () => {
    const long = "word ".repeat(12)
    const value = { a: [long, { b: long, c: [] }], d: null, e: [1, true], "f\n": {} }
    assert.deepStrictEqual(JSON.parse(layout(value, "    ")), value)
    assert.strictEqual(layout([1, { a: "b" }]), '[1, { "a": "b" }]')
    assert.strictEqual(layout([{}, []]), "[{}, []]")
    assert.strictEqual(layout({ a: long, b: [long] }), `{\n  "a": "${long}",\n  "b": ["${long}"]\n}`)
  })
})

describe("the page", () => {
  const page = reference(catalogue)

  const sectionOf = (id: string, text = page) =>
    text.split(/^#{3,4} /m).find((part) => part.startsWith(`${id}\n`)) ?? ""

  it("has one section for each operation, under its category", () => {
    const headings = [...page.matchAll(/^#### (.*)$/gm)].map(([, id]) => id)
    assert.sameMembers(
      headings,
      operations.map(({ id }) => fill(id, defaults))
    )
    const categories = new Set(operations.map(({ category }) => category))
    assert.deepStrictEqual(
      [...page.matchAll(/^### (.*)$/gm)].map(([, title]) => title?.toLowerCase()),
      [...categories]
    )
    assert.match(page, /### Web traffic\n\n#### traffic_analytics\.traffic_engagement/)
  })

  it("shows address, price, limits, errors and pending parts", () => {
    const text = sectionOf("deep_research.search")
    assert.include(text, "`POST /v1/research`\n\nSearch and reason over many sources.")
    assert.include(text, "- Price: the model's price / 1M tokens;")
    assert.include(text, "- Limits: 5 requests per minute, the tier's tokens per minute, the tier's calls at once.\n")
    assert.include(text, "- Errors: 400, 401, 402, 404, 409, 422, 429, 500, 502, 503, in the `openai` family.\n")
    assert.include(text, "- Not described: path (bound here); request body; response body.\n")
    assert.notInclude(sectionOf("usage"), "Limits:")
    assert.notInclude(sectionOf("usage"), "Pending")
    assert.include(sectionOf("chat.completions"), "the upstream's requests per minute")
    assert.include(sectionOf("video.create"), "3 tasks at once")
    assert.include(sectionOf("video.create"), "- Price: an operator-set amount / task that succeeds.")
    assert.notInclude(sectionOf("rerank"), "operator-set")
    assert.include(sectionOf("social_a.follow"), "- Errors: 400, 401, 402, 403, 404,")
  })

  it("sends a credential exactly where one is needed", () => {
    for (const { access, id } of operations) {
      const last = sectionOf(fill(id, defaults)).split("\ncurl ").at(-1) ?? ""
      assert.strictEqual(last.includes("Authorization: Bearer $TOLLGATE_KEY"), access !== "open", id)
    }
  })

  it("first calls another operation if it needs that one's answer", () => {
    const text = sectionOf("task.get")
    assert.match(text, /task_id=\$\(\n {2}curl -s [^|]*"X-Tollgate-Async: enable"[^|]* \|\n {4}node -p '/)
    assert.match(text, /\n\)\ncurl "http:\/\/127\.0\.0\.1:8787\/apis\/v1\/services\/aigc\/tasks\/\$task_id"/)
  })

  it("uses the names of its catalogue", () => {
    const names: Names = {
      social_a: "birds",
      social_b: "photos",
      social_c: "clips",
      reseller: "vendor",
      traffic_analytics: "visits",
      provider: "Acme"
    }
    const other = reference(Catalogue.make(operations, names))
    assert.notMatch(other, /social_|reseller\b|traffic_analytics|X-Tollgate/)
    assert.include(sectionOf("video.create", other), "X-Acme-Async: enable")
    assert.include(sectionOf("birds.follow", other), "http://127.0.0.1:8787/apis/v1/birds/follow_birds")
  })

  it("shows no call for an operation without a path, and a sampled one for an operation without an example", () => {
    const own = Operation.make({ ...rerank, id: "own", path: "/v1/own", summary: "An operator's own" })
    const text = reference(Catalogue.make([...operations, own], defaults))
    assert.include(sectionOf("images.generate", text), "`POST …`")
    assert.include(sectionOf("images.generate", text), "Not described: path; request body")
    assert.notInclude(sectionOf("images.generate", text), "curl")
    assert.include(sectionOf("own", text), "`POST /v1/own`\n\nAn operator's own.")
    assert.include(sectionOf("own", text), `-d '{ "query": "query", "documents": ["documents"] }'`)
  })
})

describe("the rules", () => {
  it("have the limits of every tier", () => {
    const section = rules.split("### ").find((part) => part.startsWith("Limits by tier\n")) ?? ""
    const cells = section.split("\n").map((line) => line.split("|").map((cell) => cell.trim().replaceAll(",", "")))
    for (const [tier, { concurrency, rpm, tpm }] of Object.entries(allowances)) {
      const row = cells.find(([, name]) => name === tier)?.slice(3, 6)
      assert.deepStrictEqual(row?.map(Number), [rpm, tpm, concurrency], tier)
    }
  })
})

describe("words for errors", () => {
  it("end in a period", () => {
    for (const text of [...Object.values(codeWords), ...Object.values(statusWords)]) assert.match(text, /^[A-Z].*\.$/)
  })
})

describe("snippets", () => {
  const target = {
    baseUrl: "http://gate",
    find: (template: string) => {
      const operation = operations.find(({ id }) => id === template)
      const found = catalogue.byId.get(fill(template, defaults))
      return operation === undefined || found === undefined
        ? undefined
        : { operation, bound: found, examples: examplesOf(operation) }
    }
  }
  const snippetsFor = (id: string, example = 0) => {
    const described = target.find(id)
    assert.isDefined(described)
    return snippetsOf(target, { ...described, example: described.examples[example] ?? {} })
  }

  it("exist for the client for every operation that a program calls, and in Effect for streams", () => {
    for (const { id } of operations) {
      const all = [...examplesOf(target.find(id)?.operation ?? rerank).keys()].flatMap((i) => snippetsFor(id, i))
      const languages = new Set(all.map(({ language }) => language))
      assert.strictEqual(languages.has("promises"), id !== "{social_a}.oauth_callback", id)
      const streams = all.some(({ code, language }) => language === "promises" && code.includes("for await"))
      assert.strictEqual(languages.has("effect"), streams, id)
    }
  })

  it("write what they were given as text, whatever it is", () => {
    const hostile = 'a"b\\c\n${x}`</script>'
    const described = target.find("rerank")
    assert.isDefined(described)
    const example = { body: { query: hostile, documents: [hostile], "not a name": null } }
    for (const { code, language } of snippetsOf(target, { ...described, example })) {
      if (language !== "curl") assert.include(code, JSON.stringify(hostile), language)
    }
  })

  it("call an operator's operation by its id, with all arguments in one object", () => {
    const described = target.find("rerank")
    assert.isDefined(described)
    const request = { path: Schema.Struct({ city: Schema.String }), body: Open({ text: Schema.String }) }
    const own = {
      ...described,
      operation: { ...rerank, id: "weather.ask", request },
      bound: { ...described.bound, id: "weather.ask" }
    }
    const codeOf = (example: Example) =>
      Object.fromEntries(snippetsOf(target, { ...own, example }).map(({ code, language }) => [language, code]))
    const { promises } = codeOf({ path: { city: "Rome" }, body: { text: "hi" } })
    assert.match(
      promises!,
      /const answer = await discovered\.call\(tollgate, "weather\.ask", \{\s+city: "Rome",\s+text: "hi"\s+\}\)/
    )
    assert.hasAllKeys(codeOf({ path: { city: "Rome" }, body: { city: "Bern" } }), ["curl"])
  })

  it("use the SDK of OpenAI for images only at its own path", () => {
    assert.notInclude(
      snippetsFor("images.generate").map(({ language }) => language),
      "sdk"
    )
  })
})
