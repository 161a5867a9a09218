import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { isObject } from "../state/json.ts"
import type { Arguments } from "./inputOf.ts"

/** The arguments as the client's streaming function sends them, so that a quote counts every byte that is sent. */
export const streamedArguments = ({ family }: OfferedOperation, given: Arguments): Arguments => {
  if (family === "anthropic") return { ...given, stream: true }
  if (family !== "openai") return given
  const chosen = given["stream_options"]
  return {
    ...given,
    stream: true,
    stream_options: { include_usage: true, ...(isObject(chosen) ? chosen : {}) }
  }
}
