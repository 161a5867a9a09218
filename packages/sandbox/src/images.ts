import { Maybe } from "@tollgate/contract/Open"
import { imageEdit } from "@tollgate/contract/operations/imageEdit"
import { imageGenerate } from "@tollgate/contract/operations/imageGenerate"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import type { Handler } from "./BilledAnswer.ts"
import { created } from "./model/answerer.ts"
import { seededInts } from "./SeededRandom.ts"
import { decode, form, isChatModel, json, unknownModel, upTo } from "./wire/body.ts"

const big = (n: number): ReadonlyArray<number> => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]
const little16 = (n: number): ReadonlyArray<number> => [n & 255, n >>> 8]

const crc = (bytes: ReadonlyArray<number>): number => {
  let c = 0xffffffff
  for (const byte of bytes) {
    c ^= byte
    for (let bit = 0; bit < 8; bit++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0)
  }
  return ~c >>> 0
}

const adler = (bytes: ReadonlyArray<number>): number => {
  let a = 1
  let b = 0
  for (const byte of bytes) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return ((b << 16) | a) >>> 0
}

const chunk = (type: string, data: ReadonlyArray<number>): ReadonlyArray<number> => {
  const named = [...Utf8.encode(type), ...data]
  return [...big(data.length), ...named, ...big(crc(named))]
}

const signature = [137, 80, 78, 71, 13, 10, 26, 10]
const eightBitColour = [8, 2, 0, 0, 0]

type Pixel = readonly [red: number, green: number, blue: number]

/** A square PNG of less than 64 KiB, in one uncompressed deflate block. */
const png = (side: number, pixel: (x: number, y: number) => Pixel): Uint8Array => {
  const rows = Array.from({ length: side }, (_, y) => [
    0,
    ...Array.from({ length: side }, (_, x) => pixel(x, y)).flat()
  ])
  const raw = rows.flat()
  const stored = [0x78, 1, 1, ...little16(raw.length), ...little16(raw.length ^ 0xffff), ...raw, ...big(adler(raw))]
  return Uint8Array.from([
    ...signature,
    ...chunk("IHDR", [...big(side), ...big(side), ...eightBitColour]),
    ...chunk("IDAT", stored),
    ...chunk("IEND", [])
  ])
}

const read = decode(Schema.Struct({ prompt: Schema.NonEmptyString, model: Maybe(Schema.String), n: Maybe(upTo(4)) }))

const side = 32

/** A gradient between two colours that depend on the prompt. */
const paint = (prompt: string, index: number): Uint8Array => {
  const nextInt = seededInts(`${index}\n${prompt}`)
  const from = [nextInt(256), nextInt(256), nextInt(256)] as const
  const to = [nextInt(256), nextInt(256), nextInt(256)] as const
  return png(side, (x, y) => {
    const mix = (i: 0 | 1 | 2) => Math.round(from[i] + ((to[i] - from[i]) * (x + y)) / (2 * side - 2))
    return [mix(0), mix(1), mix(2)]
  })
}

export const images: Handler = Effect.fnUntraced(function* (request) {
  const { value } = yield* json(request)
  const { model, n, prompt } = yield* read(value)
  if (typeof model === "string" && !isChatModel(model)) return yield* unknownModel(model)
  const data = Array.from({ length: n ?? 1 }, (_, index) => ({ b64_json: Base64.encode(paint(prompt, index)) }))
  return { operation: imageGenerate.id, body: { created, data }, billed: { requests: 1 } }
})

const readEdit = decode(
  Schema.Struct({
    prompt: Schema.NonEmptyString,
    model: Maybe(Schema.String),
    n: Maybe(Schema.String),
    image: Schema.Unknown
  })
)

/** The same images, for a prompt and an image that is not looked at. */
export const edits: Handler = Effect.fnUntraced(function* (request) {
  const { model, n, prompt } = yield* readEdit(yield* form(request))
  if (typeof model === "string" && !isChatModel(model)) return yield* unknownModel(model)
  const data = Array.from({ length: Number(n ?? 1) }, (_, i) => ({ b64_json: Base64.encode(paint(prompt, i)) }))
  return { operation: imageEdit.id, body: { created, data }, billed: { requests: 1 } }
})
