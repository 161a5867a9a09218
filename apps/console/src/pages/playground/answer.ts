import { getIn, isObject } from "./json.ts"

const list = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isObject) : []

const textIn = (value: unknown): string => (typeof value === "string" ? value : "")

const partsIn = (value: unknown): string =>
  typeof value === "string"
    ? value
    : list(value)
        .map((part) => textIn(part["text"]))
        .join("")

/** The text of a model's whole answer, in any of the protocols, or an empty string. */
export const answerText = (value: unknown): string => {
  if (!isObject(value)) return ""
  const [choice] = list(value["choices"])
  if (choice !== undefined && isObject(choice["message"])) return partsIn(choice["message"]["content"])
  const [candidate] = list(value["candidates"])
  if (candidate !== undefined && isObject(candidate["content"])) return partsIn(candidate["content"]["parts"])
  if (value["object"] === "response") {
    return list(value["output"])
      .map((item) => (item["type"] === "message" ? partsIn(item["content"]) : ""))
      .join("")
  }
  return value["type"] === "message" ? partsIn(value["content"]) : ""
}

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
