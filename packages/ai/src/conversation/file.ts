import { Unsupported } from "./Conversation.ts"

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
