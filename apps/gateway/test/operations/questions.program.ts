import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as Index from "@tollgate/gateway/faces/tools/catalogue/Index"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { customOperations } from "../../src/config/Config.ts"
import { idOf } from "../../src/operations/import/names.ts"
import { decoded } from "../config/decoded.ts"
import { imported } from "./documents.ts"

// Asks the search of the tools every question of a file, and counts how many have their operation first and in the first three.
//
//   QUESTIONS=questions.json node apps/gateway/test/operations/questions.program.ts
//   QUESTIONS=questions.json OPENAPI=api.json node apps/gateway/test/operations/questions.program.ts   # with the operations of a document

const Questions = Schema.Array(
  Schema.Struct({
    question: Schema.String,
    operation: Schema.String,
    /** Others that answer it too. */
    also: Schema.optionalKey(Schema.Array(Schema.String))
  })
)

const { OPENAPI: document, QUESTIONS: file } = process.env
if (file === undefined) throw new Error("QUESTIONS is not set: the path of a JSON file with questions.")
const questions = Schema.decodeUnknownSync(Questions)(JSON.parse(readFileSync(file, "utf8")))

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId?: string; tags?: ReadonlyArray<string> }>>>
  >
}

/** The operations of a document, and their ids here by their ids there. */
const foreign = (document: Document) => {
  const { operations, schemas } = imported({ ...document }, { prefix: "api" })
  const upstreams = { pets: { baseUrl: "https://api.example", protocol: "json" } }
  const ids = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, tags }]): readonly [string, string] => [
      operationId ?? "",
      idOf({ prefix: "api", tag: tags?.[0], operationId, method, path })
    ])
  )
  return { config: decoded({ upstreams, operations, schemas }), ids: new Map(ids) }
}

const added = document === undefined ? undefined : foreign(JSON.parse(readFileSync(document, "utf8")) as Document)
const bindings = Object.fromEntries(
  Catalogue.entries(Catalogue.make(operations, defaults)).map(({ id }, i) => [
    id,
    operations[i]?.path === undefined ? { path: `/v1/${id.replaceAll(/[._]/g, "-")}` } : {}
  ])
)
const catalogue = Catalogue.make(
  [...operations, ...(added === undefined ? [] : customOperations(added.config))],
  defaults,
  bindings
)
const index = Effect.runSync(Index.make(catalogue, { of: ({ price }) => price }))

const places = questions.map(({ also = [], operation, question }) => {
  const wanted = new Set([operation, ...also].map((id) => added?.ids.get(id) ?? id))
  for (const id of wanted) if (!catalogue.byId.has(id)) console.log(`No operation ${id} is there.`)
  const found = index.search(question, { limit: 3 })
  const place = found.findIndex(({ operationId }) => wanted.has(operationId))
  if (place !== 0) {
    const shown = found.map(({ operationId, score }) => `${operationId} ${score}`).join(", ")
    console.log(`${place === -1 ? "-" : place + 1}  ${question} [${[...wanted].join(", ")}]: ${shown}`)
  }
  return place
})
const first = places.filter((place) => place === 0).length
const inThree = places.filter((place) => place >= 0).length
console.log(`${catalogue.bound.length} operations: of ${places.length} questions ${first} first, ${inThree} in three`)
