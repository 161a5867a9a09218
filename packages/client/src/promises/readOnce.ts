import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Client } from "../Client.ts"
import type { Event } from "../events/Event.ts"
import { textOf } from "../events/textOf.ts"
import type { Trace } from "../call/trace.ts"
import { responseOf } from "../call/withResponse.ts"
import { iterate } from "./iterate.ts"
import type { EventStream } from "./Promises.ts"
import type { OnFiberStart } from "./runner.ts"

type Run = (effect: Effect.Effect<void, unknown, Client>, onFiberStart: OnFiberStart) => Promise<void>

/** The reader is told of a failure anyway. */
const ignore = () => {}

/** Reading makes the call and may be charged, so a second read throws instead of calling again. */
export const readOnce = <A>(stream: Stream.Stream<A, unknown, Client>, run: Run, trace: Trace): EventStream<A> => {
  let isRead = false
  let begin: (running: Promise<void>) => void
  const ended = new Promise<void>((resolve) => (begin = resolve))
  ended.catch(ignore)
  const read = {
    [Symbol.asyncIterator]: () => {
      if (isRead) throw new Error("This stream can be read only once: make another call")
      isRead = true
      return iterate(stream, (effect, onFiberStart) => {
        const running = run(effect, onFiberStart)
        begin(running)
        return running
      })
    }
  }
  const text = async (): Promise<string> => {
    let all = ""
    for await (const event of read) all += textOf(event as Event)
    return all
  }
  const response: EventStream<A>["response"] = () => {
    const begun = ended.catch((error: unknown) => {
      if (trace.reading === undefined) throw error
    })
    const told = begun.then(() => responseOf(trace))
    told.catch(ignore)
    return told
  }
  return { ...read, text, response }
}
