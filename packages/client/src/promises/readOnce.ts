import type { Event } from "../stream/Event.ts"
import { textOf } from "../stream/textOf.ts"
import type { EventStream } from "./Promises.ts"

/** Reading makes the call and may be charged, so a second read throws instead of calling again. */
export const readOnce = <A>(iterator: () => AsyncIterator<A, undefined>): EventStream<A> => {
  let isRead = false
  const read = {
    [Symbol.asyncIterator]: () => {
      if (isRead) throw new Error("This stream can be read only once: make another call")
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
