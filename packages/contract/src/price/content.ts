import * as Predicate from "effect/Predicate"
import * as Utf8 from "../Utf8.ts"

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

const isSound = /^(?:audio|video)\//

/** `data:image/png;base64,…` */
const typeInUrl = /^data:([^;,]{1,60})/i

/** An address of something elsewhere: `https:`, `gs:`. Base64 has no colon. */
const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]{0,20}:/i.test(text)

/** Where a request has its conversation, and what it names outside of it that the upstream has kept. All else is text. */
const topMembers: ReadonlyMap<string, "conversation" | "kept"> = new Map([
  ...["messages", "contents", "input", "system", "systemInstruction", "system_instruction"].map(
    (name) => [name, "conversation"] as const
  ),
  ...["previous_response_id", "conversation", "cachedContent", "cached_content", "container", "thread"].map(
    (name) => [name, "kept"] as const
  ),
  ...["continuationToken", "continuation_token"].map((name) => [name, "kept"] as const)
])

/** How the members of a part are read, by their names without underscores and in lower case. All others are text. */
type Member = "parts" | "image" | "sound" | "file" | "source" | "inline" | "address" | "sealed" | "by id"

const members: ReadonlyMap<string, Member> = new Map([
  ["content", "parts"],
  ["parts", "parts"],
  ["output", "parts"],
  ["functionresponse", "parts"],
  ["toolresponse", "parts"],
  ["imageurl", "image"],
  ["inputaudio", "sound"],
  ["audio", "by id"],
  ["video", "address"],
  ["file", "file"],
  ["filedata", "file"],
  ["source", "source"],
  ["inlinedata", "inline"],
  ["encryptedcontent", "sealed"]
] as const)

/** A name of a file elsewhere, in any protocol: `file_id`, `fileUri`, `video_url`. */
const isElsewhere = /.(?:ur[il]s?|fileids?)$|^fileids?$/

const mostKnown = 1_000
const known = new Map<string, Member | "text">()

const memberOf = (name: string): Member | "text" => {
  const found = known.get(name)
  if (found !== undefined) return found
  const folded = name.length > 64 ? "" : name.toLowerCase().replaceAll("_", "")
  const member = members.get(folded) ?? (isElsewhere.test(folded) ? "address" : "text")
  if (known.size < mostKnown && name.length <= 64) known.set(name, member)
  return member
}

const imageTypes = new Set<unknown>(["image", "input_image", "image_url", "computer_screenshot"])

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
        const member = topMembers.get(name)
        if (member === "conversation") this.#list(value)
        else {
          if (member === "kept" && value !== null) this.#reference ??= name
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
    if (typeof value === "string") this.#texts.push(value)
    else if (Array.isArray(value)) for (const part of value) this.#parts.push(part)
    else this.#parts.push(value)
  }

  #part(part: unknown): void {
    if (!Predicate.isObject(part)) return void this.#texts.push(part)
    if (part["type"] === "item_reference") this.#reference ??= "item_reference"
    for (const name in part) {
      const value: unknown = part[name]
      this.#texts.push(name)
      if (value !== null) this.#member(name, value, part)
    }
  }

  #member(name: string, value: unknown, part: Readonly<Record<string, unknown>>): void {
    switch (memberOf(name)) {
      case "text":
        return void this.#texts.push(value)
      case "parts":
        return this.#list(value)
      case "image":
        return this.#media(name, value, "image/*", "url")
      case "sound":
        return this.#media(name, value, "audio/wav", "data")
      case "file":
        return this.#media(name, value, "", "file_data")
      case "inline":
        return this.#media(name, value, typeOf(value), "data")
      case "source":
        return this.#source(name, value, part)
      case "address":
        return this.#media(name, value, imageTypes.has(part["type"]) ? "image/*" : "video/*", "url")
      case "by id":
        if (has(value, "id")) this.#elsewhere(name)
        return void this.#texts.push(value)
      case "sealed":
        if (part["type"] === "compaction") this.#elsewhere("compaction")
        return void this.#texts.push(value)
    }
  }

  /** Something that the upstream reads elsewhere. */
  #elsewhere(name: string): void {
    this.#images++
    this.#reference ??= name
  }

  #source(name: string, value: unknown, part: Readonly<Record<string, unknown>>): void {
    const kind = has(value, "type") ? value["type"] : undefined
    if (kind === "base64") this.#media(name, value, typeOf(value), "data")
    else if (kind === "content") this.#parts.push(value)
    else if (kind === "text" || !Predicate.isObject(value)) this.#texts.push(value)
    else {
      if (imageTypes.has(part["type"])) this.#images++
      else this.#elsewhere(name)
      this.#texts.push(value)
    }
  }

  /** A medium as a text, or in the member `field` of an object. An object without it names a file elsewhere. */
  #media(name: string, value: unknown, type: string, field: string): void {
    if (typeof value === "string") return this.#encoded(name, value, type)
    if (Array.isArray(value)) {
      for (const item of value) this.#media(name, item, type, field)
      return
    }
    if (!Predicate.isObject(value)) return void this.#texts.push(value)
    if (typeof value[field] !== "string") this.#elsewhere(name)
    for (const inner in value) {
      const member: unknown = value[inner]
      this.#texts.push(inner)
      if (inner === field && typeof member === "string") this.#encoded(name, member, type)
      else {
        // Beside the medium itself, the upstream may take this instead.
        if (typeof value[field] === "string" && memberOf(inner) === "address") this.#elsewhere(inner)
        this.#texts.push(member)
      }
    }
  }

  /** What is neither a picture nor sound nor a PDF is text to the model, encoded. */
  #encoded(name: string, text: string, type: string): void {
    const given = typeInUrl.exec(text)?.[1]
    if (given === undefined && (isAddress(text) || type === "image/*" || type === "video/*")) {
      this.#texts.push(text)
      if (type === "image/*") this.#images++
      else this.#elsewhere(name)
      return
    }
    const lower = (given ?? type).toLowerCase()
    if (lower.startsWith("image/")) this.#images++
    else if (isSound.test(lower) || lower === "application/pdf") {
      this.#images += Math.max(1, Math.ceil(text.length / base64PerImage))
      if (!isSound.test(lower)) this.#packed += text.length
    } else this.#bytes += text.length
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
