import type { Codec } from "../Codec.ts"
import { readAnswer, reader, writeAnswer, writer } from "./answer.ts"
import { readRequest, settings, writeRequest } from "./request.ts"

/** Anthropic's messages. */
export const messages: Codec = {
  shape: "messages",
  settings,
  cannot: new Set([
    "hotTemperature",
    "frequencyPenalty",
    "presencePenalty",
    "seed",
    "verbosity",
    "jsonFormat",
    "systemLater",
    "fileById",
    "audio",
    "video",
    "sealed",
    "own",
    "metadata",
    "cacheKey",
    "safetyIdentifier"
  ]),
  readRequest,
  writeRequest,
  readAnswer,
  writeAnswer,
  reader,
  writer
}
