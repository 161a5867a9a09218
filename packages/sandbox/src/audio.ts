import { Maybe } from "@tollgate/contract/Open"
import { speech as speechOperation } from "@tollgate/contract/operations/speech"
import { transcription as transcriptionOperation } from "@tollgate/contract/operations/transcription"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Handler } from "./BilledAnswer.ts"
import { count } from "./text/tokens.ts"
import { decode, form, isChatModel, json, unknownModel } from "./wire/body.ts"

const rate = 8_000

/** Eight-bit sound in one channel: a tone for each character. */
const wav = (text: string): Uint8Array => {
  const samples = Uint8Array.from(
    Array.from(text).flatMap((character) => {
      const step = 0.1 + ((character.codePointAt(0) ?? 0) % 40) / 50
      return Array.from({ length: 80 }, (_, i) => 128 + Math.round(60 * Math.sin(i * step)))
    })
  )
  const bytes = new Uint8Array(44 + samples.length)
  const view = new DataView(bytes.buffer)
  const write = (at: number, text: string) => Array.from(text).forEach((c, i) => (bytes[at + i] = c.charCodeAt(0)))
  write(0, "RIFF")
  view.setUint32(4, 36 + samples.length, true)
  write(8, "WAVEfmt ")
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate, true)
  view.setUint16(32, 1, true)
  view.setUint16(34, 8, true)
  write(36, "data")
  view.setUint32(40, samples.length, true)
  bytes.set(samples, 44)
  return bytes
}

const mostCharacters = 4_096

const read = decode(
  Schema.Struct({
    model: Schema.String,
    input: Schema.NonEmptyString.check(Schema.isMaxLength(mostCharacters)),
    response_format: Maybe(Schema.String)
  })
)

/** Tones instead of a voice, always as a WAV file. */
export const speech: Handler = Effect.fnUntraced(function* (request) {
  const { value } = yield* json(request)
  const { input, model } = yield* read(value)
  if (!isChatModel(model)) return yield* unknownModel(model)
  return {
    operation: speechOperation.id,
    bytes: wav(input),
    contentType: "audio/wav",
    billed: { characters: Array.from(input).length }
  }
})

const readForm = decode(
  Schema.Struct({
    model: Schema.String,
    file: Schema.Struct({ bytes: Schema.Int }),
    response_format: Maybe(Schema.String)
  })
)

/** Tells how long the recording is, instead of what is said in it. A token is a tenth of a second. */
export const transcription: Handler = Effect.fnUntraced(function* (request) {
  const { file, model, response_format } = yield* readForm(yield* form(request))
  if (!isChatModel(model)) return yield* unknownModel(model)
  const seconds = Math.ceil(file.bytes / rate)
  const text = `A recording of ${seconds} seconds.`
  const [input, output] = [seconds * 10, count(text)]
  const usage = {
    type: "tokens",
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_token_details: { text_tokens: 0, audio_tokens: 0 }
  }
  return {
    operation: transcriptionOperation.id,
    body: { text, ...(response_format === "verbose_json" ? { language: "english", segments: [] } : {}), usage },
    billed: { input, output, cacheRead: 0, cacheWrite: 0 }
  }
})
