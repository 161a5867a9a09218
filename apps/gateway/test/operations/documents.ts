import * as Result from "effect/Result"
import { readDocument } from "../../src/operations/import/document.ts"
import { importDocument } from "../../src/operations/import/imported.ts"
import type { Options } from "../../src/operations/import/Options.ts"
import type { Fields } from "../../src/operations/import/values.ts"

const options: Options = { upstream: "pets", prefix: "pets", price: { amount: "0.002" }, only: [] }

export const get = (operation: Fields = {}): Fields => ({
  get: { responses: { "200": { description: "ok" } }, ...operation }
})

export const openapi = (paths: Fields, more: Fields = {}): Fields => ({
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths,
  ...more
})

/** Imports a document as the command does: from its text. */
export const imported = (document: Fields, given: Partial<Options> = {}) => {
  const read = readDocument(JSON.stringify(document))
  if (Result.isFailure(read)) throw new Error(read.failure)
  const result = importDocument(read.success, { ...options, ...given })
  return {
    ...result,
    /** Each as one line: place and reason. */
    told: [...result.findings.skipped, ...result.findings.parts].map(({ place, reason }) => `${place}: ${reason}`)
  }
}

/** The schema of the answer of a document's only operation, and the named schemas. */
export const answer = (schema: unknown, schemas: Fields = {}, more: Fields = {}) => {
  const result = imported({
    ...openapi({ "/a": get({ responses: { "200": { content: { "application/json": { schema } } } } }) }),
    components: { schemas },
    ...more
  })
  return { ...result, schema: (result.operations[0]?.answer as Fields | undefined)?.schema }
}

/** The first operation of a document whose only path has this parameter. */
export const parameter = (given: Fields, path = "/a") => {
  const result = imported(openapi({ [path]: get({ parameters: [given] }) }))
  return { ...result, parameters: result.operations[0]?.parameters }
}

/** A document whose only operation has this body. */
export const body = (requestBody: Fields, method = "post", more: Fields = {}) => {
  const result = imported(openapi({ "/a": { [method]: { requestBody, responses: {} } } }, more))
  return { ...result, body: result.operations[0]?.body as Fields | undefined }
}
