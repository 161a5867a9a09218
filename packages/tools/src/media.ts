import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import * as Base64 from "effect/encoding/Base64"

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

/** The most bytes of a block. A larger one becomes a link. */
export const mostBlockBytes = 1536 * 1024

/** A picture, sound or file of an answer. It stands in the answer's JSON where its bytes were. */
export class Media {
  readonly bytes: Uint8Array
  readonly type: Sniffed
  /** There is room for it in the result. */
  isBlock = false
  /** Its place among the blocks of a result, from 1. */
  number = 0
  /** Where it can be opened, and until when, if it is too large for a block. */
  link: { readonly uri: string; readonly until: string } | undefined

  constructor(bytes: Uint8Array, claimed: string | undefined) {
    this.bytes = bytes
    this.type = sniff(bytes, claimed)
  }

  toJSON(): string {
    const what = `${this.type.mimeType}, ${this.bytes.length} bytes`
    return this.number === 0 ? `${what}; too large to return` : `block ${this.number}: ${what}`
  }
}

/** An address in an answer that leads to a picture, a video or a file. */
export interface Address {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string
  readonly description?: string
}

export type Attached = Media | Address

type Fields = Readonly<Record<string, unknown>>

/** The most pictures, sounds, files and addresses of one answer. */
const mostAttached = 20

/** A shorter text costs a model less than a block. */
const shortest = 64

interface Found {
  readonly name: string
  readonly base64: string
  readonly claimed: string | undefined
}

const textIn = (fields: Fields, ...names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === "string") return value
  }
  return undefined
}

const dataUrl = /^data:([\w.+/-]{0,120})(?:;[\w=.-]{1,40}){0,3};base64,/i

/** The base64 in an object: of OpenAI, Gemini, Anthropic, MCP, or as a `data:` address. */
const base64In = (fields: Fields, key: string): Found | undefined => {
  const claimed = textIn(fields, "mimeType", "mime_type", "media_type")
  const { b64_json, blob, data, result, type, url } = fields
  if (typeof b64_json === "string") return { name: "b64_json", base64: b64_json, claimed }
  if (typeof blob === "string") return { name: "blob", base64: blob, claimed }
  if (typeof data === "string" && type !== "text" && (claimed !== undefined || key === "audio"))
    return { name: "data", base64: data, claimed }
  if (typeof result === "string" && type === "image_generation_call") return { name: "result", base64: result, claimed }
  const address = typeof url === "string" ? dataUrl.exec(url.slice(0, 300)) : null
  return address === null || typeof url !== "string"
    ? undefined
    : { name: "url", base64: url.slice(address[0].length), claimed: address[1] }
}

const isWebAddress = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 4_096 && /^https?:\/\/[^\s"<>]+$/.test(value)

const optional = (fields: Fields, name: "mimeType" | "description") => {
  const value = textIn(fields, name)
  return value === undefined ? {} : { [name]: value.slice(0, 200) }
}

/** An address in an object: of a picture, a video, or a link of MCP. */
const addressIn = (fields: Fields, key: string): Address | undefined => {
  const { type, uri, url, video_url } = fields
  if (type === "resource_link" && typeof uri === "string")
    return {
      uri: uri.slice(0, 4_096),
      name: (textIn(fields, "name") ?? "file").slice(0, 200),
      ...optional(fields, "mimeType"),
      ...optional(fields, "description")
    }
  if (isWebAddress(video_url)) return { uri: video_url, name: "video" }
  return key === "data" && isWebAddress(url) ? { uri: url, name: "picture" } : undefined
}

const mediaOf = ({ base64, claimed }: Found): Media | undefined => {
  if (base64.length < shortest) return undefined
  const bytes = Base64.decode(base64)
  return Result.isSuccess(bytes) ? new Media(bytes.success, claimed) : undefined
}

/** Takes pictures, sounds and files out of the JSON of an answer. What is not base64 stays. */
export const takeMedia = (value: unknown, attached: Array<Attached>, key = ""): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => takeMedia(item, attached, key))
  if (typeof value !== "object" || value === null) return value
  const fields = value as Fields
  const found = attached.length < mostAttached ? base64In(fields, key) : undefined
  const media = found && mediaOf(found)
  const address = attached.length < mostAttached ? addressIn(fields, key) : undefined
  if (media !== undefined) attached.push(media)
  if (address !== undefined) attached.push(address)
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      media !== undefined && name === found?.name ? media : takeMedia(field, attached, name)
    ])
  )
}

const mark = /"(?:b64_json|blob|data|result|url|video_url|uri)"/

/** Whether there may be something for `takeMedia` in the text of a JSON value. */
export const mayHaveMedia = (text: string): boolean => mark.test(text)
