import type { Codec } from "../Codec.ts"
import { readAnswer, reader, writeAnswer, writer } from "./answer.ts"
import { readRequest, settings, writeRequest } from "./request.ts"

/** OpenAI's chat completions. */
export const chat: Codec = {
  shape: "chat",
  settings,
  cannot: new Set([
    "topK",
    "prefill",
    "fileById",
    "fileByUrl",
    "video",
    "fileInResult",
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
