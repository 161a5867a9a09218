import { expect, it } from "@effect/vitest"
import { protocols } from "../../src/upstream/protocols/all.ts"

it("knows every protocol by a name of its own", () => {
  expect(protocols.map(({ id }) => id)).toEqual(["json", "task", "openai", "anthropic", "gemini"])
})
