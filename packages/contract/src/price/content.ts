import * as Predicate from "effect/Predicate"
import * as Utf8 from "../Utf8.ts"

/** What a request gives a model to read. */
export interface Content {
  /** Bytes of text. Field names count, because a model reads those of a tool's schema. */
  readonly bytes: number
  /** Images. A document, sound or film counts as one for each 64 KiB. */
  readonly images: number
}

/** An expected number of tokens and the highest. */
export interface Tokens {
  readonly likely: number
  readonly most: number
}

const bytesPerToken = 4

/** The expected number of tokens of a text. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\x00-\x7f]/

/** Up to this length the loop is faster than the regular expression. */
const loopLength = 8

/** From this length on, encoding is much faster than both. */
const encodeLength = 64 * 1024

/** The upper bound of a text's tokens: no tokenizer makes more tokens than there are bytes. */
export const utf8Length = (text: string): number => {
  let bytes = text.length
  if (bytes >= encodeLength) return Utf8.encode(text).length
  if (bytes > loopLength && !beyondAscii.test(text)) return bytes
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    // A surrogate pair takes four bytes for two units; a lone surrogate is replaced by three bytes.
    bytes +=
      unit < 0x800 ? 1 : unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00 ? (i++, 2) : 2
  }
  return bytes
}

/** The bytes of all strings in these values, which it takes from the array. */
const bytesOf = (rest: Array<unknown>): number => {
  let bytes = 0
  // No recursion: a deeply nested body would overflow the stack.
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === "string") bytes += utf8Length(next)
    else if (Array.isArray(next)) for (const item of next) rest.push(item)
    else if (Predicate.isObject(next)) for (const name in next) rest.push(name, next[name])
  }
  return bytes
}

export const textBytes = (value: unknown): number => bytesOf([value])

/** 64 KiB in base64: about a scanned page, or some seconds of sound. */
const base64PerImage = 87_384

const isSound = /^(?:audio|video)\/|^application\/pdf$/

/** `data:image/png;base64,…` */
const typeInUrl = /^data:([^;,]{1,60})/i

/** Walks the parts of a conversation. Only where a protocol has its media is base64 not text. */
class Walk {
  readonly #texts: Array<unknown> = []
  readonly #parts: Array<unknown> = []
  #bytes = 0
  #images = 0

  count(request: unknown): Content {
    if (!Predicate.isObject(request)) this.#texts.push(request)
    else {
      for (const name in request) {
        const value: unknown = request[name]
        this.#texts.push(name)
        if (name === "messages" || name === "contents" || name === "input") this.#messages(value)
        else this.#texts.push(value)
      }
    }
    while (this.#parts.length > 0) this.#part(this.#parts.pop())
    return { bytes: this.#bytes + bytesOf(this.#texts), images: this.#images }
  }

  #messages(value: unknown): void {
    if (Array.isArray(value)) for (const message of value) this.#message(message)
    else this.#message(value)
  }

  #message(message: unknown): void {
    if (!Predicate.isObject(message)) return void this.#texts.push(message)
    for (const name in message) {
      this.#texts.push(name)
      if (name === "content" || name === "parts") this.#list(message[name])
      else if (name === "output") this.#output(message[name])
      else this.#texts.push(message[name])
    }
  }

  #list(value: unknown): void {
    if (Array.isArray(value)) for (const part of value) this.#parts.push(part)
    else this.#texts.push(value)
  }

  /** The result of a tool: a text, parts, or one part such as a screenshot. */
  #output(value: unknown): void {
    if (Predicate.isObject(value)) this.#parts.push(value)
    else this.#list(value)
  }

  #part(part: unknown): void {
    if (!Predicate.isObject(part)) return void this.#texts.push(part)
    for (const name in part) {
      const value: unknown = part[name]
      this.#texts.push(name)
      switch (name) {
        case "image_url":
          if (typeof value === "string") this.#url(value)
          else this.#object(value, "url", (url) => this.#url(url))
          break
        case "input_audio":
          this.#object(value, "data", (data) => this.#base64(data, "audio/wav"))
          break
        case "file":
          if (has(value, "file_data")) this.#object(value, "file_data", (url) => this.#url(url))
          else this.#reference(value)
          break
        case "source":
          this.#source(value)
          break
        case "inlineData":
        case "inline_data":
          this.#object(value, "data", (data) => this.#base64(data, typeOf(value)))
          break
        case "fileData":
        case "file_data":
          if (typeof value === "string") this.#url(value)
          else this.#reference(value)
          break
        case "file_id":
        case "file_url":
          if (typeof value === "string") this.#reference(value)
          break
        // The result of a tool has parts of its own.
        case "content":
          this.#list(value)
          break
        default:
          this.#texts.push(value)
      }
    }
  }

  /** A medium that the upstream reads elsewhere. */
  #reference(value: unknown): void {
    this.#images++
    this.#texts.push(value)
  }

  #url(url: string): void {
    const type = typeInUrl.exec(url)?.[1]
    if (type === undefined) this.#reference(url)
    else this.#base64(url, type)
  }

  #source(value: unknown): void {
    const kind = has(value, "type") ? value["type"] : undefined
    if (kind === "base64") this.#object(value, "data", (data) => this.#base64(data, typeOf(value)))
    else if (kind === "url" || kind === "file") this.#reference(value)
    else if (kind === "content") this.#message(value)
    else this.#texts.push(value)
  }

  /** An object with one member that is no text to be read. */
  #object(value: unknown, field: string, use: (text: string) => void): void {
    if (!Predicate.isObject(value)) return void this.#texts.push(value)
    for (const name in value) {
      const member: unknown = value[name]
      this.#texts.push(name)
      if (name === field && typeof member === "string") use(member)
      else this.#texts.push(member)
    }
  }

  /** What is neither a picture nor sound nor a PDF is text to the model, encoded. */
  #base64(data: string, type: string): void {
    const lower = type.toLowerCase()
    if (lower.startsWith("image/")) this.#images++
    else if (isSound.test(lower)) this.#images += Math.max(1, Math.ceil(data.length / base64PerImage))
    else this.#bytes += data.length
  }
}

const has = (value: unknown, name: string): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && Object.hasOwn(value, name)

/** The media type that an object gives. Of two the one that is not an image counts, because an upstream may read either. */
const typeOf = (value: unknown): string => {
  if (!Predicate.isObject(value)) return ""
  const types = [value["mimeType"], value["mime_type"], value["media_type"]].filter((type) => typeof type === "string")
  return types.find((type) => !type.toLowerCase().startsWith("image/")) ?? types[0] ?? ""
}

export const contentOf = (request: unknown): Content => new Walk().count(request)
