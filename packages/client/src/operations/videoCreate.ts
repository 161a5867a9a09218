import type { Input } from "@tollgate/contract/Operation"
import { videoCreate as operation } from "@tollgate/contract/operations/videoCreate"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface VideoCreateInput extends Input<typeof operation> {}
export type VideoCreateError = Listed<CallError<typeof operation>>

/**
 * Starts generating a video. If the outcome is unknown, it fails with `OutcomeUnknown` and is not retried.
 *
 * @example
 * const { output } = yield* videoCreate({ model: "sandbox-video", input: { prompt: "A river from above" } })
 */
export const videoCreate: (
  input: VideoCreateInput,
  options?: CallOptions
) => Effect.Effect<VideoTask, VideoCreateError, Client> = /* @__PURE__ */ call(operation)
