import type { PriceFile } from "@tollgate/contract/admin/Prices"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { operatedGateway } from "./setup.ts"

const text = '{ "prices": { "operations": { "rerank": { "perMillion": "0.08" } } } }'

const refusedIn = ({ read, send }: ReturnType<typeof operatedGateway>, words: string, fingerprint: unknown) =>
  it(`says why not: ${words}`, async () => {
    const shown = await read<PriceFile>("/prices/file")
    expect(shown).toMatchObject({ fingerprint, refusal: expect.stringContaining(words) })
    const answer = await send("POST", "/prices/apply", { prices: {}, fingerprint: shown.fingerprint ?? "" })
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining(words)])
  })

describe("a gateway that is not allowed to write its file", () => {
  const gateway = operatedGateway(text)
  refusedIn(gateway, "TOLLGATE_CONFIG_WRITE=on", expect.stringMatching(/^[0-9a-f]{64}$/))

  it("shows the section, and leaves the file alone", async () => {
    expect(await gateway.read("/prices/file")).toMatchObject({
      section: { operations: { rerank: { perMillion: "0.08" } } }
    })
    expect(readFileSync(gateway.path, "utf8")).toBe(text)
  })
})

describe("a gateway without a file", () => {
  refusedIn(operatedGateway(undefined, { TOLLGATE_CONFIG_WRITE: "on" }), "without a configuration file", null)
})
