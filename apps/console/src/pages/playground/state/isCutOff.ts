import { isObject } from "./json.ts"
import { getIn } from "./setIn.ts"

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Whether an answer, or an event of one, says that it ended at the most tokens, in any of the protocols. */
export const isCutOff = (value: unknown): boolean => {
  if (!isObject(value)) return false
  return (
    value["stop_reason"] === "max_tokens" ||
    getIn(value, ["delta", "stop_reason"]) === "max_tokens" ||
    getIn(value, ["incomplete_details", "reason"]) === "max_output_tokens" ||
    getIn(value, ["response", "incomplete_details", "reason"]) === "max_output_tokens" ||
    list(value["choices"]).some((choice) => getIn(choice, ["finish_reason"]) === "length") ||
    list(value["candidates"]).some((candidate) => getIn(candidate, ["finishReason"]) === "MAX_TOKENS")
  )
}
