import { type ChildProcess, execFile, spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../../../..")
const run = promisify(execFile)

/** All that a person writes to add an operation. The name is one that no real operation will have. */
const written = `import * as Schema from "effect/Schema"
import * as declared from "../errors/Family.ts"
import { usd } from "../Money.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as limits from "../limits.ts"

export const summary = "Say how a tea tastes"

export const teaTasting = Operation.make({
  id: "tea_tasting",
  category: "models",
  method: "POST",
  path: "/v1/tea-tasting",
  request: { body: Open({ input: Schema.NonEmptyString.annotate({ description: "The tea to taste." }) }) },
  success: Open({ id: Schema.String, results: Schema.Array(Open({ sweet: Schema.Boolean })) }),
  errors: declared.billed,
  family: "openai",
  price: { contract: "per_request", amount: usd("0.002") },
  limit: limits.standard,
  replay: "billed",
  upstream: "native",
  beyond: true
})
`

/** One whose answer is a file. */
const writtenSound = written
  .replace("import * as declared", 'import { binary } from "../binary.ts"\nimport * as declared')
  .replace("Say how a tea tastes", "Play how a tea boils")
  .replaceAll("teaTasting", "teaSound")
  .replaceAll(/tea([_-])tasting/g, "tea$1sound")
  .replace(/success: .*/, '...binary("audio/mpeg"),')

/** A program that calls it by the client's functions. */
const program = `import { Effect } from "effect"
import { createClient, teaSound, teaTasting, type TeaTastingInput, type TeaTastingResult, NodeClient } from "./effect.ts"

const [baseUrl = "", credential = ""] = process.argv.slice(2)
const input: TeaTastingInput = { input: "Assam" }
const layer = NodeClient.layer({ baseUrl, credential })
const byEffect: TeaTastingResult = await Effect.runPromise(Effect.provide(teaTasting(input), layer))
const tollgate = createClient({ baseUrl, credential })
const byPromise: TeaTastingResult = await tollgate.teaTasting(input)
const { bytes, contentType } = await tollgate.teaSound(input)
const { bytes: same } = await Effect.runPromise(Effect.provide(teaSound(input), layer))
const { max_micros_usd: most } = await tollgate.quote.teaSound(input)
const capped = await tollgate.withBudget("1.00").teaSound(input)
const sound = { contentType, most, sizes: new Set([bytes, same, capped.bytes].map(({ length }) => length)).size }
const { max_micros_usd } = await tollgate.quote.teaTasting(input)
await tollgate.close()
console.log(JSON.stringify({ byEffect: byEffect.results[0]?.sweet, byPromise: byPromise.results[0]?.sweet, max_micros_usd, sound }))
`

const answer = { id: "id", results: [{ sweet: true }] }

const copied = [
  ...["contract", "protocols", "client", "gateway", "ledger", "node", "sandbox", "server", "tools"].map(
    (name) => `packages/${name}`
  ),
  "apps/console",
  "apps/gateway",
  "tooling/generate",
  "tooling/release/src",
  "tooling/tsconfig",
  "docs",
  "package.json",
  ".oxfmtrc.json"
]

const isCopied = (path: string): boolean => !["dist", "test", ".bundle", ".turbo"].includes(basename(path))

let copy: string
let gateway: ChildProcess | undefined
let address: string
let key: string

const node = (...args: ReadonlyArray<string>) => run(process.execPath, [...args], { cwd: copy })
const tsc = (project: string) => run(join(root, "node_modules/.bin/tsc"), ["-b", project], { cwd: copy })
const read = (file: string): string => readFileSync(join(copy, file), "utf8")
const write = (file: string, text: string): void => writeFileSync(join(copy, file), text)

const start = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["apps/gateway/src/main.ts"], {
      cwd: copy,
      env: { PATH: process.env.PATH, TOLLGATE_PORT: "0", TOLLGATE_DATA: join(copy, "data") },
      stdio: ["ignore", "pipe", "pipe"]
    })
    gateway = child
    let printed = ""
    const take = (text: string) => {
      printed += text
      if (printed.includes("Ctrl-C")) resolve(printed)
    }
    child.stdout.setEncoding("utf8").on("data", take)
    child.stderr.setEncoding("utf8").on("data", take)
    child.once("close", () => reject(new Error(printed)))
  })

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), "tollgate-operation-"))
  for (const path of copied) {
    cpSync(join(root, path), join(copy, path), { recursive: true, verbatimSymlinks: true, filter: isCopied })
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  write("packages/contract/src/operations/teaTasting.ts", written)
  write("packages/contract/src/operations/teaSound.ts", writtenSound)
  await node("tooling/generate/src/main.ts")
  const banner = await start()
  address = /Tollgate (http:\S+)/.exec(banner)?.[1] ?? ""
  key = /key {6}(tg_\S+)/.exec(banner)?.[1] ?? ""
})

afterAll(async () => {
  gateway?.kill("SIGTERM")
  if (gateway?.exitCode === null) await new Promise((resolve) => gateway?.once("close", resolve))
  rmSync(copy, { recursive: true, force: true })
})

const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(`${address}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
  return response.json()
}

const tool = async (name: string, args: object) => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "tollgate/structured": true
  }
  const { result } = await post(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta: meta } },
    {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name
    }
  )
  return result.structuredContent
}

describe("an operation that is described in one file, after `pnpm generate`,", () => {
  it("is called by the command of the reference page", async () => {
    const [, page = ""] = read("docs/reference.md").split("#### tea_tasting\n")
    const [, command = ""] = /```sh\n([\s\S]*?)```/.exec(page) ?? []
    const called = command.replace("http://127.0.0.1:8787", address).trimEnd()
    const { stdout } = await run("bash", ["-c", `${called} --silent`], {
      env: { ...process.env, TOLLGATE_KEY: key }
    })
    expect(JSON.parse(stdout)).toEqual(answer)
  })

  it("is called by that command for a file, and charged", async () => {
    const [, page = ""] = read("docs/reference.md").split("#### tea_sound\n")
    const [, command = ""] = /```sh\n([\s\S]*?)```/.exec(page) ?? []
    const called = command.replace("http://127.0.0.1:8787", address).trimEnd()
    const { stdout } = await run("bash", ["-c", `${called} --silent --dump-header - && cat answer`], {
      cwd: copy,
      env: { ...process.env, TOLLGATE_KEY: key }
    })
    expect(stdout).toContain("content-type: audio/mpeg")
    expect(stdout).toContain("x-tollgate-cost-micros-usd: 2000")
    expect(stdout.endsWith("\n\r\nA file from the sandbox")).toBe(true)
  })

  it("is checked and quoted", async () => {
    expect(await post("/v1/tea-tasting", { input: "" })).toMatchObject({ error: { code: "invalid_request" } })
    expect(await post("/v1/tea-tasting", { input: "x" }, { "x-tollgate-cost-mode": "quote" })).toMatchObject({
      operation_id: "tea_tasting",
      max_micros_usd: 2_000,
      price_contract: "per_request"
    })
  })

  it("has functions with types in the client, as an effect and as a promise", { timeout: 300_000 }, async () => {
    write("packages/node/src/program.ts", program)
    await tsc("packages/node")
    const { stdout } = await node("packages/node/src/program.ts", address, key)
    expect(JSON.parse(stdout)).toEqual({
      byEffect: true,
      byPromise: true,
      max_micros_usd: 2_000,
      sound: { contentType: "audio/mpeg", most: 2_000, sizes: 1 }
    })
  })

  it("is described to an editor", () => {
    const functions = read("packages/client/src/generated/operations.ts")
    const [tasting = ""] = /(?<=\n\n)\/\*\*\n(?: \*.*\n)+export const teaTasting: /.exec(functions) ?? []
    expect(tasting).toContain(" * Say how a tea tastes.\n")
    expect(tasting).toContain(' * const answer = yield* teaTasting({ input: "input" })')
    const types = read("packages/client/src/generated/operationTypes.ts")
    const [input = ""] = /export interface TeaTastingInput[\s\S]*?\n}/.exec(types) ?? []
    expect(input).toContain("/** The tea to taste. */")
  })

  it("is found, described and used by agents", async () => {
    const { results } = await tool("search", { query: "how does this tea taste?" })
    expect(results[0].operation_id).toBe("tea_tasting")
    const details = await tool("get_details", { operation_id: "tea_tasting" })
    expect(JSON.stringify(details)).toContain("The tea to taste.")
    const used = await tool("use", {
      operation_id: "tea_tasting",
      arguments: { input: "Assam" },
      max_price_usd: 0.01
    })
    expect(JSON.stringify(used)).toContain(JSON.stringify(answer).slice(1, -1))
  })

  it("is in the OpenAPI document of the gateway", async () => {
    const { contentHash } = await (await fetch(`${address}/api/contracts/version`)).json()
    const source = await fetch(`${address}/api/contracts/source?hash=${contentHash}&operation_id=tea_tasting`)
    expect(await source.text()).toContain("The tea to taste.")
  })
})

describe("a file that is no operation is named", () => {
  const refusal = async (file: string, text: string) => {
    const path = `packages/contract/src/operations/${file}`
    write(path, text)
    const failed = await node("tooling/generate/src/main.ts").catch((error: { readonly stderr: string }) => error)
    rmSync(join(copy, path))
    return failed.stderr
  }

  it("if its export has another name, or if the format of its events is missing", async () => {
    expect(await refusal("coffeeTasting.ts", written)).toContain(
      "packages/contract/src/operations/coffeeTasting.ts: has no `export const coffeeTasting = Operation.make({ … })`"
    )
    const streams = written.replaceAll("teaTasting", "streams").replace("  errors:", "  event: Open({}),\n  errors:")
    expect(await refusal("streams.ts", streams)).toContain(
      "packages/contract/src/operations/streams.ts: `event` and `client.stream` go together"
    )
  })
})
