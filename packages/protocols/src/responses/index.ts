import type { Codec } from "../Codec.ts"
import { readAnswer, writeAnswer } from "./answer.ts"
import { reader, writer } from "./events.ts"
import { readRequest, settings, writeRequest } from "./request.ts"

/** OpenAI's responses. */
export const responses: Codec = {
  shape: "responses",
  settings,
  cannot: new Set([
    "topK",
    "frequencyPenalty",
    "presencePenalty",
    "seed",
    "stop",
    "prefill",
    "fileById",
    "audio",
    "video",
    "sealed",
    "own",
    "cache",
    "resultError"
  ]),
  readRequest,
  writeRequest,
  readAnswer,
  writeAnswer,
  reader,
  writer
}
