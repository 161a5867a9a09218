import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { polling, type TaskStatus } from "@tollgate/contract/Task"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import { Client } from "../../Client.ts"
import { Trace } from "../../call/trace.ts"
import {
  isTransient,
  type PollError,
  pollTask,
  VideoCanceled,
  type VideoError,
  VideoFailed,
  VideoLost,
  VideoTimedOut,
  VideoUnseen
} from "./pollTask.ts"
import { type CallOptions, millisOf, type Time } from "../../options/CallOptions.ts"
import { callNames, refuseUnknown } from "../../options/names.ts"
import * as Random from "effect/Random"
import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import * as Option from "effect/Option"
import { call } from "../../call/call.ts"
import type { Listed } from "../../errors/errors.ts"
import type { VideoCreateError, VideoCreateInput } from "../../generated/operations.ts"

/** The error of a task that ended without a video. */
const ending = (taskId: string, task: VideoTask): VideoFailed | VideoCanceled | undefined => {
  const { code, message, task_status } = task.output
  switch (task_status) {
    case "FAILED":
      return new VideoFailed({
        taskId,
        ...(typeof code === "string" ? { code } : {}),
        message: message ?? "The task failed",
        task
      })
    case "CANCELED":
      return new VideoCanceled({ taskId, message: message ?? "The task was canceled", task })
    default:
      return undefined
  }
}

interface PollInterval {
  /** Before the first poll. */
  readonly firstMillis?: number
  /** Between two polls: a random time in this range, so that many callers do not poll at once. */
  readonly betweenMillis?: readonly [least: number, most: number]
}

/** Never shorter than the gateway's minimum, also for NaN. */
const floored = (millis: number): number => (millis >= polling.floorMillis ? millis : polling.floorMillis)

const firstMillisOf = ({ firstMillis = polling.recommendedMillis[0] }: PollInterval): number => floored(firstMillis)

const millisBetween = ({
  betweenMillis: [least, most] = polling.recommendedMillis
}: PollInterval): Effect.Effect<number> => Effect.map(Random.next, (random) => floored(least + random * (most - least)))

export interface VideoOptions extends PollInterval {
  /** Added to each request. Headers that the client sets itself win. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Of the whole wait. Defaults to five minutes. */
  readonly timeout?: Time | Duration.Duration | undefined
  /** How long the status may be `UNKNOWN`, as it may be just after creation. Defaults to one minute. */
  readonly unknownMillis?: number | undefined
}

/** Those of the call that started the task may be among them. */
const known = [...callNames, "firstMillis", "betweenMillis", "unknownMillis"]

export interface Progress {
  readonly status: TaskStatus
  /** Since waiting began. */
  readonly elapsedMillis: number
  readonly task: VideoTask
}

/**
 * The task's status after each poll, until it succeeds; any other end is an error. A poll with a transient failure is
 * repeated, after `Retry-After` if the server sends one.
 *
 * @example
 * yield* Stream.runForEach(videoProgress(taskId), ({ status }) => Effect.log(status))
 */
export const videoProgress = (
  taskId: string,
  options: VideoOptions = {}
): Stream.Stream<Progress, VideoError, Client> =>
  Stream.fromPull(
    Effect.gen(function* () {
      const client = yield* Client
      const trace = yield* Trace
      // Whoever aborts the wait needs them, between two polls too.
      if (trace !== undefined) Object.assign(trace, { operation: taskGet.id, taskId })
      refuseUnknown(options, known)
      const { headers = {}, timeout = polling.deadlineMillis, unknownMillis = 60_000 } = options
      const timeoutMillis = millisOf(timeout)
      const started = yield* Clock.currentTimeMillis
      let delay = firstMillisOf(options)
      let unknownSince: number | undefined
      let last: VideoTask | undefined

      const judge = Effect.fnUntraced(function* (task: VideoTask): Effect.fn.Return<Progress, VideoError> {
        const now = yield* Clock.currentTimeMillis
        const status = task.output.task_status
        last = task
        unknownSince = status === "UNKNOWN" ? (unknownSince ?? now) : undefined
        const end = ending(taskId, task)
        if (end !== undefined) return yield* Effect.fail(end)
        if (unknownSince !== undefined && now - unknownSince >= unknownMillis) {
          return yield* new VideoLost({
            taskId,
            message: `The task's status has been UNKNOWN for ${now - unknownSince} ms: its id may be wrong`
          })
        }
        return { status, elapsedMillis: now - started, task }
      })

      const again = (error: PollError): Effect.Effect<Progress, VideoError> => {
        if (!isTransient(error)) return Effect.fail(new VideoUnseen({ taskId, message: error.message, cause: error }))
        delay = Math.max(delay, ("retryAfter" in error ? error.retryAfter : undefined) ?? 0)
        return step
      }

      const step: Effect.Effect<Progress, VideoError> = Effect.gen(function* () {
        yield* Effect.sleep(delay)
        delay = yield* millisBetween(options)
        return yield* Effect.matchEffect(pollTask(client, taskId, headers), { onSuccess: judge, onFailure: again })
      })

      const inTime = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.timeoutOrElse(step, {
          duration: Math.max(0, started + timeoutMillis - now),
          orElse: () =>
            Effect.fail(
              new VideoTimedOut({
                taskId,
                message: `The task did not end within ${timeoutMillis} ms`,
                ...(last === undefined ? {} : { task: last })
              })
            )
        })
      )
      type Next = Pull.Pull<Arr.NonEmptyArray<Progress>, VideoError>
      return Effect.suspend((): Next =>
        last?.output.task_status === "SUCCEEDED" ? Cause.done() : Effect.map(inTime, Arr.of)
      )
    })
  )

/**
 * Waits until the task succeeds. Every error has the `taskId`, so that waiting can resume.
 *
 * @example
 * const { output } = yield* awaitVideo(taskId, { timeout: "10 minutes" })
 */
export const awaitVideo = (taskId: string, options?: VideoOptions): Effect.Effect<VideoTask, VideoError, Client> =>
  Effect.map(
    Stream.runLast(videoProgress(taskId, options)),
    // A stream that ends without error has emitted the finished task.
    (last) => Option.getOrThrow(last).task
  )

const create = call(videoCreate)

/** Those of the wait, and those of the call that starts it. `timeout` is of the wait. */
export interface GenerateVideoOptions extends VideoOptions, CallOptions {}

/** Every error of starting a video and waiting for it. */
export type GenerateVideoError = Listed<VideoCreateError | VideoError>

/**
 * Starts a video and waits for it. To store the id of the task before waiting, call `videoCreate` and `awaitVideo`.
 *
 * @example
 * const { output } = yield* generateVideo({ model: "sandbox-video", input: { prompt: "A river from above" } })
 */
export const generateVideo = (
  input: VideoCreateInput,
  { timeout, ...options }: GenerateVideoOptions = {}
): Effect.Effect<VideoTask, GenerateVideoError, Client> =>
  Effect.suspend(() => {
    // Those of waiting are no options of a call.
    const { betweenMillis: _, firstMillis: _first, unknownMillis: _unknown, ...creating } = options
    // Before anything is paid for, since it throws if this is no duration.
    const waiting = timeout === undefined ? options : { ...options, timeout: millisOf(timeout) }
    return Effect.flatMap(create(input, creating), ({ output }) => awaitVideo(output.task_id, waiting))
  })
