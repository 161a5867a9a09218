import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { startProgram } from "../program.ts"
import { importsOf, messageOf, petsDocument } from "./importing.ts"
import { operatedGateway } from "./setup.ts"

const base_url = "https://pets.example.com"
const document = petsDocument()

describe("a gateway that may not write its file", () => {
  const closed = operatedGateway("{}", {}, startProgram)
  const imports = importsOf(closed)

  it("gives the text, and says how to allow it", async () => {
    const shown = await imports.preview({ document, base_url })
    expect(shown).toMatchObject({
      refusal: expect.stringContaining("TOLLGATE_CONFIG_WRITE=on"),
      config: { upstreams: { pets: { baseUrl: base_url } }, operations: [{ file: "pets.operations.json" }] },
      problems: []
    })
    expect(shown.report.join("\n")).toContain("the sandbox")
    expect(JSON.parse(shown.file_text)).toMatchObject({ operations: [{ id: "pets.list" }] })
    const answer = await imports.apply({ document, base_url }, shown.fingerprint)
    expect([answer.status, messageOf(answer)]).toEqual([409, shown.refusal])
    expect(readFileSync(closed.path, "utf8")).toBe("{}")
  })
})

describe("a gateway without a file", () => {
  const bare = operatedGateway(undefined, { TOLLGATE_CONFIG_WRITE: "on" }, startProgram)
  const imports = importsOf(bare)

  it("gives the text for a new one", async () => {
    const shown = await imports.preview({ document, base_url })
    expect(shown).toMatchObject({
      fingerprint: null,
      refusal: expect.stringContaining("without a configuration file"),
      problems: []
    })
    const answer = await imports.apply({ document, base_url }, shown.fingerprint)
    expect([answer.status, messageOf(answer)]).toEqual([409, shown.refusal])
  })
})
