import { type Event, list, object, text } from "./Event.ts"

/** Only the first of several candidate answers is read. */
const isFirst = ({ index }: Event): boolean => index === undefined || index === 0

const textsIn = (parts: unknown): ReadonlyArray<string> =>
  list(parts).map((part) => (part["thought"] === true ? "" : (text(part["text"]) ?? "")))

/** The text of an answer, or what an event adds to it, in any of the protocols. An empty string if there is none. */
export const textOf = (event: Event): string => {
  const { type } = event
  if (type === "response.output_text.delta") return text(event["delta"]) ?? ""
  if (type === "content_block_delta") return text(object(event["delta"])["text"]) ?? ""
  const items = event["object"] === "response" ? list(event["output"]) : [event]
  return [
    ...items.filter(({ type }) => type === "message").flatMap(({ content }) => textsIn(content)),
    ...list(event["choices"])
      .filter(isFirst)
      .map(({ delta, message }) => text(object(delta ?? message)["content"]) ?? ""),
    ...list(event["candidates"])
      .filter(isFirst)
      .flatMap(({ content }) => textsIn(object(content)["parts"]))
  ].join("")
}
