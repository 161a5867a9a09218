import { jsonSchemaOf } from "@tollgate/contract/described/fromJsonSchema"
import type { Bound } from "@tollgate/contract/Operation"
import * as Predicate from "effect/Predicate"
import type { Answer } from "../../exchange/Reply.ts"
import { isJson } from "./message.ts"
import { tryParse } from "../../internal/jsonValue.ts"

const mediaType = (contentType: string): string => contentType.replace(/;.*/s, "").trim().toLowerCase()

/** `image/*` stands for all images. */
const isOfType = (contentType: string | undefined, declared: string): boolean => {
  const [kind, of] = mediaType(declared).split("/")
  if (contentType === undefined) return kind === "*"
  const type = mediaType(contentType)
  return kind === "*" || (of === "*" ? type.startsWith(`${kind}/`) : type === mediaType(declared))
}

/** Nothing is an answer if the upstream says that there is none, or if the answer is not described. */
const mayBeEmpty = (status: number, schema: unknown): boolean =>
  status === 204 ||
  status === 205 ||
  schema === true ||
  (Predicate.isObject(schema) && Object.keys(schema).length === 0)

const isError = (body: unknown): boolean =>
  Predicate.isObject(body) &&
  "error" in body &&
  (Predicate.isObject(body.error) || (Predicate.isString(body.error) && body.error !== ""))

/** An error, as JSON in place of the declared bytes. */
const isReported = (contentType: string | undefined, bytes: Uint8Array): boolean =>
  contentType !== undefined && isJson(contentType) && isError(tryParse(bytes))

/**
 * Whether a 2xx is an answer of an operation that an operator described: no content, content of the type that the operation
 * has, or any JSON that does not report an error. Of the interface's own operations the shape is known, and decides.
 */
export const isOwnAnswer = (
  { contentType: declared, success }: Bound,
  { bytes, contentType, status }: Omit<Answer, "headers">
): boolean => {
  const described = jsonSchemaOf(success)
  if (described === undefined) return false
  if (bytes.length === 0) return mayBeEmpty(status, described.schema)
  if (!isJson(declared)) return isOfType(contentType, declared) && !isReported(contentType, bytes)
  const body = isJson(contentType) ? tryParse(bytes) : undefined
  return body !== undefined && !isError(body)
}
