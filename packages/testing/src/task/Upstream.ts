import type { Carrier, Head, NotCarried, Outgoing } from "@tollgate/contract/carrier/Carrier"
import type { TaskStatus } from "@tollgate/contract/Task"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

type Reply = Effect.Effect<Head & { readonly body: string }, NotCarried>

export const reply = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply =>
  Effect.succeed({ status, headers, body: typeof body === "string" ? body : JSON.stringify(body) })

/** A task as the upstream reports it. */
export const report = (id: string, status: TaskStatus, output: object = {}, more: object = {}) => ({
  output: { task_id: id, task_status: status, ...output },
  ...more
})

export const success = (id: string) =>
  report(
    id,
    "SUCCEEDED",
    {
      video_url: `https://videos.invalid/${id}`,
      orig_prompt: "a river",
      submit_time: "1970-01-01 00:00:00.000",
      scheduled_time: "1970-01-01 00:00:01.000",
      end_time: "1970-01-01 00:00:09.000"
    },
    { usage: { output_video_duration: 5, video_count: 1, SR: 720 }, request_id: "theirs" }
  )

/** The answer to a poll, so many milliseconds after the create. */
export type Plan = (id: string, millis: number) => Reply

/** Runs for `millis`, then reports `end`. */
export const endsAfter =
  (millis: number, end: (id: string) => unknown): Plan =>
  (id, elapsed) =>
    reply(elapsed < millis ? report(id, elapsed < millis / 5 ? "PENDING" : "RUNNING") : end(id))

/** An upstream whose tasks follow a plan. It records every poll. */
export class Upstream {
  readonly polls: Array<Outgoing> = []
  readonly #tasks = new Map<string, { readonly plan: Plan; readonly createdAt: number }>()
  /** How long a poll takes. */
  pollMillis = 0
  #inFlight = 0
  maxInFlight = 0

  create(id: string, plan: Plan): Effect.Effect<string> {
    return Effect.map(Clock.currentTimeMillis, (createdAt) => {
      this.#tasks.set(id, { plan, createdAt })
      return JSON.stringify({ ...report(id, "PENDING"), request_id: "theirs", more: "kept" })
    })
  }

  readonly carrier: Carrier["Service"] = {
    carry: (outgoing) =>
      Effect.gen({ self: this }, function* () {
        this.polls.push(outgoing)
        this.maxInFlight = Math.max(this.maxInFlight, ++this.#inFlight)
        const id = decodeURIComponent(outgoing.path.slice(outgoing.path.lastIndexOf("/") + 1))
        const known = this.#tasks.get(id)
        if (this.pollMillis > 0) yield* Effect.sleep(this.pollMillis)
        const elapsed = (yield* Clock.currentTimeMillis) - (known?.createdAt ?? 0)
        const { body, headers, status } = yield* known?.plan(id, elapsed) ?? reply(report(id, "UNKNOWN"))
        return { status, headers, body: Utf8.encode(body) }
      }).pipe(Effect.ensuring(Effect.sync(() => this.#inFlight--)))
  }
}
