import type { Codec } from "../Codec.ts"
import { readAnswer, reader, writeAnswer, writer } from "./answer.ts"
import { readRequest, settings, writeRequest } from "./request.ts"

/** Google's `generateContent`. */
export const generateContent: Codec = {
  shape: "generateContent",
  settings,
  cannot: new Set([
    "verbosity",
    "oneTool",
    "systemLater",
    "prefill",
    "fileById",
    "sealed",
    "own",
    "cache",
    "user",
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
