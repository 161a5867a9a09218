import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { key, TestGateway } from "@tollgate/testing"
import { startGateway, waitForExit } from "@tollgate/testing/crash/process"
import { alsoOnPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const milestones = ["reserved", "called", "committing", "committed", "settled"]
const callers = 8
const model = "m"

interface Told {
  readonly id?: string
  readonly store?: boolean
}

/** The response in an answer, if it came to its end. */
const toldIn = (text: string): Told | undefined => {
  const last = /event: response.completed\ndata: (.*)\n\n/.exec(text)
  if (last?.[1] !== undefined) return (JSON.parse(last[1]) as { readonly response: Told }).response
  return text.startsWith("{") ? (JSON.parse(text) as Told) : undefined
}

/** Asks one call after another until the gateway is killed. Returns the responses of which callers were told. */
const ask = async (baseUrl: string, first: boolean): Promise<ReadonlyArray<Told>> => {
  const all: Array<Told> = []
  let stream = first
  for (;;) {
    try {
      const response = await fetch(`${baseUrl}/v1/responses`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, input: "Why?", stream, previous_response_id: all.at(-1)?.id ?? null })
      })
      const told = toldIn(await response.text())
      if (response.status !== 200) throw new Error(`${response.status}`)
      if (told !== undefined) all.push(told)
    } catch {
      return all
    }
    stream = !stream
  }
}

describe.each([
  {
    store: "SQLite",
    has: true,
    made: Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-kept-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      ),
      (folder) => join(folder, "tollgate.db")
    )
  },
  { store: "PostgreSQL", has: alsoOnPostgres, made: Effect.map(migratedDatabase, Redacted.value) }
])("responses in $store", ({ has, made, store }) => {
  it.live.runIf(has)(
    "are kept if their calls are settled, and only then, also by a gateway that is killed",
    () =>
      Effect.gen(function* () {
        const address = yield* Effect.orDie(made)
        const database =
          store === "SQLite"
            ? TestGateway.layer({ filename: address })
            : TestGateway.layer({ database: Redacted.make(address) })
        yield* Effect.gen(function* () {
          const { account, accounts } = yield* TestGateway
          yield* accounts.topUp(account, micro(1_000_000_000n), "for the campaign")
        }).pipe(Effect.provide(database))

        let count = 0
        const { port } = yield* httpUpstream((res, { body }) => {
          const id = `resp_${++count}`
          const output = [{ type: "message", id: `msg_${count}`, role: "assistant", content: [] }]
          const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
          const response = { id, status: "completed", model, store: false, previous_response_id: null, output, usage }
          if (!body.includes('"stream":true')) {
            return void res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(response))
          }
          res.writeHead(200, { "content-type": "text/event-stream" })
          res.end(`event: response.completed\ndata: ${JSON.stringify({ type: "response.completed", response })}\n\n`)
        })
        const told: Array<Told> = []
        for (const [n, milestone] of milestones.entries()) {
          const started = yield* Effect.promise(() =>
            startGateway(address, `http://127.0.0.1:${port}`, milestone, 30 + 7 * n)
          )
          if (started === undefined) continue
          const { baseUrl, child } = started
          const each = Array.from({ length: callers }, (_, i) => ask(baseUrl, i % 2 === 0))
          told.push(...(yield* Effect.promise(() => Promise.all(each))).flat())
          child.kill("SIGKILL")
          yield* Effect.promise(() => waitForExit(child))
        }
        // One more start moves what the journal has.
        const { kept, settled } = yield* Effect.gen(function* () {
          const { sql } = yield* TestGateway
          return {
            kept: yield* sql<{ readonly call: string; readonly id: string }>`SELECT call, id FROM kept_responses`,
            settled: yield* sql<{ readonly id: string }>`SELECT id FROM calls WHERE state = 'settled'`
          }
        }).pipe(Effect.provide(database))
        console.log(`${told.length} answered, ${settled.length} settled, ${kept.length} kept`)
        expect(told.length).toBeGreaterThan(50)
        expect(kept.map(({ call }) => call).toSorted()).toEqual(settled.map(({ id }) => id).toSorted())
        const ids = new Set(kept.map(({ id }) => id))
        expect(told.filter(({ id = "", store }) => store !== true || !ids.has(id))).toEqual([])
      }).pipe(Effect.scoped),
    300_000
  )
})
