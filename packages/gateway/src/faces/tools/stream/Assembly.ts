import type { ClientFunctions } from "@tollgate/contract/Operation"
import { exactJson, mostTextBytes } from "../answer.ts"
import { anthropic } from "./anthropic.ts"
import { type Assembler, type Fields, isFields, TextRoom } from "./Assembler.ts"
import { EventReader } from "./EventReader.ts"
import { gemini } from "./gemini.ts"
import { openai } from "./openai.ts"
import { responses } from "./responses.ts"

export type Format = NonNullable<ClientFunctions["stream"]>

const formats: Readonly<Record<Format, (room: TextRoom) => Assembler>> = { anthropic, gemini, openai, responses }

/** What a stream is as one answer. */
export interface Assembled {
  readonly body: Fields
  /** Some text was left out. */
  readonly isCut: boolean
  readonly hasFailed: boolean
}

const errorIn = ({ error, type, ...event }: Fields): unknown =>
  error ?? (type === "error" ? event : type === "response.failed" ? type : undefined)

/** Makes one answer of the events of a model, while they arrive. */
export class Assembly {
  readonly #reader = new EventReader((text) => this.#event(text))
  readonly #room = new TextRoom(mostTextBytes)
  readonly #assembler: Assembler
  #error: unknown
  #isExact = true

  constructor(format: Format) {
    this.#assembler = formats[format](this.#room)
  }

  take(chunk: Uint8Array): void {
    this.#reader.take(chunk)
  }

  #event(text: string): void {
    if (text.trim() === "[DONE]") return
    const event = exactJson(text)?.value
    if (!isFields(event)) {
      this.#isExact = false
      return
    }
    this.#error = errorIn(event)
    this.#assembler.take(event)
  }

  /** `undefined`: the stream has events that are not of the format, or would not be the same as JSON. */
  end(): Assembled | undefined {
    this.#reader.end()
    const answer = this.#isExact ? this.#assembler.answer() : undefined
    if (answer === undefined) return undefined
    const error = this.#error
    return {
      body: isFields(error) ? { ...answer, error } : answer,
      isCut: this.#room.isFull,
      hasFailed: error !== undefined
    }
  }
}
