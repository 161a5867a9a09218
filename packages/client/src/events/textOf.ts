import { type Event, list, object, text } from "./Event.ts"

/** Only the first of several candidate answers is read. */
const isFirst = ({ index }: Event): boolean => index === undefined || index === 0

/** The text that an event adds to the answer, in any of the protocols, or an empty string. */
export const textOf = (event: Event): string => {
  if (event["type"] === "response.output_text.delta") return text(event["delta"]) ?? ""
  if (event["type"] === "content_block_delta") return text(object(event["delta"])["text"]) ?? ""
  const chosen = list(event["choices"])
    .filter(isFirst)
    .map(({ delta }) => text(object(delta)["content"]) ?? "")
  const parts = list(event["candidates"])
    .filter(isFirst)
    .flatMap(({ content }) => list(object(content)["parts"]))
    .map((part) => (part["thought"] === true ? "" : (text(part["text"]) ?? "")))
  return [...chosen, ...parts].join("")
}
