import * as Predicate from "effect/Predicate"
import * as Utf8 from "../Utf8.ts"
import { read } from "./exact.ts"

/** What a request gives a model to read. */
export interface Content {
  /** Bytes of text. Field names count, because a model reads those of a tool's schema. */
  readonly bytes: number
  /** Images. A document, sound or film counts as one for each 64 KiB, or as one if it is elsewhere. */
  readonly images: number
  /** The base64 of PDFs. Their text is compressed, so that the size of a page tells little about its tokens. */
  readonly packed: number
  /** The first field that names something to be read elsewhere. Nobody knows its size. */
  readonly reference: string | undefined
}

/** An expected number of tokens and the highest. */
export interface Tokens {
  readonly likely: number
  readonly most: number
}

export const bytesPerToken = 4

/** The expected number of tokens of a text. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\x00-\x7f]/

/** Up to this length the loop is faster than the regular expression. */
const loopLength = 8

/** From this length on, encoding is much faster than both, in slices that are soon let go of. */
const encodeLength = 64 * 1024

/** The upper bound of a text's tokens: no tokenizer makes more tokens than there are bytes. */
export const utf8Length = (text: string): number => {
  let bytes = text.length
  if (bytes > encodeLength) {
    bytes = 0
    // A pair that is cut counts six bytes instead of four.
    for (let i = 0; i < text.length; i += encodeLength) bytes += Utf8.encode(text.slice(i, i + encodeLength)).length
    return bytes
  }
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
/** The same of a file in a form. */
const bytesPerImage = 65_536

const isMedium = /^(?:audio|video)\/|^application\/pdf$/

/** `data:image/png;base64,…` */
const typeInUrl = /^data:([^;,]{1,60})/i

/** An address of something elsewhere: `https:`, `gs:`. Base64 has no colon. */
const isAddress = /^[a-z][a-z0-9+.-]{0,20}:/i

const conversation = /^(?:messages|contents?|input|requests|system(?:_?instruction)?)$/i

/** What a request names outside its conversation that the upstream has kept. */
const isCached = /^(?:previous_response_id|conversation|cached_?content|continuation_?token|container|thread)$/i

/** How a member of a part is read. A medium has a type, and in an object a member that holds it. */
type Member = "text" | "parts" | "source" | "id" | "sealed" | readonly [type: string, field: string]

const file = ["", "file_data"] as const
const film = ["video/*", "url"] as const

/** By names without underscores, in lower case. */
const members: Readonly<Record<string, Member>> = {
  content: "parts",
  parts: "parts",
  output: "parts",
  functionresponse: "parts",
  toolresponse: "parts",
  source: "source",
  audio: "id",
  encryptedcontent: "sealed",
  imageurl: ["image/*", "url"],
  inputaudio: ["audio/wav", "data"],
  inlinedata: ["", "data"],
  file,
  filedata: file,
  video: film
}

/** A file elsewhere, in any protocol: `file_id`, `fileUri`, `video_url`. */
const isElsewhere = /.ur[il]s?$|fileids?$/

const known = new Map<string, Member>()

const memberOf = (name: string): Member => {
  let member = known.get(name)
  if (member === undefined) {
    const folded = name.length > 64 ? "" : name.toLowerCase().replaceAll("_", "")
    member = (Object.hasOwn(members, folded) && members[folded]) || (isElsewhere.test(folded) ? film : "text")
    if (known.size < 1_000 && name.length <= 64) known.set(name, member)
  }
  return member
}

/** The parts of OpenAI and Anthropic that an upstream takes only with an image. */
const isImage = /^(?:(?:input_)?image|computer_screenshot)$/

/** Walks the parts of a conversation. Only where a protocol has its media is base64 not text. */
class Walk {
  readonly #texts: Array<unknown> = []
  readonly #parts: Array<unknown> = []
  #bytes = 0
  #images = 0
  #packed = 0
  #reference: string | undefined

  count(request: unknown): Content {
    if (!Predicate.isObject(request)) this.#texts.push(request)
    else {
      for (const name in request) {
        const value: unknown = request[name]
        this.#texts.push(name)
        const bytes = name === "file" ? read(value, ["bytes"]) : undefined
        if (conversation.test(name)) this.#list(value)
        else if (typeof bytes === "number") this.#images += Math.max(1, Math.ceil(bytes / bytesPerImage))
        else {
          if (isCached.test(name) && value !== null) this.#reference ??= name
          this.#texts.push(value)
        }
      }
    }
    while (this.#parts.length > 0) this.#part(this.#parts.pop())
    return {
      bytes: this.#bytes + bytesOf(this.#texts),
      images: this.#images,
      packed: this.#packed,
      reference: this.#reference
    }
  }

  /** Messages, parts, or one of them, such as a screenshot that a tool made. */
  #list(value: unknown): void {
    if (Array.isArray(value)) for (const part of value) this.#parts.push(part)
    else this.#parts.push(value)
  }

  #part(part: unknown): void {
    if (!Predicate.isObject(part)) return void this.#texts.push(part)
    const { type } = part
    if (type === "item_reference") this.#reference ??= type
    for (const name in part) {
      const value: unknown = part[name]
      const member = memberOf(name)
      this.#texts.push(name)
      if (member === "parts") this.#list(value)
      else if (member === "text" || value === null) this.#texts.push(value)
      else if (member === "source") this.#source(value, type)
      else if (typeof member === "object") this.#media(name, value, name === "file_id" && type, member)
      else {
        this.#texts.push(value)
        if (member === "sealed" ? type === "compaction" : read(value, ["id"]) !== undefined) this.#elsewhere(name)
      }
    }
  }

  /** Something that the upstream reads elsewhere, as an image or of unknown size. */
  #elsewhere(name: string, type?: unknown): void {
    this.#images++
    if (typeof type !== "string" || !isImage.test(type)) this.#reference ??= name
  }

  #source(value: unknown, type: unknown): void {
    if (!Predicate.isObject(value) || value["type"] === "text") this.#texts.push(value)
    else if (value["type"] === "content") this.#parts.push(value)
    else if (value["type"] === "base64") this.#media("source", value, type, ["", "data"])
    else {
      this.#elsewhere("source", type)
      this.#texts.push(value)
    }
  }

  /** A medium as a text, in a list, or in a member of an object. An object without it names one that is elsewhere. */
  #media(name: string, value: unknown, type: unknown, member: readonly [type: string, field: string]): void {
    const [usual, field] = member
    const medium: unknown = Predicate.isObject(value) ? value[field] : value
    const isWhole = Predicate.isString(medium)
    if (isWhole) this.#encoded(name, medium, type, usual || typeOf(value))
    else {
      this.#elsewhere(name, type)
      this.#texts.push(medium)
    }
    if (!Predicate.isObject(value)) return
    for (const inner in value) {
      this.#texts.push(inner)
      if (inner === field) continue
      this.#texts.push(value[inner])
      // Beside the medium itself, the upstream may take this instead.
      if (isWhole && value[inner] !== null && memberOf(inner) === film) this.#elsewhere(inner)
    }
  }

  /** What is neither a picture nor sound nor a PDF is text to the model, encoded. */
  #encoded(name: string, text: string, type: unknown, usual: string): void {
    const given = typeInUrl.exec(text)?.[1]
    const lower = (given ?? usual).toLowerCase()
    if (given === undefined && (lower.endsWith("/*") || isAddress.test(text))) {
      this.#texts.push(text)
      this.#elsewhere(name, lower === "image/*" ? "image" : type)
    } else if (lower.startsWith("image/")) this.#images++
    else if (isMedium.test(lower)) {
      this.#images += Math.max(1, Math.ceil(text.length / base64PerImage))
      if (lower.endsWith("pdf")) this.#packed += text.length
    } else this.#bytes += text.length
  }
}

/** The media type that an object gives. Of two the one that is not an image counts, because an upstream may read either. */
const typeOf = (value: unknown): string => {
  if (!Predicate.isObject(value)) return ""
  const types = [value["mimeType"], value["mime_type"], value["media_type"]].filter((type) => typeof type === "string")
  return types.find((type) => !type.toLowerCase().startsWith("image/")) ?? types[0] ?? ""
}

const counted = new WeakMap<object, Content>()

/** Counts a large request that nobody changes once, for all that is asked about its price. */
export const countOnce = (request: unknown): void => {
  if (Predicate.isObject(request)) counted.set(request, new Walk().count(request))
}

export const contentOf = (request: unknown): Content =>
  (Predicate.isObject(request) ? counted.get(request) : undefined) ?? new Walk().count(request)
