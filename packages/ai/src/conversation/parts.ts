import { type Json, type Proof, type TextPart, Unsupported } from "./Conversation.ts"

export const object = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {}

export const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.map(object) : [])

export const text = (value: unknown): string => (typeof value === "string" ? value : "")

export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Without the fields that are undefined. */
export const defined = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** The arguments of a tool as an object. A model may write none, or something else. */
export const argumentsOf = (written: string): unknown => {
  try {
    return JSON.parse(written === "" ? "{}" : written)
  } catch {
    return written
  }
}

export const textPart = (text: string): TextPart => ({ type: "text", text })

/** The proof that an earlier answer's metadata kept. */
export const proofOf = (options: Json | undefined): Proof | undefined => {
  const { redacted, signature } = object(options?.["tollgate"])
  if (typeof redacted === "string") return { redacted }
  return typeof signature === "string" ? { signature } : undefined
}

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
  const { data, usage } = answer as Json
  const sorted = list(data).toSorted((a, b) => Number(a["index"] ?? 0) - Number(b["index"] ?? 0))
  return {
    vectors: sorted.map(({ embedding }) => (isVector(embedding) ? embedding : [])),
    tokens: count(object(usage)["prompt_tokens"])
  }
}
