import { defaults, fill } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { Example } from "@tollgate/contract/reference/Example"
import { examplesOf } from "@tollgate/contract/reference/examples"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Schema from "effect/Schema"
import { execFile, execFileSync } from "node:child_process"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "./program.ts"
import { type Gateway, startGateway, tollgate } from "./tollgate.ts"

const page = join(import.meta.dirname, "../../../docs/reference.md")
const written = readFileSync(page, "utf8")

const run = promisify(execFile)

/** What follows `#### id` and before the next heading, in code blocks of a shell. */
const blocksOf = (id: string): ReadonlyArray<string> => {
  const section = written.split(/^#{2,4} /m).find((part) => part.startsWith(`${id}\n`)) ?? ""
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block)
}

const allBlocks = [...written.matchAll(/^```sh\n(.*?)^```$/gms)]
  .map(([, block = ""]) => block)
  .filter((block) => block.includes("curl"))

interface Expected {
  readonly name: string
  readonly block: string
  readonly operation: Operation
  readonly example: Example
}

const expected: ReadonlyArray<Expected> = operations.flatMap((operation) => {
  const id = fill(operation.id, defaults)
  const blocks = blocksOf(id)
  return examplesOf(operation).map((example, i) => ({
    name: [id, example.title].filter(Boolean).join(": "),
    block: blocks[i] ?? "",
    operation,
    example
  }))
})

const data = folder()
let gateway: Gateway | undefined
let address = ""
let key = ""

const curlIsHere = (): boolean => {
  try {
    execFileSync("curl", ["--version"])
    return true
  } catch {
    return false
  }
}

beforeAll(async () => {
  if (!curlIsHere()) {
    throw new Error(
      "curl is not installed, and every call of docs/reference.md needs it: apt install curl, apk add curl"
    )
  }
  gateway = await startGateway({ TOLLGATE_DATA: data })
  address = addressIn(gateway.banner)
  key = keyIn(gateway.banner)
  // The page has more calls than a key of the first tier may make in a minute.
  const { accounts } = JSON.parse((await tollgate({ TOLLGATE_DATA: data }, "accounts", "list", "--json")).stdout) as {
    readonly accounts: ReadonlyArray<{ readonly id: string }>
  }
  await tollgate({ TOLLGATE_DATA: data }, "topup", accounts[0]?.id ?? "", "1000")
})

afterAll(async () => {
  await gateway?.stop()
  removeFolders()
})

/** The head of the last answer, and its body. */
const paste = async (block: string) => {
  const here = folder()
  const head = join(here, "head")
  const quiet = `curl() { command curl --silent --show-error --dump-header '${head}' "$@"; }`
  const script = block.replaceAll("http://127.0.0.1:8787", address)
  for (const name of ["river.png", "river.wav"]) writeFileSync(join(here, name), "a file of the caller")
  const { stderr, stdout } = await run("bash", ["--norc", "-c", `set -euo pipefail\n${quiet}\n${script}`], {
    // A call may read a file of the caller, or write one.
    cwd: here,
    env: { PATH: process.env.PATH, TOLLGATE_KEY: key }
  })
  expect(stderr).toBe("")
  const lines = readFileSync(head, "utf8").trimEnd().split("\r\n")
  const headers = new Map(lines.slice(1).map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line]))
  const valueOf = (name: string) => headers.get(name)?.slice(name.length + 2) ?? ""
  return { status: Number(lines[0]?.split(" ")[1]), type: valueOf("content-type"), valueOf, body: stdout }
}

const decoded = (schema: Schema.Constraint, value: unknown): unknown =>
  Schema.decodeUnknownSync(schema as Schema.ConstraintCodec<unknown>)(value)

const eventsIn = (body: string): ReadonlyArray<unknown> =>
  body
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:") && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice(5)) as unknown)

const some = expect.arrayContaining([expect.anything()])

/** What an answer has that a wrong example's would not have, though it is well-formed too. */
const telling: Readonly<Record<string, object>> = {
  "task.get": { output: { task_status: expect.stringMatching(/^(?!UNKNOWN)/) } },
  "{social_b}.post_comments": { comments: some },
  "{social_a}.tweet_quotes": { tweets: some },
  "{reseller}.{social_c}.creator_search_insights_videos": { data: { videos: some } },
  "{reseller}.{social_b}.user_stories": { data: { items: some } },
  "{reseller}.cached_answer": { code: 200, data: { tag_name: "rivers" } },
  "models.list": { data: some },
  "models.list_gemini": { models: some },
  usage: { buckets: some }
}

/** An operation that only streams, asked for no events, answers with all of them in one array. */
const checkJson = ({ operation, example }: Expected, body: unknown) => {
  if (example.status !== undefined) {
    expect(body).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } })
  } else if (Array.isArray(body) && operation.event !== undefined) {
    expect(body.length).toBeGreaterThan(0)
    for (const event of body) decoded(operation.event, event)
  } else {
    decoded(operation.success, body)
    const { price } = operation
    if (price.contract === "body_code") expect(body).toMatchObject({ [price.field]: price.equals })
    expect(body).toMatchObject(telling[operation.id] ?? {})
  }
}

const check = (asked: Expected, { body, type }: Awaited<ReturnType<typeof paste>>) => {
  const { example, operation } = asked
  // `audio/*` stands for any sound.
  const mediaType = type.replace(/;.*/, "").replace(/^audio\/.*/, "audio/*")
  expect(mediaType).toBe(example.contentType ?? operation.contentType)
  if (mediaType === "text/event-stream" && operation.event !== undefined) {
    const events = eventsIn(body)
    expect(events.length).toBeGreaterThan(1)
    for (const event of events) decoded(operation.event, event)
    expect(body.trimEnd().split("\n").at(-1)).toMatch(/^: cost_micros_usd=[1-9]\d* cost_state=settled$/)
  } else if (mediaType === "application/json") checkJson(asked, JSON.parse(body))
  else if (operation.bytes === undefined) decoded(operation.success, body)
}

describe("docs/reference.md", () => {
  it("has no call that is not run below", () => {
    const known = new Set([...expected.map(({ block }) => block), ...blocksOf("Operations")])
    expect(allBlocks.filter((block) => !known.has(block))).toEqual([])
    expect(expected.filter(({ block }) => block === "").map(({ name }) => name)).toEqual([])
    expect(new Set(expected.map(({ operation }) => operation)).size).toBe(operations.length)
  })
})

describe("every call of docs/reference.md, pasted", () => {
  // In the page's own order: some need what an earlier one has done.
  const inOrder = expected.toSorted((one, other) => written.indexOf(one.block) - written.indexOf(other.block))

  it.each(inOrder.map((asked) => [asked.name, asked] as const))("%s", async (_, asked) => {
    const answer = await paste(asked.block)
    expect([answer.status, answer.body.slice(0, 500)]).toEqual([asked.example.status ?? 200, expect.any(String)])
    check(asked, answer)
  })

  it("a quote", async () => {
    const [block = ""] = blocksOf("Operations").filter((block) => block.includes("curl"))
    const { body, status } = await paste(block)
    expect(status).toBe(200)
    expect(Schema.decodeUnknownSync(Schema.fromJsonString(Quote))(body)).toMatchObject({ operation_id: "rerank" })
  })

  it("sales data are reported as unavailable", async () => {
    const { body } = await paste(blocksOf("sales_api_data")[0] ?? "")
    expect(JSON.parse(body)).toMatchObject({ freshness: "unavailable" })
  })

  it("the contract is served by its hash", async () => {
    const version = JSON.parse((await paste(blocksOf("contracts.version")[0] ?? "")).body) as { contentHash: string }
    const { body, valueOf } = await paste(blocksOf("contracts.source")[0] ?? "")
    expect(valueOf("x-tollgate-contract-hash")).toBe(version.contentHash)
    expect(JSON.parse(body)).toMatchObject({ openapi: expect.any(String), paths: expect.any(Object) })
  })

  it("the ledger is consistent afterwards", async () => {
    await gateway?.stop()
    const { code, stderr, stdout } = await tollgate({ TOLLGATE_DATA: data }, "audit", "--json")
    expect([code, stderr]).toEqual([0, ""])
    expect(JSON.parse(stdout)).toMatchObject({ differences: [], unknown: [], open: [] })
  })
})

describe("tollgate reference", () => {
  const command = (...words: ReadonlyArray<string>) => tollgate({}, "reference", ...words)

  it("prints the text of the page", async () => {
    const { code, stderr, stdout } = await command()
    expect([code, stderr]).toEqual([0, ""])
    expect(written).toContain(`<!-- operations -->\n\n${stdout}\n<!-- /operations -->\n`)
  })

  it("--into replaces that part of a page only", async () => {
    const copy = join(folder(), "reference.md")
    copyFileSync(page, copy)
    expect(await command("--into", copy)).toMatchObject({ code: 0, stdout: "", stderr: "" })
    expect(readFileSync(copy, "utf8")).toBe(written)
    writeFileSync(copy, "# Mine\n\n<!-- operations -->\nwhat was here\n<!-- /operations -->\n\nafter\n")
    expect(await command("--into", copy)).toMatchObject({ code: 0 })
    const now = readFileSync(copy, "utf8")
    expect(now).toMatch(/^# Mine\n\n<!-- operations -->\n\n### Account\n/)
    expect(now).toMatch(/```\n\n<!-- \/operations -->\n\nafter\n$/)
    expect(now).not.toContain("what was here")
  })

  it("says in one line why a page cannot be written", async () => {
    const copy = join(folder(), "page.md")
    expect(await command("--into", copy)).toMatchObject({ code: 1, stderr: `${copy} cannot be read.\n` })
    writeFileSync(copy, "nothing to replace\n")
    const ended = await command("--into", copy)
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/has no <!-- operations -->.*\n$/) })
    expect(readFileSync(copy, "utf8")).toBe("nothing to replace\n")
  })
})
