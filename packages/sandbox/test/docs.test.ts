import { describe, expect, it } from "@effect/vitest"
import { Scenario } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { written } from "../src/protocols.ts"
import { eventsOf, post, withBillingLog } from "./talk.ts"

const page = readFileSync(new URL("../../../docs/sandbox.md", import.meta.url), "utf8")
const rows = page.split("\n").filter((line) => line.startsWith("| `"))
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, inner]) => inner!)

describe("docs/sandbox.md", () => {
  it("lists exactly the scenarios that exist", () => {
    const shown = rows
      .map((row) => quoted(row)[0]!)
      .filter((text) => !/^(GET|POST) /.test(text))
      .map((text) => ({ text, kind: Scenario.parse(text).kind }))
    for (const { kind, text } of shown) expect(kind).toBe(text.split(";")[0])
    expect(new Set(shown.map(({ kind }) => kind))).toEqual(new Set(Scenario.kinds))
  })

  it("lists every model route that does more than answer with sample values", () => {
    const shown = rows.flatMap((row) => quoted(row.split("|")[1]!)).filter((text) => /^(GET|POST) \/v1/.test(text))
    const served = written.flatMap(({ table }) => Object.keys(table)).filter((text) => /^\w+ \/v1/.test(text))
    expect(
      served.filter((route) => !shown.includes(route)),
      "add a row for each of these to docs/sandbox.md"
    ).toEqual([])
    expect(
      shown.filter((route) => !served.includes(route)),
      "the sandbox has no handler for these rows of docs/sandbox.md"
    ).toEqual([])
  })

  it.effect("shows a call that works as described", () =>
    withBillingLog(
      Effect.gen(function* () {
        const [, path, scenario, body] = /8787(\S+)[\s\S]*Scenario: ([^"]+)"[\s\S]*-d '([^']+)'/.exec(page)!
        const { text } = yield* post(path!, body!, { "x-tollgate-scenario": scenario! })
        const events = eventsOf(text)
        expect(events).toHaveLength(4)
        expect(events[3]!.data).toContain('"error"')
      })
    )
  )
})
