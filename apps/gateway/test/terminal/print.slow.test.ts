import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Columns, Output, table } from "../../src/terminal/print.ts"
import { hasTerminal, inPipe, inTerminal } from "./inTerminal.ts"

const items = [
  { id: "acct_1", label: "Acme" },
  { id: "acct_2", label: "A longer name" }
]

const asRows = "account  label\nacct_1   Acme\nacct_2   A longer name\n"
const asRecords = "account  acct_1\nlabel    Acme\n\naccount  acct_2\nlabel    A longer name\n"

describe("a table", () => {
  it.effect.each([
    [undefined, asRows],
    [22, asRows],
    [21, asRecords]
  ] as const)("on %s columns has rows if they fit, and else a record for each item", ([columns, expected]) =>
    Effect.gen(function* () {
      let printed = ""
      yield* table(items, { account: ({ id }) => id, label: ({ label }) => label }, "none").pipe(
        Effect.provideService(Columns, columns),
        Effect.provideService(Output, (text) => Effect.sync(() => void (printed += text)))
      )
      expect(printed).toBe(expected)
    })
  )
})

describe("help", () => {
  it.runIf(hasTerminal)("has colors on a terminal, unless NO_COLOR is set, and none in a pipe", async () => {
    const help = await inTerminal({}, "--help")
    expect(help).toContain("\u001b[1mUSAGE\u001b[0m")
    expect(help).not.toContain("\\u001b")
    for (const plain of [await inTerminal({ NO_COLOR: "1" }, "--help"), await inPipe({}, "--help")]) {
      expect(plain).toContain("USAGE")
      expect(plain).not.toContain("\u001b")
    }
  })
})
