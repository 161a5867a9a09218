import { afterAll, describe, expect, it } from "vitest"
import { LineWriter } from "../../src/observe/logging.ts"
import { addressIn, folder, keyIn, type Program, removeFolders, rerank, start } from "../program.ts"
import { tollgate } from "../tollgate.ts"

afterAll(removeFolders)

/** The banner of a program that logs JSON is on standard error. */
const bannerOf = async ({ child, ended }: Program): Promise<string> => {
  let text = ""
  const whole = new Promise<string>((resolve) =>
    child.stderr?.on("data", (part) => {
      text += String(part)
      if (text.includes("Ctrl-C")) resolve(text)
    })
  )
  return Promise.race([whole, ended.then(({ stderr, stdout }) => stdout + stderr)])
}

const linesIn = (stdout: string): ReadonlyArray<Record<string, unknown>> =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line))

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"

it("each call has a line of JSON, with its ids and its exact cost; nothing else is on standard output", async () => {
  const program = start({ TOLLGATE_DATA: folder(), TOLLGATE_LOG_FORMAT: "json", TOLLGATE_LOG_CALLS: "all" })
  const banner = await bannerOf(program)
  const [address, key] = [addressIn(banner), keyIn(banner)]
  const first = await rerank(address, key, {
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    "x-tollgate-tags": "team=search,job=nightly"
  })
  const failed = await rerank(address, key, { "x-tollgate-scenario": "status; code=500" })
  const refused = await rerank(address, `${key}x`)
  const ask = (model: string) =>
    fetch(`${address}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [] })
    })
  const hostile = await ask('x"\n{"level":"error"}\u001b[2J')
  const telling = await ask(`x${key}`)
  await Promise.all([first, failed, refused, hostile, telling].map((answer) => answer.text()))
  const { stdout } = await program.stop()
  const lines = linesIn(stdout)
  expect(lines).toHaveLength(5)
  expect(lines[0]).toMatchObject({
    level: "info",
    message: "call",
    requestId: first.headers.get("x-request-id"),
    traceId,
    operation: "rerank",
    upstream: "sandbox",
    status: 200,
    outcome: "executed",
    costState: "settled",
    tags: { team: "search", job: "nightly" },
    chargeMicros: Number(first.headers.get("x-tollgate-cost-micros-usd"))
  })
  expect(Object.keys(lines[0] ?? {})).toEqual(
    expect.arrayContaining(["time", "account", "key", "durationMillis", "firstByteMillis"])
  )
  expect(lines[1]).toMatchObject({ level: "warn", status: 500 })
  expect(lines[2]).toMatchObject({ level: "info", status: 401, code: "invalid_credential", outcome: "not executed" })
  expect(lines[3]).toMatchObject({ level: "info", model: 'x"\n{"level":"error"}\u001b[2J' })
  expect(lines[4]).toMatchObject({ level: "info", status: 400, outcome: "not executed" })
  expect(stdout).not.toContain("\u001b")
  expect(stdout).not.toContain(key)
})

it("only failures, only above a level: readable by people", async () => {
  const program = start({ TOLLGATE_DATA: folder(), TOLLGATE_LOG_CALLS: "failures", TOLLGATE_LOG_LEVEL: "warn" })
  const banner = await program.started
  const [address, key] = [addressIn(banner), keyIn(banner)]
  await (await rerank(address, key)).text()
  await (await rerank(address, "wrong")).text()
  await (await rerank(address, key, { "x-tollgate-scenario": "status; code=500" })).text()
  const { stdout } = await program.stop()
  const lines = stdout.slice(banner.length).trimEnd().split("\n")
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^\S+Z WARN {2}call requestId=req_\w+ operation=rerank .*status=500/)
})

it.each(["TOLLGATE_LOG_FORMAT", "TOLLGATE_LOG_LEVEL", "TOLLGATE_LOG_CALLS"])(
  "an unknown choice of %s is refused by name",
  async (name) => {
    const { code, stderr } = await tollgate({ TOLLGATE_DATA: folder(), [name]: "yes" }, "start")
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^${name} must be one of `))
  }
)

describe("log lines that nobody reads", () => {
  it("wait up to a bound; the rest is dropped, and counted when there is room again", () => {
    const written: Array<string> = []
    const target = {
      writableLength: 0,
      write: (text: string) => {
        written.push(text)
        target.writableLength += text.length
        return false
      }
    }
    const writer = new LineWriter(target, (dropped) => `dropped ${dropped}\n`)
    const line = `${"x".repeat(1_023)}\n`
    for (let i = 0; i < 5_000; i++) writer.write(line)
    expect(written).toHaveLength(1_024)
    target.writableLength = 0
    writer.write("again\n")
    expect(written.slice(1_024)).toEqual([`dropped ${5_000 - 1_024}\n`, "again\n"])
    expect(writer.dropped).toBe(5_000 - 1_024)
  })
})
