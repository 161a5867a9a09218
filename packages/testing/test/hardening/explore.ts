import * as Effect from "effect/Effect"
import { Target, works } from "./target.ts"
import { wire } from "./wire.ts"

export const explore = (name: string, sent: string | ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { done, port, reached } = yield* Target
    const before = yield* done
    const from = reached.length
    const client = yield* wire(port)
    for (const part of typeof sent === "string" ? [sent] : sent) client.send(part)
    let open = false
    yield* client.closed.pipe(
      Effect.timeout("700 millis"),
      Effect.catchCause(() =>
        Effect.sync(() => {
          open = true
        })
      )
    )
    const answers = client.answers()
    const after = yield* done
    console.log(
      name.padEnd(45),
      answers
        .map((a) => `${a.status}${a.complete ? "" : "!"}`)
        .join(",")
        .padEnd(12),
      open ? "open  " : "closed",
      `app=${reached.length - from} up=${after.upstream - before.upstream} calls=${after.calls - before.calls} charged=${after.charged - before.charged} ok=${yield* works}`,
      answers.at(-1)?.body.slice(0, 150)
    )
  }).pipe(Effect.scoped)
