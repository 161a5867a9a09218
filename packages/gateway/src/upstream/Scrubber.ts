import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Provider } from "./Provider.ts"

const replacement = Utf8.encode("[redacted]")

/** A shorter text may occur in an answer by chance. */
const leastLength = 6

const secretsIn = (header: string): ReadonlyArray<string> => {
  const space = header.indexOf(" ")
  const value = header.slice(space + 1)
  if (header.slice(0, space).toLowerCase() !== "basic") return [value, Base64.encode(value)]
  const pair = Result.getOrElse(Base64.decodeString(value), () => "")
  return [value, pair, pair.slice(pair.indexOf(":") + 1)]
}

const spellingsOf = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  return [secret, json, json.replaceAll("/", "\\/"), encodeURIComponent(secret)]
}

/** Each byte, with ASCII letters in lower case. */
const lowerCase = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte))

/** Horspool's search, in any case: most steps skip the length of the text. */
class Needle {
  readonly #bytes: Uint8Array
  readonly #skips: Uint32Array

  constructor(text: string) {
    const bytes = Utf8.encode(text).map((byte) => lowerCase[byte] ?? byte)
    this.#bytes = bytes
    this.#skips = new Uint32Array(256).fill(bytes.length)
    for (let i = 0; i < bytes.length - 1; i++) this.#skips[bytes[i] ?? 0] = bytes.length - 1 - i
  }

  get length(): number {
    return this.#bytes.length
  }

  /** The index of the first occurrence, or -1. */
  indexIn(bytes: Uint8Array, from: number): number {
    const last = this.#bytes.length - 1
    let at = from
    while (at + last < bytes.length) {
      let i = last
      while (i >= 0 && lowerCase[bytes[at + i] ?? 0] === this.#bytes[i]) i--
      if (i < 0) return at
      at += this.#skips[lowerCase[bytes[at + last] ?? 0] ?? 0] ?? 1
    }
    return -1
  }
}

/** Replaces the credentials of a request where an answer repeats them, also in other case and in the usual encodings. */
export class Scrubber {
  readonly #headers: ReadonlyArray<string>
  readonly #texts: ReadonlyArray<string>
  #needles: ReadonlyArray<Needle> | undefined

  /** The values of the headers that hold credentials. */
  constructor(headers: ReadonlyArray<string>) {
    this.#headers = headers
    const texts = headers.flatMap(secretsIn).flatMap(spellingsOf)
    // The longest first, because one may contain another.
    this.#texts = [...new Set(texts)]
      .filter(({ length }) => length >= leastLength)
      .toSorted((a, b) => b.length - a.length)
  }

  /** One that knows these headers too. */
  and(headers: ReadonlyArray<string>): Scrubber {
    return new Scrubber([...this.#headers, ...headers])
  }

  bytes(bytes: Uint8Array): Uint8Array {
    this.#needles ??= this.#texts.map((text) => new Needle(text))
    return this.#needles.reduce(withoutNeedle, bytes)
  }

  text(text: string): string {
    return Utf8.decode(this.bytes(Utf8.encode(text)))
  }
}

/** Knows the credential of a provider, and each of a rotation. */
export const scrubberOf = ({ credential }: Pick<Provider, "credential">): Scrubber =>
  new Scrubber(
    credential === undefined
      ? []
      : (credential.rotation?.all ?? [credential.value]).map((value) => Redacted.value(value))
  )

/** What follows as many occurrences is left out: an upstream that fills its answer with them would hold others up. */
const mostFound = 1_000

const withoutNeedle = (bytes: Uint8Array, needle: Needle): Uint8Array => {
  const parts: Array<Uint8Array> = []
  let rest = 0
  for (;;) {
    const at = needle.indexIn(bytes, rest)
    if (at === -1) break
    if (parts.length >= 2 * mostFound) return Bytes.concat(parts)
    parts.push(bytes.subarray(rest, at), replacement)
    rest = at + needle.length
  }
  return rest === 0 ? bytes : Bytes.concat([...parts, bytes.subarray(rest)])
}
