import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { document, source } from "@tollgate/contract/openapi/OpenApi"
import { operations } from "@tollgate/contract/operations"
import type { CacheTerms } from "@tollgate/contract/price/contracts"
import { expect, it } from "vitest"

const catalogue = (kept?: CacheTerms) =>
  Catalogue.make(
    operations.map((operation) =>
      operation.id === "rerank" && kept !== undefined ? { ...operation, kept } : operation
    ),
    defaults
  )

interface Described {
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly responses: { readonly "200": { readonly headers: object } }
}

const described = (path: string, kept?: CacheTerms): Described =>
  document(catalogue(kept)).paths[path]?.["post"] as Described

const headerIn = ({ parameters }: Described) => parameters.find(({ name }) => name === "X-Tollgate-Cache")

it("the OpenAPI document has the header of kept answers where they are allowed, with lifetime and price", () => {
  const tenth = { seconds: 60, share: 100_000n }
  const rerank = described("/v1/rerank", tenth)
  expect(headerIn(rerank)?.description).toMatch(/kept for 60 seconds; a kept one costs 10 % of the call's price\.$/)
  expect(rerank.responses[200].headers).toHaveProperty("X-Tollgate-Cache")
  const chat = described("/v1/chat/completions", tenth)
  expect([headerIn(chat), Object.keys(chat.responses[200].headers)]).toEqual([
    undefined,
    expect.not.arrayContaining(["X-Tollgate-Cache"])
  ])
  expect(headerIn(described("/v1/rerank", { seconds: 60, share: 0n }))?.description).toMatch(/a kept one is free\.$/)
  expect(headerIn(described("/v1/rerank", { seconds: 60, share: 1n }))?.description).toContain("costs 0.0001 %")
  expect(
    new Set([source(catalogue()), source(catalogue(tenth)), source(catalogue({ ...tenth, seconds: 61 }))]).size
  ).toBe(3)
})
