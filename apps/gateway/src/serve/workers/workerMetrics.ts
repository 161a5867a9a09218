import { type Family, refuse } from "@tollgate/gateway/driver"
import * as Effect from "effect/Effect"
import { isFromPrimary, toPrimary } from "./Message.ts"

/** Longer than the process that started the workers waits for them. */
const patience = "5 seconds"

const late = refuse("internal_error", "The workers did not send their metrics in time.")

/**
 * Returns an effect that gets the metrics of all workers, as text, from the process that started them. It asks each worker,
 * this one included, for what `read` returns. A worker that ends sends its last ones.
 */
export const ofAllWorkers = Effect.fnUntraced(function* (read: Effect.Effect<Family.Snapshot>) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const waiting = new Map<number, (text: string) => void>()
  let scrapes = 0

  const receive = (message: unknown): void => {
    if (!isFromPrimary(message)) return
    if (message.kind === "scraped") return waiting.get(message.scrape)?.(message.text)
    if (message.kind !== "read_metrics") return
    const { reading } = message
    fork(Effect.map(read, (metrics) => toPrimary({ kind: "metrics", reading, metrics })))
  }

  const sendLast = Effect.flatMap(read, (metrics) =>
    Effect.callback<void>((resume) => toPrimary({ kind: "metrics", metrics }, () => resume(Effect.void)))
  )

  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("message", receive)),
    () =>
      Effect.andThen(
        Effect.timeoutOption(sendLast, patience),
        Effect.sync(() => process.off("message", receive))
      )
  )

  return Effect.suspend(() => {
    const scrape = ++scrapes
    return Effect.callback<string>((resume) => {
      waiting.set(scrape, (text) => resume(Effect.succeed(text)))
      toPrimary({ kind: "scrape", scrape })
    }).pipe(
      Effect.ensuring(Effect.sync(() => waiting.delete(scrape))),
      Effect.timeoutOrElse({ duration: patience, orElse: () => late })
    )
  })
})
