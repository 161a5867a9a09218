import { Scenario } from "@tollgate/sandbox"
import { expect, it } from "vitest"
import { scenarios } from "../src/serve/scenarios.ts"

it("every scenario that people are offered is one that the sandbox knows", () => {
  const unknown = Scenario.parse("no-such-scenario").kind
  for (const { value } of scenarios) expect(Scenario.parse(value).kind, value).not.toBe(unknown)
  expect(new Set(scenarios.map(({ title }) => title)).size).toBe(scenarios.length)
})
