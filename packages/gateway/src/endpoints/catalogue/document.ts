import type { Bound } from "@tollgate/contract/Operation"
import { jsonSchemaOf } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { categoryDescription } from "@tollgate/contract/openapi/OpenApi"
import * as Predicate from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"
import { type Field, fieldsOf } from "./fields.ts"

/** What a search looks at, and how much a word counts there. */
export const kinds = {
  id: 1,
  summary: 2,
  description: 1,
  asked: 1,
  category: 1,
  path: 1,
  names: 0.5,
  fields: 0.3,
  models: 0.5
}

export type Texts = Readonly<Partial<Record<keyof typeof kinds, string>>>

/** The parts of a path that say something: no versions, no parameters. */
const pathWords = (path: string): string => path.replace(/\{[^}]+\}|\bv\d+(?:beta)?\b|\bapis?\b/g, " ")

/** Fields by which lists are read in pages say nothing about what an operation does. */
const paging =
  /^(?:cursor|offset|limit|after|before|page|per_?page|page_?(?:size|token|number)|next_?(?:page_?)?token|max_?results)$/i

const descriptionOf = ({ description, schema }: Field): string => {
  const described = jsonSchemaOf(schema)?.schema
  const own = Predicate.isObject(described)
    ? described["description"]
    : SchemaAST.resolveAt<string>("description")(schema.ast)
  return [description, own].filter(Predicate.isString).join(" ")
}

export const documentOf = (operation: Bound, models: ReadonlyArray<string>, asked = ""): Texts => {
  const { category, description = "", id, path, summary } = operation
  const fields = [...fieldsOf(operation).byName.values()].filter(({ name }) => !paging.test(name))
  return {
    id,
    summary,
    description,
    asked,
    category: `${category} ${categoryDescription(category)}`,
    path: pathWords(path),
    names: fields.map(({ name }) => name).join(" "),
    fields: fields.map(descriptionOf).join(" "),
    models: models.join(" ")
  }
}
