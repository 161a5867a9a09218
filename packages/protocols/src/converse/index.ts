import type { UpstreamCodec } from "../Codec.ts"
import { readAnswer, reader } from "./answer.ts"
import { settings, writeRequest } from "./request.ts"

/** Amazon Bedrock's `Converse` and `ConverseStream`. */
export const converse: UpstreamCodec = {
  shape: "converse",
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
    "fileByUrl",
    "sealed",
    "own",
    // Only Claude and Nova take them.
    "cache",
    "oneTool",
    "noReasoning",
    "user",
    "metadata",
    "cacheKey",
    "safetyIdentifier"
  ]),
  writeRequest,
  readAnswer,
  reader
}
