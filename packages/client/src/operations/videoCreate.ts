import { videoCreate as operation } from "@tollgate/contract/operations/videoCreate"
import { call } from "../call.ts"

/** Starts generating a video. An end that nobody saw is `OutcomeUnknown`, and is not tried again. */
export const videoCreate = call(operation)
