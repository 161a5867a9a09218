import { expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Audit } from "@tollgate/gateway"
import { providerDefaults } from "@tollgate/gateway/upstream/Provider"
import { key, TestGateway } from "@tollgate/testing"
import { startGateway, waitForExit } from "@tollgate/testing/crash/process"
import { countOf } from "@tollgate-tooling/programs/counts.ts"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

const leaves = countOf("LEAVES", 500, 5_000)
const callers = 50
/** Half of the upstream's connections. */
const most = providerDefaults.connections / 2

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const word = data({ choices: [{ index: 0, delta: { content: "word" }, finish_reason: null }] })
/** 10 tokens at 2 and 5,000 at 10 USD per million. */
const charged = 50_020
const report =
  data({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  data({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5_000 } }) +
  "data: [DONE]\n\n"

/** Sends a word of each stream, and then only signs of life, until the test ends it. */
const startUpstream = async () => {
  const streams = new Map<string, ServerResponse>()
  let mostOpen = 0
  const isOpen = (response: ServerResponse) => !response.destroyed
  const openNow = () => [...streams.values()].filter(isOpen).length
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      streams.set(String(request.headers["x-request-id"]), response)
      response.writeHead(200, { "content-type": "text/event-stream" }).write(word)
      mostOpen = Math.max(mostOpen, openNow())
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const alive = setInterval(() => {
    for (const response of streams.values()) if (isOpen(response)) response.write(": thinking\n\n")
  }, 2_000)
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streams,
    isOpen,
    openNow,
    mostOpen: () => mostOpen,
    stop: () => {
      clearInterval(alive)
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Leaves after the first word. */
const leave = async (baseUrl: string): Promise<void> => {
  const abort = new AbortController()
  const response = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: "POST",
    signal: abort.signal,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "thinker", messages: [{ role: "user", content: "Hi" }], stream: true })
  })
  expect(response.status).toBe(200)
  await response.body?.getReader().read()
  abort.abort()
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((next) => setTimeout(next, 10))
}

/** Of a process, in megabytes. `undefined`: the machine does not tell. */
const memoryOf = (pid: number | undefined): number | undefined => {
  const file = `/proc/${pid}/status`
  const found = existsSync(file) ? /VmRSS:\s+(\d+) kB/.exec(readFileSync(file, "utf8")) : undefined
  return found ? Number(found[1]) / 1024 : undefined
}

interface Call {
  readonly id: string
  readonly state: string
  readonly cost_state: string | null
  readonly charged: number
}

it.live(`${leaves} streams are left, some report, and the gateway is killed while it reads the others on`, () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-leaves-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const filename = join(folder, "tollgate.db")
    yield* Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      yield* accounts.topUp(account, micro(1_000_000_000n), "for the campaign")
    }).pipe(Effect.provide(TestGateway.layer({ filename })))

    const { finished, left, memory, mostOpen, open } = yield* Effect.promise(async () => {
      const upstream = await startUpstream()
      const started = await startGateway(filename, upstream.baseUrl, "", 0)
      if (started === undefined) throw new Error("the gateway did not start")
      let rest = leaves
      const caller = async () => {
        while (rest-- > 0) await leave(started.baseUrl)
      }
      await Promise.all(Array.from({ length: callers }, caller))
      await until(() => upstream.openNow() <= most)
      const memory = memoryOf(started.child.pid)
      const readOn = [...upstream.streams].filter(([, response]) => upstream.isOpen(response))
      const [finished, others] = [readOn.slice(0, readOn.length / 2), readOn.slice(readOn.length / 2)]
      await Promise.all(finished.map(([, response]) => new Promise<void>((sent) => response.end(report, sent))))
      const database = new DatabaseSync(filename, { readOnly: true })
      const settled = database.prepare("SELECT COUNT(*) AS n FROM calls WHERE cost_state = 'settled'")
      await until(() => Number(settled.get()?.n) >= finished.length / 2)
      database.close()
      const open = others.filter(([, response]) => upstream.isOpen(response)).map(([id]) => id)
      started.child.kill("SIGKILL")
      await waitForExit(started.child)
      upstream.stop()
      return {
        finished: new Set(finished.map(([id]) => id)),
        left: upstream.streams.size,
        memory,
        mostOpen: upstream.mostOpen(),
        open: new Set(open)
      }
    })

    const { account, audit, calls, credited } = yield* Effect.gen(function* () {
      const { account, accounts, sql } = yield* TestGateway
      const [sum] = yield* sql<{ readonly n: number }>`SELECT SUM(amount) AS n FROM entries`
      return {
        account: yield* accounts.get(account),
        audit: yield* Effect.provideService(Audit.run, SqlClient, sql),
        calls: yield* sql<Call>`SELECT id, state, cost_state, charged FROM calls WHERE owner <> ''`,
        credited: sum?.n ?? 0
      }
    }).pipe(Effect.provide(TestGateway.layer({ filename })))

    const settled = calls.filter(({ cost_state }) => cost_state === "settled")
    const estimated = calls.filter(({ cost_state }) => cost_state === "estimated")
    const unknown = calls.filter(({ state }) => state === "unknown")
    console.log(
      `${left} left, ${finished.size} reported, ${open.size} read on at the kill; ${settled.length} settled, ` +
        `${estimated.length} estimated, ${unknown.length} unknown; ${mostOpen} connections, ${memory?.toFixed()} MB`
    )
    expect([left, calls.length]).toEqual([leaves, leaves])
    expect(settled.length + estimated.length + unknown.length).toBe(leaves)
    expect(settled.length).toBeGreaterThanOrEqual(finished.size / 2)
    expect(finished.size).toBeGreaterThan(0)
    expect(open.size).toBeGreaterThan(0)
    // What reported is charged as reported, if that was recorded in time. Nothing else is.
    expect(settled.filter((call) => !finished.has(call.id) || call.charged !== charged)).toEqual([])
    // Beyond the bound they are estimated. What was read on at the kill is unknown, and free.
    expect(estimated.filter((call) => finished.has(call.id) || call.charged <= 0 || call.charged >= charged)).toEqual(
      []
    )
    expect(unknown.filter((call) => call.charged !== 0 || (!open.has(call.id) && !finished.has(call.id)))).toEqual([])
    expect(mostOpen).toBeLessThanOrEqual(providerDefaults.connections)
    if (memory !== undefined) expect(memory).toBeLessThan(1_000)
    expect(account).toMatchObject({ reserved: 0n })
    expect(Number(account.balance)).toBe(credited - calls.reduce((sum, { charged }) => sum + charged, 0))
    expect(audit.differences).toEqual([])
  }).pipe(Effect.scoped)
)
