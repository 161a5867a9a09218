import * as Utf8 from "@tollgate/contract/Utf8"

type Kind = "image" | "audio" | "file"

/** What bytes are, whatever they are said to be. */
export interface Sniffed {
  readonly kind: Kind
  readonly mimeType: string
}

const latin = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to))

const found = (kind: Kind, mimeType: string): Sniffed => ({ kind, mimeType })

/** The types of pictures that models see, and of sounds that they hear, by how their bytes begin. */
const known = (bytes: Uint8Array): Sniffed | undefined => {
  const start = latin(bytes, 0, 12)
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return found("image", "image/png")
  if (start.startsWith("\xff\xd8\xff")) return found("image", "image/jpeg")
  if (/^GIF8[79]a/.test(start)) return found("image", "image/gif")
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return found("image", "image/webp")
  if (start.startsWith("RIFF") && start.endsWith("WAVE")) return found("audio", "audio/wav")
  if (start.startsWith("ID3") || /^\xff[\xfb\xf3\xf2]/.test(start)) return found("audio", "audio/mpeg")
  if (/^\xff[\xf1\xf9]/.test(start)) return found("audio", "audio/aac")
  if (start.startsWith("OggS")) return found("audio", "audio/ogg")
  if (start.startsWith("fLaC")) return found("audio", "audio/flac")
  return undefined
}

/** Sound without a head: the claim is all there is. */
const isRawSound = /^audio\/(?:l16|l24|pcm|basic|x-mulaw|x-alaw)$/

const isMarkup = (bytes: Uint8Array): boolean => Utf8.decode(bytes.subarray(0, 64)).trimStart().startsWith("<")

const typeOf = (claimed = ""): string => claimed.replace(/;.*/s, "").trim().toLowerCase()

const isType = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/

/**
 * What bytes are. A claim that they are a picture or sound counts only if they begin as one does: a client may show them, and a
 * model's API refuses a call with a picture that is none.
 */
export const sniff = (bytes: Uint8Array, claimed: string | undefined): Sniffed => {
  const type = typeOf(claimed)
  const seen = known(bytes)
  // An MPEG frame is only two bytes, which other files may begin with.
  if (seen !== undefined && (seen.mimeType !== "audio/mpeg" || type === "" || type.startsWith("audio/"))) return seen
  if (isRawSound.test(type) && !isMarkup(bytes)) return found("audio", type)
  const isHonest = isType.test(type) && !/^(?:image|audio)\/(?!svg\+xml$)/.test(type)
  return found("file", isHonest ? type : "application/octet-stream")
}
