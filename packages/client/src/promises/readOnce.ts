import type { Event } from "../stream/Event.ts"
import { textOf } from "../stream/textOf.ts"
import type { EventStream } from "./Promises.ts"

/** To read is to call, and may be to pay: a second reading would do it again, or give nothing. Neither is meant. */
export const readOnce = <A>(iterator: () => AsyncIterator<A, undefined>): EventStream<A> => {
  let isRead = false
  const read = {
    [Symbol.asyncIterator]: () => {
      if (isRead) throw new Error("This was read before, and can be read once: make another call")
      isRead = true
      return iterator()
    }
  }
  const text = async (): Promise<string> => {
    let all = ""
    for await (const event of read) all += textOf(event as Event)
    return all
  }
  return { ...read, text }
}
