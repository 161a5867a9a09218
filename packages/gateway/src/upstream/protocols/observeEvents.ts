import { emptyBytes } from "../../internal/emptyBytes.ts"
import { type Event, eventAt, eventEnds, maxEventBytes } from "../../internal/sse.ts"
import type { StreamMeter } from "../Protocol.ts"
import * as ByteBuffer from "./ByteBuffer.ts"

/** Reads the events of a stream and forwards every chunk unchanged. */
export const observeEvents = (
  onEvent: (event: Event) => void,
  maxBytes = maxEventBytes
): Pick<StreamMeter, "push" | "finish"> => {
  const endsIn = eventEnds()
  const incomplete = ByteBuffer.make()
  let isTooLarge = false

  const read = (bytes: Uint8Array, from: number, to: number) => {
    const event = to - from > maxBytes ? undefined : eventAt(bytes, from, to)
    if (event !== undefined) onEvent(event)
  }
  const readIncomplete = () => {
    const bytes = incomplete.drain()
    read(bytes, 0, bytes.length)
  }
  const append = (chunk: Uint8Array, from: number, to: number) => {
    isTooLarge ||= incomplete.size() + to - from > maxBytes
    if (isTooLarge) incomplete.drain()
    else incomplete.append(chunk, from, to)
  }

  return {
    push: (chunk) => {
      let from = 0
      for (const to of endsIn(chunk)) {
        if (incomplete.size() > 0) {
          append(chunk, from, to)
          readIncomplete()
        } else if (!isTooLarge) read(chunk, from, to)
        isTooLarge = false
        from = to
      }
      if (from < chunk.length) append(chunk, from, chunk.length)
      return chunk
    },
    finish: () => {
      readIncomplete()
      return emptyBytes
    }
  }
}
