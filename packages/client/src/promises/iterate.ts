import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { OnFiberStart } from "./runner.ts"

interface Waiting<A> {
  readonly resolve: (result: IteratorResult<A, undefined>) => void
  readonly reject: (reason: unknown) => void
}

interface Failed {
  readonly reason: unknown
}

/** Runs an effect to its end, and rejects with the error for the caller. */
type Run<R> = (effect: Effect.Effect<void, unknown, R>, onFiberStart: OnFiberStart) => Promise<void>

const done = { done: true, value: undefined } as const

interface Items<A> extends AsyncIterator<A, undefined> {
  /** Runs the stream up to its first item, which waits for a reader. */
  readonly begin: () => void
}

/** Reads a stream item by item. Its fiber pauses between requests; interrupting it closes the connection. */
export const iterate = <A, R>(stream: Stream.Stream<A, unknown, R>, run: Run<R>): Items<A> => {
  let waiting: Array<Waiting<A>> = []
  let goOn = () => {}
  let interrupt = () => {}
  let running: Promise<void> | undefined
  let isLeft = false
  let isOver = false
  let untold: Failed | undefined

  const goOnIfAsked = () => {
    if (waiting.length > 0) goOn()
  }

  const hand = (value: A) =>
    Effect.callback<void>((resume) => {
      goOn = () => {
        goOn = () => resume(Exit.void)
        waiting.shift()?.resolve({ done: false, value })
        goOnIfAsked()
      }
      goOnIfAsked()
    })

  /** The first waiting reader gets the failure, or else the next one. */
  const tell = () => {
    for (const { reject, resolve } of waiting) {
      if (untold === undefined) resolve(done)
      else reject(untold.reason)
      untold = undefined
    }
    waiting = []
  }

  const end = (failed?: Failed) => {
    isOver = true
    untold = isLeft ? undefined : failed
    tell()
  }

  const start = () =>
    run(Stream.runForEach(stream, hand), (fiber) => {
      interrupt = () => fiber.interruptUnsafe()
    }).then(
      () => end(),
      (reason: unknown) => end({ reason })
    )

  const begin = () => {
    if (!isOver) running ??= start()
  }

  return {
    begin,
    next: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        if (isOver) return tell()
        begin()
        goOnIfAsked()
      }),
    return: async () => {
      isLeft = true
      if (running === undefined) end()
      interrupt()
      await running
      return done
    }
  }
}
