import { PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, alsoOnPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { folder, removeFolders } from "../program.ts"
import { startGateway, tollgate } from "../tollgate.ts"

const scope = Scope.makeUnsafe()
afterAll(removeFolders)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const day = "2026-11-03"
const at = (time: string) => Date.parse(`${day}T${time}Z`)
const start = at("00:00:00") / 1000

interface Given {
  readonly id: string
  readonly model: string
  readonly upstream?: string
  readonly state?: string
  readonly costState?: string
  readonly evidence?: object
  readonly value?: number
  readonly cost?: number
  readonly created?: number
  readonly ended?: number
}

const usage = (input: number, output: number, cacheRead = 0, cacheWrite = 0) => ({
  input,
  output,
  cacheRead,
  cacheWrite
})

const model = (name: string, used: ReturnType<typeof usage>, more: object = {}) => ({
  kind: "model",
  model: name,
  usage: used,
  ...more
})

const text = (value: string | undefined) => (value === undefined ? "NULL" : `'${value}'`)

const insert = (given: Given): string => {
  const { cost, created = at("10:00:00"), ended = at("10:00:01"), evidence, state = "settled", value = 0 } = given
  const costState = state === "settled" ? (given.costState ?? "settled") : undefined
  return (
    "INSERT INTO calls (id, account, key, operation, model, state, reserved, created_at, owner, ended_at, value, cost_state," +
    ` evidence, upstream, cost_nano) VALUES ('${given.id}', 'acct_1', 'key_1', 'messages', '${given.model}', '${state}', 0,` +
    ` ${created}, 'x', ${ended}, ${value}, ${text(costState)}, ${text(evidence && JSON.stringify(evidence))},` +
    ` ${text(given.upstream)}, ${cost ?? "NULL"})`
  )
}

const opus = "claude-opus-5-5"
const anthropic = { upstream: "anthropic" }
const openai = { upstream: "openai" }

const calls: ReadonlyArray<Given> = [
  {
    id: "req_a1",
    model: opus,
    ...anthropic,
    // 400 + 5,000 + 16,000 + 2,000 + 1,000 micro-USD.
    value: 24_400,
    evidence: model(opus, usage(100, 50, 10_000, 3_000), {
      served: "claude-opus-5-5-20260901",
      details: { cacheWriteLong: 2_000 },
      uses: { web_search: 2 },
      parts: [{ model: "claude-haiku-5-5", usage: usage(7, 3) }]
    })
  },
  { id: "req_a2", model: opus, ...anthropic, costState: "estimated", value: 60, evidence: model(opus, usage(10, 1)) },
  { id: "req_a3", model: opus, ...anthropic, state: "unknown" },
  { id: "req_a4", model: opus, ...anthropic, state: "released" },
  { id: "req_kept", model: opus, ...anthropic, evidence: { kind: "kept", call: "req_a1" } },
  {
    id: "req_o1",
    model: "gpt-6-astra",
    ...openai,
    value: 20_000,
    cost: 15_000_000,
    created: at("00:00:00") - 1_000,
    evidence: model("gpt-6-astra", usage(1_000, 200, 500))
  },
  {
    id: "req_o2",
    model: "gpt-6-astra",
    ...openai,
    value: 10_000,
    cost: 7_500_000,
    ended: at("15:00:00"),
    evidence: model("gpt-6-astra", usage(600, 60))
  },
  {
    id: "req_g1",
    model: "gemini-3.8-flash",
    upstream: "google",
    value: 500,
    evidence: model("gemini-3.8-flash", usage(400, 20))
  }
]

type Fields = Readonly<Record<string, unknown>>

interface Found {
  readonly lines: ReadonlyArray<Fields>
  readonly upstreams: unknown
  readonly partial_days: unknown
  readonly notes: unknown
  readonly calls?: unknown
}

const suite = (environment: () => Readonly<Record<string, string>>) => {
  const file = (content: unknown, name = "export.json") => {
    const path = join(folder(), name)
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
    return path
  }
  const run = (...words: ReadonlyArray<string>) => tollgate(environment(), "reconcile", ...words)
  const json = async (...words: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await run(...words, "--json")
    if (stdout === "") throw new Error(stderr)
    return { code, ...(JSON.parse(stdout) as Found) }
  }
  /** `model kind theirs ours difference`, for each line. */
  const brief = (lines: ReadonlyArray<Fields>) =>
    lines.map(({ difference, kind, model, ours, theirs }) => [model, kind, theirs, ours, difference].join(" "))

  const anthropicUsage = (opusOutput = 51) => ({
    data: [
      {
        starting_at: `${day}T00:00:00Z`,
        ending_at: "2026-11-04T00:00:00Z",
        results: [
          {
            model: "claude-opus-5-5-20260901",
            uncached_input_tokens: 110,
            cache_read_input_tokens: 10_000,
            cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
            output_tokens: opusOutput,
            server_tool_use: { web_search_requests: 2 }
          },
          {
            model: "claude-haiku-5-5",
            uncached_input_tokens: 7,
            cache_read_input_tokens: 0,
            cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
            output_tokens: 3,
            server_tool_use: null
          }
        ]
      }
    ],
    has_more: false,
    next_page: null
  })

  const costs = (results: ReadonlyArray<object>, more: object = {}) => ({
    object: "page",
    has_more: false,
    next_page: null,
    data: [{ object: "bucket", start_time: start, end_time: start + 86_400, results, ...more }]
  })
  const costOf = (line_item: string | null, value: unknown, more: object = {}) => ({
    object: "organization.costs.result",
    amount: { value, currency: "usd" },
    line_item,
    ...more
  })

  it("Anthropic's usage is compared by kind, each part under its own model, dated names under their family", async () => {
    const found = await json(file(anthropicUsage()))
    expect([found.code, found.upstreams]).toEqual([0, ["anthropic"]])
    expect(brief(found.lines)).toEqual([
      "claude-haiku-5-5 input 7 7 0",
      "claude-haiku-5-5 output 3 3 0",
      "claude-opus-5-5 input 110 110 0",
      "claude-opus-5-5 cache_read 10000 10000 0",
      "claude-opus-5-5 cache_write 3000 3000 0",
      "claude-opus-5-5 cache_write_long 2000 2000 0",
      "claude-opus-5-5 output 51 51 0",
      "claude-opus-5-5 web_search 2 2 0"
    ])
    expect(found.lines[2]).toMatchObject({ calls: 3, estimated: 1, unknown: 1, ran_other_models: 1 })
  })

  it("a difference beyond the tolerance is exit code 1, and the calls behind it are listed, the suspicious first", async () => {
    const path = file(anthropicUsage(1_051))
    const { code, stderr, stdout } = await run(path, "--calls")
    expect([code, stderr]).toEqual([1, "1 of 8 lines differ by more than 0.5 %.\n"])
    expect(stdout).toMatch(/output +1051 +51 +\+1000 +\+95\.14 % +3 +differs, 1 unknown, 1 estimated/)
    expect(stdout.match(/^req_\w+/gm)).toEqual(expect.arrayContaining(["req_a1", "req_a2", "req_a3"]))
    expect(stdout).not.toContain("req_o1")
    expect(stdout).toMatch(/^req_a3 .*unknown end$/m)
    expect((await run(path, "--tolerance", "96")).code).toBe(0)
    // Without the second call, the difference is that call.
    const { calls } = await json(file(anthropicUsage(50)), "--calls", "--tolerance", "0")
    expect(calls).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ request_id: "req_a2", notes: ["equals the difference of output", "estimated"] })
      ])
    )
    const haiku = await json(path, "--calls", "--day", day, "--model", "claude-haiku-5-5")
    expect([haiku.code, haiku.lines.length]).toEqual([0, 2])
    expect(haiku.calls).toMatchObject([{ request_id: "req_a1" }])
  })

  it("Anthropic's costs are cents; ours is the list value, and the output says so", async () => {
    const result = { amount: "2.446", currency: "USD", cost_type: "tokens", model: opus, description: null }
    const path = file({
      data: [{ starting_at: `${day}T00:00:00Z`, ending_at: "2026-11-04T00:00:00Z", results: [result] }],
      has_more: false
    })
    const found = await json(path)
    expect([found.code, brief(found.lines)]).toEqual([0, ["claude-opus-5-5 cost 24460000 24460000 0"]])
    expect(found.lines[0]).toMatchObject({ unit: "nano_usd", by_list: 2 })
    expect(found.notes).toEqual([expect.stringContaining("list price")])
  })

  it("OpenAI's costs keep their digits, and are compared with what the upstream charges", async () => {
    const tokens = (quantity: number) => ({ quantity, quantity_unit: "tokens" })
    const path = file(
      costs([
        costOf("gpt-6-astra-2026-08-01, input_tokens", 0.016, tokens(1_600)),
        costOf("gpt-6-astra-2026-08-01, cached input", 5e-4, tokens(500)),
        costOf("gpt-6-astra-2026-08-01, output_tokens", 0.006, tokens(260)),
        costOf("gpt-6-astra", -1.5)
      ])
    )
    const found = await json(path)
    expect(brief(found.lines)).toEqual([
      "gpt-6-astra cost 22500000 22500000 0",
      "gpt-6-astra input 1600 1600 0",
      "gpt-6-astra cache_read 500 500 0",
      "gpt-6-astra output 260 260 0"
    ])
    expect(found).toMatchObject({ code: 0, not_compared: { credits: "-1500000000" }, upstreams: ["openai"] })
    expect(found.lines[0]).toMatchObject({ by_list: 0, over_midnight: 1, calls: 2 })
    expect((await run(path)).stdout).toContain("Not compared: credits of -1.5 USD.")
  })

  it("OpenAI's usage may have hours: only calls within them count, and the day is told to be partial", async () => {
    const path = file(
      costs(
        [
          {
            object: "organization.usage.completions.result",
            model: "gpt-6-astra",
            input_tokens: 1_500,
            input_cached_tokens: 500,
            output_tokens: 200,
            num_model_requests: 1
          }
        ],
        { end_time: start + 43_200 }
      )
    )
    const found = await json(path)
    expect([found.code, found.partial_days]).toEqual([0, [day]])
    expect(brief(found.lines)).toEqual([
      "gpt-6-astra input 1000 1000 0",
      "gpt-6-astra cache_read 500 500 0",
      "gpt-6-astra output 200 200 0",
      "gpt-6-astra requests 1 1 0"
    ])
  })

  it("an export without models is compared by day, of the upstream that is named", async () => {
    const found = await json(file(costs([costOf(null, 0.0225)])), "--upstream", "openai")
    expect([found.code, brief(found.lines)]).toEqual([0, [" cost 22500000 22500000 0"]])
  })

  it("Google's billing rows are read as JSON lines, as an array and as CSV; the model is found in the SKU", async () => {
    const row = {
      service: { description: "Gemini API" },
      sku: { id: "1", description: "Gemini 3.8 Flash Text Input - Predictions" },
      usage_start_time: `${day} 10:00:00 UTC`,
      cost: 0.0003,
      currency: "USD",
      cost_type: "regular",
      credits: [{ name: "trial", amount: -0.0001 }]
    }
    const rows = [
      row,
      {
        ...row,
        sku: { id: "2", description: "Gemini 3.8 Flash Text Output - Predictions" },
        cost: 0.0002,
        credits: []
      },
      { ...row, sku: { id: "3", description: "Tax" }, cost: 0.01, cost_type: "tax", credits: [] }
    ]
    const csv =
      "usage_start_time,sku.description,cost,currency,cost_type,credits\n" +
      rows
        .map(
          (of) =>
            `${of.usage_start_time},"${of.sku.description}",${of.cost},USD,${of.cost_type},${of.credits[0]?.amount ?? ""}`
        )
        .join("\r\n")
    for (const path of [file(rows), file(rows.map((one) => JSON.stringify(one)).join("\n")), file(csv, "rows.csv")]) {
      const found = await json(path)
      expect([found.code, brief(found.lines)]).toEqual([0, ["gemini-3.8-flash cost 500000 500000 0"]])
      expect(found).toMatchObject({ provider: "google", not_compared: { credits: "-100000", tax: "10000000" } })
    }
  })

  it("any table is read by its columns, and Anthropic's own table by theirs", async () => {
    const table = file(
      `Datum;Modell;Art;Menge;Betrag\n${day};my-astra;Input tokens;1600;\n${day};my-astra;;;0.0225\n`,
      "a.csv"
    )
    const columns = "day=Datum,model=Modell,kind=Art,quantity=Menge,amount=Betrag"
    const found = await json(table, "--columns", columns, "--alias", "my-astra=gpt-6-astra")
    expect([found.code, brief(found.lines)]).toEqual([
      0,
      ["gpt-6-astra cost 22500000 22500000 0", "gpt-6-astra input 1600 1600 0"]
    ])
    const console = file(
      "usage_date_utc,model_version,workspace,usage_input_tokens_no_cache,usage_output_tokens\n" +
        `${day},${opus},Default,110,51\n${day},${opus},Other,9,9\n${day},claude-haiku-5-5,Default,7,3\n`,
      "b.csv"
    )
    const rows = await json(console, "--where", "workspace=Default")
    expect([rows.code, rows.lines.length]).toEqual([0, 4])
  })

  it("lines that only one side has are told to be so", async () => {
    const { code, stdout } = await run(file(costs([costOf("gpt-9, input", 1)])), "--upstream", "openai")
    expect(code).toBe(1)
    expect(stdout).toMatch(/gpt-9 +cost +1 USD +- +\+1 USD +\+100\.00 % +0 +differs, only theirs/)
    expect(stdout).toMatch(/gpt-6-astra +cost +- +0\.0225 USD +-0\.0225 USD +-100\.00 % +2 +differs, only ours/)
    expect((await run(file(costs([costOf("gpt-9, input", 1)])), "--from", "2026-11-04")).code).toBe(0)
  })

  it("the same page counts once, a missing last page is told, and overlapping buckets are refused", async () => {
    const page = costs([costOf("gpt-6-astra, input", 0.0225)])
    const twice = await json(file(page), file(page))
    expect([twice.code, brief(twice.lines)]).toEqual([0, ["gpt-6-astra cost 22500000 22500000 0"]])
    expect(twice.notes).toEqual(["Buckets that appear twice, and count once: 1."])
    expect((await json(file({ ...page, has_more: true }))).notes).toEqual([expect.stringContaining("last page")])
    const { code, stderr } = await run(file(page), file(costs([], { end_time: start + 3_600 })))
    expect([code, stderr]).toEqual([1, expect.stringContaining("overlaps another")])
  })

  it("what is wrong is told with its place", async () => {
    const euro = costs([{ ...costOf("a, input", 1), amount: { value: 1, currency: "eur" } }])
    for (const [content, says] of [
      ["", /: the file is empty/],
      ['{"data": [\n  {"a": 1,}', /not JSON: .*line 2 column 11/],
      ['{"data": [', /: not JSON: Unexpected end/],
      ["[1, 2]", /, 0: expected an object/],
      ['{"a": tru}', /: not JSON: /],
      ['{"data": [{"hello": 1}]}', /, data\.0: neither buckets/],
      [`{"a": ${"[".repeat(1_000)}${"]".repeat(1_000)}}`, /nested too deeply/],
      [JSON.stringify(euro), /, data\.0, results\.0\.amount\.currency: the amount is in EUR; only USD/],
      [JSON.stringify(costs([costOf("a", "free")])), /amount\.value: expected a number such as 12.5, found "free"/],
      [
        JSON.stringify(costs([{ object: "organization.usage.images.result", images: 1 }])),
        /images.result cannot be compared/
      ],
      ["date,model,amount\n2026-11-03,a,1\n", /, line 2: no column is called day; the file has date, model, amount/],
      ["day,day,amount\n2026-11-03,a,1\n", /: two columns are called day/],
      ["day,model,amount\n2026-11-03,a\n", /columns length is 3, got 2 on line 2/],
      ["day,model,amount\n2026-02-30,a,1\n", /, line 2, day: expected a day/],
      ['day,model,amount\n2026-11-03,a,"1,5"\n', /, line 2, amount: expected a number/],
      ['day,model,amount\n2026-11-03,"a,1\n', /Quote Not Closed/],
      [`day,model,amount\n2026-11-03,"${"a,1\n".repeat(500_000)}`, /Max Record Size/],
      ["day,model,kind,quantity\n2026-11-03,a,input,-1\n", /, line 2, quantity: a count below zero/]
    ] as const) {
      const { code, stderr, stdout } = await run(file(content))
      expect([code, stdout], content.slice(0, 80)).toEqual([1, ""])
      expect(stderr).toMatch(says)
      expect(stderr.trimEnd()).not.toContain("\n")
    }
    expect((await run("/no/such/file")).stderr).toMatch(/^Cannot read \/no\/such\/file: ENOENT/)
    const bytes = join(folder(), "zip")
    writeFileSync(bytes, new Uint8Array([0x1f, 0x8b, 8, 0]))
    expect((await run(bytes)).stderr).toContain("not text in UTF-8")
  })

  it("nothing in a file commands the terminal, and other encodings are told", async () => {
    const table = file("day,model,kind,quantity\n2026-11-03,\u001b[2J\u202ered\u001b]0;x\u0007,=1+1,5\n")
    const shown = (await run(table)).stdout
    expect(shown).toMatch(/2026-11-03 {2}.*red.* +5 /)
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
    expect((await run(file('[{"\\u001b[2J":1}'))).stderr).not.toContain("\u001b")
    expect((await run(file("\ufeffday,model,kind,quantity\r\n2026-11-03,a,input,5\r\n"))).stdout).toContain(
      "only theirs"
    )
    const sixteen = join(folder(), "utf16.csv")
    writeFileSync(sixteen, "\ufeffday,model,amount\n2026-11-03,a,1\n", "utf16le")
    expect((await run(sixteen)).stderr).toContain("not text in UTF-8")
  })
}

describe("tollgate reconcile on SQLite", () => {
  const data = folder()
  beforeAll(async () => {
    await (await startGateway({ TOLLGATE_DATA: data })).stop()
    const db = new DatabaseSync(join(data, "tollgate.db"))
    for (const call of calls) db.exec(insert(call))
    db.close()
  })
  suite(() => ({ TOLLGATE_DATA: data }))
})

describe.runIf(alsoOnPostgres)("tollgate reconcile on PostgreSQL", () => {
  const data = folder()
  let address = ""
  beforeAll(async () => {
    address = Redacted.value(await Effect.runPromise(Scope.provide(emptyDatabase, scope)))
    await (await startGateway({ TOLLGATE_DATA: data, TOLLGATE_STORE: address })).stop()
    await Effect.runPromise(
      SqlClient.use((sql) => Effect.forEach(calls, (call) => sql.unsafe(insert(call)), { discard: true })).pipe(
        Effect.provide(PostgresClient.layer({ address: Redacted.make(address) }))
      )
    )
  })
  suite(() => ({ TOLLGATE_DATA: data, TOLLGATE_STORE: address }))
})
