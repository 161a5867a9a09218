import { type Event, list, object, text } from "./Event.ts"

/** Only the first of several candidate answers is read. */
const isFirst = ({ index }: Event): boolean => index === undefined || index === 0

/** Of the blocks of a whole answer: thoughts and tools have other types. */
const textsIn = (blocks: unknown): ReadonlyArray<string> =>
  list(blocks).map((block) => (/^(output_)?text$/.test(`${block["type"]}`) ? (text(block["text"]) ?? "") : ""))

/** The text of an answer, or what an event adds to it, in any of the protocols. An empty string if there is none. */
export const textOf = (event: Event): string => {
  const { type } = event
  if (type === "response.output_text.delta") return text(event["delta"]) ?? ""
  if (type === "content_block_delta") return text(object(event["delta"])["text"]) ?? ""
  if (type === "message") return textsIn(event["content"]).join("")
  const items = event["object"] === "response" ? list(event["output"]) : []
  const chosen = list(event["choices"])
    .filter(isFirst)
    .map(({ delta, message }) => text(object(delta ?? message)["content"]) ?? "")
  const parts = list(event["candidates"])
    .filter(isFirst)
    .flatMap(({ content }) => list(object(content)["parts"]))
    .map((part) => (part["thought"] === true ? "" : (text(part["text"]) ?? "")))
  return [...items.flatMap(({ content }) => textsIn(content)), ...chosen, ...parts].join("")
}
