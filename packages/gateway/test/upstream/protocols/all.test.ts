import { expect, it } from "@effect/vitest"
import { protocols } from "../../../src/upstream/Endpoint.ts"

it("every protocol has its own id", () => {
  expect(protocols.map(({ id }) => id)).toEqual(["json", "task", "openai", "anthropic", "gemini", "converse", "mcp"])
})
