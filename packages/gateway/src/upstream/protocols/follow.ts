import { boundaries, type Event, eventAt, largestEvent } from "../../internal/sse.ts"
import type { Watch } from "../Protocol.ts"
import { hold, nothing } from "./hold.ts"

/** Looks at the events of a stream while it passes, and changes nothing. */
export const follow = (look: (event: Event) => void, largest = largestEvent): Pick<Watch, "pass" | "finish"> => {
  const endsIn = boundaries()
  const begun = hold()
  let tooLarge = false

  const show = (bytes: Uint8Array, from: number, to: number) => {
    const event = to - from > largest ? undefined : eventAt(bytes, from, to)
    if (event !== undefined) look(event)
  }
  const showBegun = () => {
    const whole = begun.take()
    show(whole, 0, whole.length)
  }
  const keep = (piece: Uint8Array, from: number, to: number) => {
    tooLarge ||= begun.size() + to - from > largest
    if (tooLarge) begun.take()
    else begun.add(piece, from, to)
  }

  return {
    pass: (piece) => {
      let from = 0
      for (const to of endsIn(piece)) {
        if (begun.size() > 0) {
          keep(piece, from, to)
          showBegun()
        } else if (!tooLarge) show(piece, from, to)
        tooLarge = false
        from = to
      }
      if (from < piece.length) keep(piece, from, piece.length)
      return piece
    },
    finish: () => {
      showBegun()
      return nothing
    }
  }
}
