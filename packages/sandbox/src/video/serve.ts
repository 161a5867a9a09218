import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { InvalidInput, type Handler } from "../BilledAnswer.ts"
import * as Query from "../data/query.ts"
import { extension, isValid } from "./address.ts"
import { clip } from "./clip.ts"
import { rangeOf } from "./range.ts"
import { statusAt } from "./state.ts"
import * as TaskId from "./TaskId.ts"

/** Serves the video of a task that succeeded, which is always the same clip. */
export const serve: Handler = Effect.fnUntraced(function* (request, { parameters }) {
  const now = yield* Clock.currentTimeMillis
  const query = yield* Query.of(request)
  const file = parameters["file"] ?? ""
  const id = file.endsWith(extension) ? file.slice(0, -extension.length) : ""
  const task = TaskId.read(id)
  if (task === undefined || statusAt(task, now) !== "SUCCEEDED") {
    return yield* new InvalidInput({ message: "no such video", status: 404, code: "not_found" })
  }
  if (!isValid(id, query.get("expires") ?? "", query.get("signature") ?? "", now)) {
    return yield* new InvalidInput({
      message: "the URL has expired or its signature is wrong",
      status: 403,
      code: "expired"
    })
  }
  const range = rangeOf(request.headers["range"], clip.bytes.length)
  const answer = { operation: "video.file", contentType: clip.contentType, billed: {} }
  const always = { "accept-ranges": "bytes", "cache-control": "private, max-age=3600" }
  switch (range.kind) {
    case "all":
      return { ...answer, headers: always, bytes: clip.bytes }
    case "none": {
      const headers = { ...always, "content-range": `bytes */${clip.bytes.length}` }
      return { ...answer, status: 416, headers, bytes: new Uint8Array() }
    }
    case "part": {
      const { first, last } = range
      const headers = { ...always, "content-range": `bytes ${first}-${last}/${clip.bytes.length}` }
      return { ...answer, status: 206, headers, bytes: clip.bytes.slice(first, last + 1) }
    }
  }
})
