import type { FilePart } from "./Conversation.ts"

const pattern = /^data:([^;,]*)(?:;[^;,]+)*;base64,/

/** A `data:` URL holds the file itself. Any other is an address. */
export const readDataUrl = (url: string, mediaType: string): Pick<FilePart, "mediaType" | "source"> => {
  const match = url.startsWith("data:") ? pattern.exec(url.slice(0, 200)) : null
  if (match === null) return { mediaType, source: { url } }
  return { mediaType: match[1] || mediaType, source: { base64: url.slice(match[0].length) } }
}

export const dataUrl = (mediaType: string, base64: string): string => `data:${mediaType};base64,${base64}`
