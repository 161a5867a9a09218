import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseText } from "../../internal/parseJson.ts"
import { Fields } from "./inputs.ts"
import { type Parts, partsOf } from "./parts.ts"
import { toolError } from "./refusal.ts"
import type { ToolError } from "./shapes.ts"

// A client names a task by its id, and behind a dot by the parts of the answer that its call asked for. So nothing is stored of
// them, and every gateway knows them.

/** A client sends the name as a header too, and proxies take 8 kB of headers. */
const longest = 2_000

const pattern = /^(task_[0-9a-f]{32})\.([\w-]+)$/

const suffixOf = (fields: Fields): string => (fields.length === 0 ? "" : `.${Base64Url.encode(JSON.stringify(fields))}`)

export const nameOf = (id: string, fields: Fields): string => `${id}${suffixOf(fields)}`

/** Refuses fields that do not fit into a name. */
export const tooLongForTask = (fields: Fields): ToolError | undefined =>
  suffixOf(fields).length <= longest
    ? undefined
    : toolError("invalid_arguments", "fields is too long for a call that starts a task.", "Name fewer parts.", "fields")

export interface NamedTask {
  readonly id: string
  readonly parts?: Parts
}

const isFields = Schema.is(Fields)

/** `undefined`: no task has such a name. */
export const readName = (name: string): NamedTask | undefined => {
  const [, id, encoded = ""] = pattern.exec(name) ?? []
  if (id === undefined) return { id: name }
  if (encoded.length > longest) return undefined
  const fields = Result.getOrUndefined(Result.flatMap(Base64Url.decodeString(encoded), parseText))
  const parts = isFields(fields) ? partsOf(fields) : undefined
  return typeof parts === "function" ? { id, parts } : undefined
}
