import type { CallPart, ReasoningPart, Sealed, TextPart } from "@tollgate/protocols/Conversation"
import { readRedacted, readSealed } from "@tollgate/protocols/sealed"
import { countOr, type Json, listOr, objectOr } from "@tollgate/protocols/json"

/** The conversation has a part that the protocol cannot express. Nothing was sent. */
export class Unsupported extends Error {
  readonly feature: string

  constructor(feature: string) {
    super(`This protocol cannot send ${feature}`)
    this.name = "Unsupported"
    this.feature = feature
  }
}

/** The conversation is none that a model could continue. Nothing was sent. */
export class InvalidPrompt extends Error {}

/** The arguments of a tool as an object. A model may write none, or something else. */
export const argumentsOf = (written: string): unknown => {
  try {
    return JSON.parse(written === "" ? "{}" : written)
  } catch {
    return written
  }
}

export const textPart = (text: string): TextPart => ({ type: "text", text })

/** The proof that the metadata of an earlier answer kept. */
const sealOf = (options: Json | undefined): { readonly sealed?: Sealed } => {
  const { redacted, signature } = objectOr(options?.["tollgate"])
  if (typeof redacted === "string") return { sealed: readRedacted(redacted, "anthropic") }
  return typeof signature === "string" ? { sealed: readSealed(signature, "anthropic") } : {}
}

/** A thought of an earlier answer. */
export const reasoningPart = (text: string, options: Json | undefined): ReasoningPart => ({
  type: "reasoning",
  text,
  ...sealOf(options)
})

/** A call of an earlier answer. */
export const callPart = (id: string, name: string, input: string, options: Json | undefined): CallPart => ({
  type: "call",
  id,
  name,
  arguments: input,
  ...sealOf(options)
})

/** In parts: a call takes only so many arguments. */
const chunk = 32_768

export const base64Of = (data: Uint8Array | string): string => {
  if (typeof data === "string") return data
  let binary = ""
  for (let at = 0; at < data.length; at += chunk) binary += String.fromCharCode(...data.subarray(at, at + chunk))
  return btoa(binary)
}

/** How files of a type begin, in base64. */
const beginnings = {
  "image/png": "iVBORw0KGgo",
  "image/jpeg": "/9j/",
  "image/gif": "R0lGOD",
  "image/webp": "UklGR",
  "application/pdf": "JVBERi"
} as const

/** The complete type: a caller may say only `image`, or `image/*`. */
export const fullMediaType = (mediaType: string, base64?: string): string => {
  const [kind = "", sort = "*"] = mediaType.split("/")
  if (sort !== "*") return mediaType
  if (base64 === undefined) return `${kind}/*`
  const found = Object.entries(beginnings).find(
    ([type, beginning]) => type.startsWith(`${kind}/`) && base64.startsWith(beginning)
  )
  if (found === undefined) throw new Unsupported(`a file of type ${mediaType}: name its complete type`)
  return found[0]
}

const isVector = (value: unknown): value is Array<number> => Array.isArray(value)

/** The vectors of an answer of `embeddings`, in the order of the texts. */
export const vectorsOf = (answer: unknown) => {
  const { data, usage } = objectOr(answer)
  const sorted = listOr(data).toSorted((a, b) => Number(a["index"] ?? 0) - Number(b["index"] ?? 0))
  return {
    vectors: sorted.map(({ embedding }) => (isVector(embedding) ? embedding : [])),
    tokens: countOr(objectOr(usage)["prompt_tokens"])
  }
}
