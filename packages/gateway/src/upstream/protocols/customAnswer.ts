import { jsonSchemaOf } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import type { Bound } from "@tollgate/contract/Operation"
import * as Predicate from "effect/Predicate"
import type { Answer } from "../../exchange/Reply.ts"
import { isJson } from "./message.ts"

/** A header that was sent twice has its values separated by a comma. */
const mediaType = (contentType: string): string =>
  contentType
    .replace(/[;,].*/s, "")
    .trim()
    .toLowerCase()

const pageTypes: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"])

/** What a page begins with, if no type is given. */
const pageBegin = /^(?:\u00ef\u00bb\u00bf)?\s*<(?:!doctype html|html)\b/i

const isPage = (contentType: string | undefined, bytes: Uint8Array): boolean =>
  contentType === undefined
    ? pageBegin.test(String.fromCharCode(...bytes.subarray(0, 256)))
    : pageTypes.has(mediaType(contentType))

/** `image/*` stands for all images. */
const isOfType = (contentType: string | undefined, declared: string): boolean => {
  const [kind, of] = mediaType(declared).split("/")
  if (contentType === undefined) return kind === "*"
  const type = mediaType(contentType)
  return kind === "*" || (of === "*" ? type.startsWith(`${kind}/`) : type === mediaType(declared))
}

const isError = (body: unknown): boolean =>
  Predicate.isObject(body) &&
  "error" in body &&
  (Predicate.isObject(body.error) || (Predicate.isString(body.error) && body.error !== ""))

/**
 * Whether a 2xx is an answer of an operation that an operator described, of one whose answer is pending, or of one whose answer is
 * not JSON: no content, if the status says so; content of the declared type; any JSON that reports no error; and anything at
 * all if the answer is pending. A page is an answer only where its type is declared: others come from whatever stands before
 * the upstream. Of all other operations the shape is known, and decides. `parsed` is the body, if it is JSON.
 */
export const isOwnAnswer = (
  { contentType: declared, pending, success }: Bound,
  { bytes, contentType, status }: Omit<Answer, "headers">,
  parsed: unknown
): boolean => {
  const isOwn = jsonSchemaOf(success) !== undefined
  const isPending = pending.some(({ open }) => open === "response")
  if (!isOwn && !isPending && isJson(declared)) return false
  if (bytes.length === 0) return isOwn && (status === 204 || status === 205)
  if (isPage(contentType, bytes) && !pageTypes.has(mediaType(declared))) return false
  if (!isJson(declared) && !isPending) return isOfType(contentType, declared) && !isError(parsed)
  if (parsed !== undefined) return !isError(parsed)
  // Half a document is called JSON and is none.
  return isPending && contentType !== undefined && !isJson(contentType)
}
