import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { type Address, type Attached, Media } from "./Media.ts"

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
