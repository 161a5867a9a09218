import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import { eventAt, eventEnds } from "../../../internal/sse.ts"

/** Reads the data of events whose bytes come in chunks. The gateway passes on events of a limited size only. */
export class EventReader {
  readonly #ends = eventEnds()
  readonly #onData: (text: string) => void
  #pending: Array<Uint8Array> = []

  constructor(onData: (text: string) => void) {
    this.#onData = onData
  }

  take(chunk: Uint8Array): void {
    let from = 0
    for (const end of this.#ends(chunk)) {
      this.#event(chunk.subarray(from, end))
      from = end
    }
    if (from < chunk.length) this.#pending.push(chunk.subarray(from))
  }

  /** Reads an event that has no end. */
  end(): void {
    this.#event(new Uint8Array())
  }

  #event(last: Uint8Array): void {
    const bytes = this.#pending.length === 0 ? last : Bytes.concat([...this.#pending, last])
    this.#pending = []
    const event = eventAt(bytes, 0, bytes.length)
    if (event !== undefined) this.#onData(Utf8.decode(event.bytes.subarray(event.from, event.to)))
  }
}
